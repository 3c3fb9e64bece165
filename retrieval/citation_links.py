"""Citations as pages and the API show them: chips for a text, and one citation in full."""

import re
from typing import Any
from uuid import UUID

from entities.access import Scope
from entities.api import labels_of_atoms
from entities.model_markdown import CitationLink
from retrieval.links import workspace_url
from retrieval.locate import Resolved, resolve, resolve_all
from retrieval.owners import Citing
from retrieval.support import Support, borne_out_by, check_support, sentences_citing

MARKER = re.compile(r"\[citation:(\d{1,9})\]")


def citation_links(scope: Scope, citing: Citing, pk: UUID) -> dict[int, CitationLink]:
    """For `{{ text|model_markdown:links }}`: n -> chip, for every known number in the text of message or Pulse `pk`."""
    numbers = {int(n) for n in MARKER.findall(citing.text)}
    return {
        n: CitationLink(
            number=n,
            name=resolved.name or "Source",
            url=url_of(scope, citing, resolved),
            where=resolved.where,
            preview_url=workspace_url(scope, "retrieval:citation", pk, n) if resolved.available else "",
            support=support_of(citing, resolved) or "",
        )
        for n, resolved in resolve_all(scope, citing.owner, numbers).items()
    }


def support_of(citing: Citing, resolved: Resolved) -> Support | None:
    """The support check of the sentences that cite the passage; None where there is no passage or no sentence."""
    sentences = sentences_citing(citing.text, resolved.n)
    if resolved.located is None or not sentences:
        return None
    return check_support(sentences, f"{resolved.located.section}\n{resolved.located.text}")


def url_of(scope: Scope, citing: Citing, resolved: Resolved) -> str:
    """Where a citation opens: at its passage, with the sentence marked that bears out what was written."""
    words = borne_out_by(sentences_citing(citing.text, resolved.n), resolved.located.text) if resolved.located else None
    return resolved.url(scope, words)


def citation_json(scope: Scope, citing: Citing, n: int) -> dict[str, Any] | None:
    """`GET citations/<id>/<n>/` (design §11); None for a number that the text does not carry."""
    if n not in {int(found) for found in MARKER.findall(citing.text)}:
        return None
    resolved = resolve(scope, citing.owner, n)
    if resolved is None:
        return None
    located = resolved.located
    return {
        "n": n,
        "available": resolved.available,
        "source": {
            "type": resolved.type.value,
            "name": resolved.name,
            "entity": resolved.entity
            and {"id": str(resolved.entity.id), "type": resolved.entity.type, "name": resolved.entity.name},
            "file": resolved.file and {"id": str(resolved.file.id), "name": resolved.file.name},
            "page": located.page if located else None,
            "section": located.section if located else "",
            "labels": labels_of_atoms(located.atoms) if located else [],
            "exact": located.exact if located else False,
        },
        "preview": resolved.preview,
        "support": support_of(citing, resolved),
        "url": url_of(scope, citing, resolved) or None,
    }

"""Citations as pages and the API show them: chips for a text, and one citation in full."""

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

from entities.access import Scope
from entities.api import labels_of_atoms
from entities.model_markdown import CitationLink
from retrieval.links import workspace_url
from retrieval.locate import Resolved, resolve, resolve_all
from retrieval.owners import Citing
from retrieval.support import Support, bears_on, borne_out_by, check_support, sentences_citing

MARKER = re.compile(r"\[citation:(\d{1,9})\]")


def citation_links(scope: Scope, citing: Citing, pk: UUID) -> dict[int, CitationLink]:
    """For `{{ text|model_markdown:links }}`: n -> chip, for every known number in the text of message or Pulse `pk`."""
    numbers = {int(n) for n in MARKER.findall(citing.text)}
    return {
        n: CitationLink(
            number=n,
            name=resolved.name or "Source",
            url=resolved.url(scope),
            where=resolved.where,
            preview_url=workspace_url(scope, "retrieval:citation", pk, n) if resolved.available else "",
            support=support_of(citing, resolved) or "",
            atoms=resolved.located.atoms if resolved.located else (),
        )
        for n, found in resolve_all(scope, citing.owner, numbers).items()
        for resolved in [meant_by(citing, found)]
    }


def support_of(citing: Citing, resolved: Resolved) -> Support | None:
    """The support check of the sentences that cite the passage; None where there is no passage or no sentence.

    A sentence that follows from its passage, and be it word for word, is weak where it does not bear on the question.
    """
    sentences = sentences_citing(citing.text, resolved.n)
    if resolved.located is None or not sentences:
        return None
    passage = f"{resolved.located.section}\n{resolved.located.text}"
    verdict = check_support(sentences, passage)
    record = resolved.entity.title if resolved.entity else ""
    if verdict is Support.SUPPORTED and not bears_on(
        citing.question, sentences, f"{resolved.name} {record}\n{passage}"
    ):
        return Support.WEAK
    return verdict


def meant_by(citing: Citing, resolved: Resolved) -> Resolved:
    """The citation as this text means it: with the sentence of the passage that bears out what was written."""
    if resolved.located is None:
        return resolved
    return replace(resolved, words=borne_out_by(sentences_citing(citing.text, resolved.n), resolved.located.text))


def citation_json(scope: Scope, citing: Citing, n: int) -> dict[str, Any] | None:
    """`GET citations/<id>/<n>/` (design §11); None for a number that the text does not carry."""
    if n not in {int(found) for found in MARKER.findall(citing.text)}:
        return None
    found = resolve(scope, citing.owner, n)
    if found is None:
        return None
    resolved = meant_by(citing, found)
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
            "page": resolved.page,
            "section": resolved.section,
            "labels": labels_of_atoms(located.atoms) if located else [],
            "exact": located.exact if located else False,
        },
        "preview": resolved.preview,
        "support": support_of(citing, resolved),
        "url": resolved.url(scope) or None,
    }

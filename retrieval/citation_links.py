"""Citations as pages and the API show them: chips for a text, and one citation in full."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from entities.access import Scope
from entities.api import list_atom_labels
from entities.model_markdown import CitationLink
from retrieval.bearing import judge_support
from retrieval.links import build_workspace_url
from retrieval.locate import ResolvedCitation, resolve_all, resolve_citation
from retrieval.owners import CitingText
from retrieval.support import Support, find_bearing_sentence, list_citing_sentences, list_sentences_citing

WORST_FIRST = (Support.UNSUPPORTED, Support.WEAK, Support.QUOTED, Support.SUPPORTED, "")
MARKER = re.compile(r"\[citation:(\d{1,9})\]")


def build_citation_links(
    scope: Scope, citing: CitingText, pk: UUID, resolved: Mapping[int, ResolvedCitation] | None = None
) -> dict[int, CitationLink]:
    """For `{{ text|model_markdown:links }}`: n -> chip, for every known number in the text of message or Pulse `pk`.

    A chip has a place for each marker of its number: two sentences of one passage are two sources, each with the words
    that bear it out, and are numbered as they come in the text. resolved: of the same owner and scope, where several
    texts were looked up together.
    """
    places = list_citing_sentences(citing.text)
    if resolved is None:
        resolved = resolve_all(scope, citing.owner, {place.n for place in places})
    shown: dict[tuple[int, tuple[int, int] | None], int] = {}
    links: dict[int, list[CitationLink]] = {}
    for place in places:
        if place.n in resolved:
            question, sentences = read_claim(citing, resolved[place.n], [place.sentence])
            meant = narrow_citation(resolved[place.n], sentences)
            number = shown.setdefault((place.n, meant.words), len(shown) + 1)
            support = check_support(question, meant, sentences)
            links.setdefault(place.n, []).append(_build_link(scope, meant, place.at, number, support, pk))
    return {n: replace(found[0], places=tuple(found)) for n, found in links.items()}


def _build_link(
    scope: Scope, meant: ResolvedCitation, at: int, number: int, support: Support | None, pk: UUID
) -> CitationLink:
    preview_url = build_workspace_url(scope, "retrieval:citation", pk, meant.n) if meant.available else ""
    return CitationLink(
        number=number,
        name=meant.name or "Source",
        url=meant.url(scope),
        where=meant.where,
        preview_url=f"{preview_url}?at={at}" if preview_url and at else preview_url,
        support=support or "",
        atoms=meant.located.atoms if meant.located else (),
    )


def read_claim(citing: CitingText, resolved: ResolvedCitation, sentences: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The question and the sentences that a citation is checked by. A record of a list answers as the database says: it
    is checked by what its number stands for alone, and not by the cells of linked records beside it.
    """
    record = citing.listed.get(resolved.n)
    if record is None or resolved.located is None:
        return citing.question, sentences
    return "", [record.write_claim(resolved.located.text)]


def check_support(question: str, resolved: ResolvedCitation, sentences: Sequence[str]) -> Support | None:
    """The support check of sentences that cite the passage; None where there is no passage or no sentence."""
    if resolved.located is None or not sentences:
        return None
    names = f"{resolved.name} {resolved.entity.title if resolved.entity else ''}"
    return judge_support(question, sentences, resolved.located.text, resolved.located.section, names)


def narrow_citation(resolved: ResolvedCitation, sentences: Sequence[str]) -> ResolvedCitation:
    """The citation as these sentences mean it: with the words of the passage that bear out what was written."""
    if resolved.located is None:
        return resolved
    return replace(resolved, words=find_bearing_sentence(sentences, resolved.located.text))


def list_sources(links: Mapping[int, CitationLink]) -> list[CitationLink]:
    """The numbered sources of a text, each once: of several sentences that cite the same words, the worst verdict."""
    every = [link for found in links.values() for link in (found.places or (found,))]
    worst: dict[int, CitationLink] = {}
    for link in sorted(every, key=lambda link: WORST_FIRST.index(link.support)):
        worst.setdefault(link.number, link)
    return [worst[number] for number in sorted(worst)]


def build_citation_json(scope: Scope, citing: CitingText, n: int) -> dict[str, Any] | None:
    """`GET citations/<id>/<n>/` (design §11); None for a number that the text does not carry."""
    if n not in {int(found) for found in MARKER.findall(citing.text)}:
        return None
    found = resolve_citation(scope, citing.owner, n)
    if found is None:
        return None
    question, sentences = read_claim(citing, found, list_sentences_citing(citing.text, n))
    resolved = narrow_citation(found, sentences)
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
            "labels": list_atom_labels(located.atoms) if located else [],
            "exact": located.exact if located else False,
        },
        "preview": resolved.preview,
        "support": check_support(question, resolved, sentences),
        "url": resolved.url(scope) or None,
    }

"""The passages of an answer that quotes nothing and shows what comes nearest."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from chat.citations import resolve_cited
from chat.confidence import Confidence, read_confidence
from chat.models import Message, Turn
from entities.access import Scope
from entities.api import list_atom_labels
from entities.api.lists import list_atom_chips
from retrieval.citation_links import MARKER
from retrieval.locate import ResolvedCitation
from retrieval.support import find_bearing_sentence


@dataclass(frozen=True)
class ClosestPassage:
    """A passage as the reader may see it today. n: as the answer cites it. url: where it opens, with its nearest
    sentence marked. atoms: what it needs. words: the characters of that sentence in `text`; (0, 0) for none.
    """

    n: int
    name: str
    where: str
    url: str
    text: str
    atoms: tuple[int, ...]
    words: tuple[int, int]

    @property
    def before(self) -> str:
        return self.text[: self.words[0]]

    @property
    def marked(self) -> str:
        return self.text[slice(*self.words)]

    @property
    def after(self) -> str:
        return self.text[self.words[1] :]

    @property
    def chips(self) -> list[Any]:
        return list_atom_chips(self.atoms)

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "text": self.text,
            "sentence": self.marked,
            "name": self.name,
            "where": self.where,
            "url": self.url,
            "labels": list_atom_labels(self.atoms),
        }


def list_closest(
    scope: Scope,
    turn: Turn,
    answer: Message | None,
    question: str = "",
    resolved: Mapping[int, ResolvedCitation] | None = None,
) -> list[ClosestPassage]:
    """In the order of the answer; what is gone or hidden today is left out. answer: that the caller reads. question:
    "" where they do not read it. resolved: of `resolve_cited`, where more messages were looked up.
    """
    if answer is None or read_confidence(turn, answer) is not Confidence.CLOSEST:
        return []
    found = resolve_cited(scope, [answer]) if resolved is None else resolved
    cited = [found[n] for n in dict.fromkeys(map(int, MARKER.findall(answer.content))) if n in found]
    return [_build_passage(scope, one, question) for one in cited if one.located is not None]


def _build_passage(scope: Scope, cited: ResolvedCitation, question: str) -> ClosestPassage:
    assert cited.located is not None
    words = find_bearing_sentence([question], cited.located.text) or (0, 0)
    meant = replace(cited, words=words if words[1] else None)
    return ClosestPassage(
        cited.n, meant.name, meant.where, meant.url(scope), cited.located.text, cited.located.atoms, words
    )

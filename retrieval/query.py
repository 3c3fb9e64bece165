"""What is asked: a prepared question, and within what."""

import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from threading import Lock
from uuid import UUID

from django.utils.translation import gettext

from entities.access import Scope
from ingestion.embed import get_embedder
from ingestion.embedders import Embedder, EmbeddingFailed
from ingestion.embedders.remote import RemoteEmbedder
from ingestion.models import Kind
from ingestion.vector_models import get_search_model
from retrieval.long_questions import split_question
from retrieval.matches import WORD
from retrieval.tuning import load_tuning

logger = logging.getLogger(__name__)

LONGEST = 2000
"""Characters of a question that are read; the embedder reads fewer still."""

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# Not the marks of inches: a quotation begins before a word and after none. French has blanks within.
WITHIN = r'(?=(?:[^"“”„«»\w]|_)*+[^\W_])([^"“”„«»]*+)'
QUOTED = re.compile(rf'(?<!\w)["“„](?=\S){WITHIN}(?<=\S)["”“](?!\w)|«{WITHIN}»')
KINDS = {kind.name.lower(): kind for kind in Kind}


@dataclass(frozen=True)
class Within:
    """Where to look. An empty field does not narrow; given fields all apply.

    Files and sessions are places, and a passage is in one of them at most, so where both are given either will do.
    entities, files, sessions: public ids. collections: keys of the types' declarations. types: names of entity types.
    kinds: of index rows. since, until: first and last day on which the text came in. labels: names of levels in lower
    case, one of which a passage has. without: words that it does not hold.
    """

    entities: Sequence[UUID] = ()
    files: Sequence[UUID] = ()
    collections: Sequence[str] = ()
    sessions: Sequence[UUID] = ()
    types: Sequence[str] = ()
    kinds: Sequence[Kind] = ()
    since: date | None = None
    until: date | None = None
    labels: Sequence[str] = ()
    without: Sequence[str] = ()

    @property
    def is_everywhere(self) -> bool:
        """Whether nothing is narrowed."""
        return not any(vars(self).values())

    def narrow(self, other: "Within") -> "Within":
        """What is within both, by the fields that operators have. Raises: ValueError where no type is in both."""
        types = tuple(self.types or other.types)
        if self.types and other.types and not (types := tuple(name for name in types if name in other.types)):
            ours, theirs = " or ".join(self.types), " or ".join(other.types)
            raise ValueError(
                gettext("The question asks for %(theirs)s, the filter for %(ours)s. Nothing is both.")
                % {"theirs": theirs, "ours": ours}
            )
        return replace(
            self,
            types=types,
            since=max(filter(None, (self.since, other.since)), default=None),
            until=min(filter(None, (self.until, other.until)), default=None),
            labels=(*self.labels, *other.labels),
            without=(*self.without, *other.without),
        )


@dataclass(frozen=True)
class PreparedQuery:
    """A question, cleaned, with its vector. Made by `prepare_query`, before a scope is open where that is possible.

    vector: empty where the embedder did not answer, zeros where it says nothing to the model; the question is then
    searched by its words. cut: whether it was
    longer than is read. typed: the question as it was asked, where words of it were replaced; "" where none was. parts:
    of a long question, which are searched in its place; weight: of such a part.
    """

    text: str
    model_id: str
    vector: tuple[float, ...] = field(repr=False)
    cut: bool = False
    typed: str = ""
    parts: tuple["PreparedQuery", ...] = ()
    weight: float = 1.0

    @property
    def words(self) -> list[str]:
        """The words between blanks, and characters that are written without, each once, in order."""
        return list(dict.fromkeys(WORD.findall(self.text)))

    @property
    def quoted(self) -> list[str]:
        """What stands between quotation marks, and so must stand in a passage."""
        return list(dict.fromkeys(" ".join((a or b).split()) for a, b in QUOTED.findall(self.text)))

    @property
    def required(self) -> list[str]:
        """What is quoted, where that is most of the question; in a longer one it may be a mere name."""
        return self.quoted if 2 * sum(map(len, self.quoted)) >= len(self.text) - 2 * len(self.quoted) else []

    @property
    def phrases(self) -> list[str]:
        """What is quoted; all of the question where nothing is."""
        return self.quoted or [self.text]

    @property
    def has_meaning(self) -> bool:
        """Whether anything can be near to it."""
        return any(self.vector)

    @property
    def literal(self) -> str:
        """The vector as pgvector writes it."""
        return f"[{','.join(map(repr, self.vector))}]"


Key = tuple[int, str, str]


class VectorCache:
    """The most recently asked vectors by (workspace, model, SHA-256 of the text); the text itself is not kept.

    By workspace, or how fast an answer comes would tell that another one has asked the same (design §2.4).
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.lock = Lock()
        self.known: OrderedDict[Key, tuple[float, ...]] = OrderedDict()

    def get(self, key: Key) -> tuple[float, ...] | None:
        with self.lock:
            if key in self.known:
                self.known.move_to_end(key)
            return self.known.get(key)

    def put(self, key: Key, vector: tuple[float, ...]) -> None:
        with self.lock:
            self.known[key] = vector
            while len(self.known) > self.size:
                self.known.popitem(last=False)


CACHE = VectorCache(load_tuning().cached_queries)


def replace_text(query: PreparedQuery, text: str) -> PreparedQuery:
    """The same question in other words. Within an open scope no embedder behind a network is asked: the vector of the
    question as it was typed is near enough.
    """
    embedder = get_embedder(query.model_id) if query.vector else None
    if embedder is None or isinstance(embedder, RemoteEmbedder):
        return replace(query, text=text, typed=query.text, parts=_split_parts(text, query, None))
    vector = tuple(float(x) for x in embedder.embed_query(text))
    made = replace(query, text=text, vector=vector, typed=query.text)
    return replace(made, parts=_split_parts(text, made, lambda part: _embed_text(embedder, part)))


def prepare_query(text: str, scope: Scope, *, model: str = "") -> PreparedQuery:
    """Clean and embed a question with the model that the scope's workspace uses, or the configured one that is named.

    Best called before the scope is opened: an embedder behind a network is asked here only.
    """
    cut = len(text) > LONGEST
    text = " ".join(CONTROL.sub(" ", text[:LONGEST]).split())
    model_id = model or get_search_model(scope)
    if not text:
        return PreparedQuery("", model_id, ())

    def embed_part(asked: str) -> tuple[float, ...]:
        key = scope.workspace, model_id, sha256(asked.encode()).hexdigest()
        vector = CACHE.get(key)
        if vector is None:
            vector = _embed_text(get_embedder(model_id), asked)
            CACHE.put(key, vector)
        return vector

    try:
        whole = PreparedQuery(text, model_id, embed_part(text), cut)
        remote = isinstance(get_embedder(model_id), RemoteEmbedder)
        return replace(whole, parts=_split_parts(text, whole, None if remote else embed_part))
    except EmbeddingFailed as failure:
        logger.warning("searching by words only: %s", failure)
        whole = PreparedQuery(text, model_id, (), cut)
        return replace(whole, parts=_split_parts(text, whole, None))


def _embed_text(embedder: Embedder, text: str) -> tuple[float, ...]:
    """Raises: EmbeddingFailed."""
    return tuple(float(x) for x in embedder.embed_query(text))


def _split_parts(
    text: str, whole: PreparedQuery, embed: Callable[[str], tuple[float, ...]] | None
) -> tuple[PreparedQuery, ...]:
    """embed: None where each part has the vector of the whole. A model behind a network reads all of a question, and is
    not asked so many times.
    """
    return tuple(
        PreparedQuery(part, whole.model_id, embed(part) if embed else whole.vector, weight=weight)
        for part, weight in split_question(text)
    )

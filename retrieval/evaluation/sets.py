"""Sets of questions in the documented JSONL form (docs/evaluation.md)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

LONGEST = 2_000
"""Characters of a question, as many as a search reads."""


class BadQuestionSet(Exception):
    """A set that cannot be read; the message says where and why."""


@dataclass(frozen=True)
class AnswerPlace:
    """Where an answer stands: in a file; on one of its pages `first` to `last` (from 1), where given; in the words of
    `quote`, where given, which then decide alone.
    """

    file: str
    first: int | None = None
    last: int | None = None
    quote: str = ""

    def to_json(self) -> dict[str, Any]:
        pages: dict[str, Any] = {} if self.first is None else {"page": self.first}
        if self.last is not None and self.last != self.first:
            pages["to"] = self.last
        return {"file": self.file, **pages, **({"quote": self.quote} if self.quote else {})}


@dataclass(frozen=True)
class SetQuestion:
    """places: all that answer it; none where it is not answerable. files: the only ones to look in, where given.
    labels: clearances that reading the question needs, by name; None where nobody said.
    """

    id: str
    text: str
    places: tuple[AnswerPlace, ...] = ()
    answerable: bool = True
    files: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {"id": self.id, "question": self.text}
        if not self.answerable:
            line["answerable"] = False
        if self.places:
            line["places"] = [place.to_json() for place in self.places]
        if self.files:
            line["within"] = {"files": list(self.files)}
        if self.labels is not None:
            line["labels"] = list(self.labels)
        return line


@dataclass(frozen=True)
class SetDocument:
    """name: as questions call it, and as the file is called in the workspace."""

    name: str
    path: Path


@dataclass(frozen=True)
class QuestionSet:
    """documents: what it brings along; none where its questions are about what a workspace has. whole: whether these
    are all of its questions.
    """

    name: str
    questions: tuple[SetQuestion, ...]
    documents: tuple[SetDocument, ...] = field(default=(), repr=False)
    whole: bool = True

    def answerable(self) -> "QuestionSet":
        """Without the questions that have no answer."""
        questions = tuple(question for question in self.questions if question.answerable)
        return replace(self, questions=questions, whole=len(questions) == len(self.questions))

    def sample(self, count: int) -> "QuestionSet":
        """`count` of its questions, the same ones every time, whatever their order and however the set grows."""
        keys = [question.id for question in self.questions]
        taken = set(sorted(keys, key=lambda key: sha256(key.encode()).digest())[:count])
        questions = tuple(question for question in self.questions if question.id in taken)
        return replace(self, questions=questions, whole=self.whole and len(questions) == len(self.questions))

    @property
    def digest(self) -> str:
        """SHA-256 of the questions in the documented form: runs are compared only where it is the same."""
        lines = (json.dumps(question.to_json(), sort_keys=True) for question in self.questions)
        return sha256("\n".join(lines).encode()).hexdigest()


def read_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """(number of the line, object). Raises: BadSet."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadQuestionSet(f"{path}: {error}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadQuestionSet(f"{path}, line {number}: {error.msg}") from None
        if not isinstance(given, dict):
            raise BadQuestionSet(f"{path}, line {number}: an object is expected")
        yield number, given


def read_form(path: Path, documents: Mapping[str, Path] | None = None) -> list[SetQuestion]:
    """The questions of a file in the documented form. documents: by name, for places given by characters.
    Raises: BadSet.
    """
    found = []
    for number, given in read_lines(path):
        try:
            found.append(read_question(given, documents or {}))
        except BadQuestionSet as problem:
            raise BadQuestionSet(f"{path}, line {number}: {problem}") from None
    check_questions(path, found)
    return found


def check_questions(path: Path, questions: Sequence[SetQuestion]) -> None:
    """Raises: BadSet for a set without questions, or two of one id."""
    if not questions:
        raise BadQuestionSet(f"{path} has no questions")
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise BadQuestionSet(f"{path}: two questions have the id {question.id!r}")
        seen.add(question.id)


KEYS = {"id", "question", "answerable", "places", "within", "labels", "answer", "note"}
PLACE_KEYS = {"file", "page", "to", "start", "end", "quote"}


def read_question(given: Mapping[str, Any], documents: Mapping[str, Path]) -> SetQuestion:
    """Raises: BadSet for what the form does not know, rather than measuring something else than was meant."""
    if unknown := set(given) - KEYS:
        raise BadQuestionSet(f"unknown: {', '.join(sorted(unknown))}")
    text, answerable, labels = given.get("question"), given.get("answerable", True), given.get("labels")
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        raise BadQuestionSet(f'"question" is a text of up to {LONGEST} characters')
    if not isinstance(given.get("id"), str) or not 0 < len(given["id"]) <= 200:
        raise BadQuestionSet('"id" is a text of up to 200 characters')
    if not isinstance(answerable, bool):
        raise BadQuestionSet('"answerable" is true or false')
    if labels is not None and not _is_texts(labels):
        raise BadQuestionSet('"labels" is a list of names of classifications')
    places = given.get("places", [])
    if not isinstance(places, list):
        raise BadQuestionSet('"places" is a list')
    within = given.get("within", {})
    if not isinstance(within, dict) or set(within) - {"files"} or not _is_texts(within.get("files", [])):
        raise BadQuestionSet('"within" is {"files": [names]}')
    if bool(places) != answerable:
        raise BadQuestionSet("an answerable question has places, and one that is not has none")
    return SetQuestion(
        given["id"],
        text,
        tuple(dict.fromkeys(read_place(place, documents) for place in places)),
        answerable,
        tuple(within.get("files", [])),
        None if labels is None else tuple(labels),
    )


def read_place(given: Any, documents: Mapping[str, Path]) -> AnswerPlace:
    """Raises: BadSet."""
    if not isinstance(given, dict) or not isinstance(given.get("file"), str) or set(given) - PLACE_KEYS:
        raise BadQuestionSet(f"a place is a file, and of {', '.join(sorted(PLACE_KEYS - {'file'}))} what it needs")
    first, quote = given.get("page"), given.get("quote", "")
    last = given.get("to", first)
    if first is not None and not (_is_count(first) and _is_count(last) and 1 <= first <= last):
        raise BadQuestionSet('"page" and "to" are pages from 1, in this order')
    if not isinstance(quote, str):
        raise BadQuestionSet('"quote" is a text')
    if "start" in given or "end" in given:
        quote = _read_characters(given, documents)
    return AnswerPlace(given["file"], first, last, quote)


def _read_characters(given: Mapping[str, Any], documents: Mapping[str, Path]) -> str:
    start, end, path = given.get("start"), given.get("end"), documents.get(given["file"])
    if not (_is_count(start) and _is_count(end) and start < end):
        raise BadQuestionSet('"start" and "end" are characters of the file, in this order')
    if path is None:
        raise BadQuestionSet(f"{given['file']!r} does not come with the set; give the words as a quote")
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise BadQuestionSet(f"{given['file']!r} is not a text in UTF-8; give the words as a quote") from None
    if not text[start:end].strip():
        raise BadQuestionSet(f"{given['file']!r} has nothing at characters {start} to {end}")
    return text[start:end]


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)

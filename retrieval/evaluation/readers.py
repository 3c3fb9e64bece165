"""What a path holds, as a set of questions: the documented form, and three public collections in forms of their own.

A folder is recognised by the files in it. Nothing is copied: documents are read where they are.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path

from retrieval.evaluation.sets import (
    AnswerPlace,
    BadQuestionSet,
    QuestionSet,
    SetDocument,
    SetQuestion,
    check_questions,
    read_form,
    read_lines,
)

PUBLIC: tuple[str, ...] = ()
"""Labels of questions that anybody may read, as those of published collections."""
WINDOW = 300
"""Words among which an answer is looked for."""


def read_set(path: Path) -> QuestionSet:
    """The set at a path: a JSONL file, or a folder with `questions.jsonl` and `documents/`, or one of the collections
    below. Raises: BadSet.
    """
    if path.is_file():
        return QuestionSet(path.stem, tuple(read_form(path)))
    for name, read in COLLECTIONS.items():
        if all((path / part).exists() for part in name.split()):
            found = read(path)
            check_questions(path, found.questions)
            return found
    raise BadQuestionSet(f"{path} is no question set: a JSONL file, or a folder with questions.jsonl, is expected")


def read_form_set(folder: Path) -> QuestionSet:
    """questions.jsonl in the documented form, and its documents."""
    documents = tuple(read_files(folder / "documents"))
    questions = read_form(folder / "questions.jsonl", {document.name: document.path for document in documents})
    return QuestionSet(folder.name, tuple(questions), documents)


def read_page_set(folder: Path) -> QuestionSet:
    """`citations`: [{file, page}] and `pdf/`. A citation is of its page or the next one: in the collection that this
    reads, answers were cited by the page on which their passage began.
    """
    questions = []
    for _, given in read_lines(folder / "questions.jsonl"):
        places = (AnswerPlace(c["file"], c["page"], c["page"] + 1) for c in given["citations"])
        answerable = bool(given["answerable"] and given["citations"])
        questions.append(
            SetQuestion(
                given["id"],
                given["question"],
                tuple(dict.fromkeys(places)) if answerable else (),
                answerable,
                labels=PUBLIC,
            )
        )
    return QuestionSet(folder.name, tuple(questions), tuple(read_files(folder / "pdf")))


def read_clause_set(folder: Path) -> QuestionSet:
    """CUAD: questions about one contract each, with the words of the clauses that answer them."""
    names = {given["doc"]: Path(given["pdf"]).name for _, given in read_lines(folder / "documents.jsonl")}
    questions = []
    for _, given in read_lines(folder / "questions.jsonl"):
        name = names[given["doc"]]
        places = (AnswerPlace(name, *find_page_range(e["pdf_pages"]), e["text"]) for e in given["evidence"])
        found = tuple(dict.fromkeys(places)) if given["answerable"] else ()
        questions.append(SetQuestion(given["id"], given["question"], found, bool(found), (name,), PUBLIC))
    return QuestionSet(folder.name, tuple(questions), tuple(read_files(folder / "pdf")))


def find_page_range(pages: Sequence[int] | None) -> tuple[int | None, int | None]:
    """First and last page, where they are known."""
    return (min(pages), max(pages)) if pages else (None, None)


def read_handbook_set(folder: Path) -> QuestionSet:
    """Questions with written answers and no page. Its places are the pages that hold most of the answer
    (`find_nearest_texts`).
    """
    documents = tuple(read_files(folder / "docs"))
    texts = {document.name: document.path.read_text(encoding="utf-8") for document in documents}
    given = [line for _, line in read_lines(folder / "questions_kite.jsonl")]
    answers = find_nearest_texts([line["answer"] for line in given], texts)
    questions = tuple(
        SetQuestion(line["id"], line["question"], tuple(map(AnswerPlace, names)), labels=PUBLIC)
        for line, names in zip(given, answers, strict=True)
    )
    return QuestionSet(folder.name, questions, documents)


def find_nearest_texts(answers: Sequence[str], texts: Mapping[str, str], share: float = 0.9) -> list[list[str]]:
    """For each answer the names of the texts one place of which (`WINDOW` words in a row) holds most of its words, rare
    words counting more (idf), and of those that hold `share` as much. Independent of the question, and so of how it is
    searched for.
    """
    read = {name: split_words(text) for name, text in texts.items()}
    frequency = Counter(word for words in read.values() for word in set(words))
    result = []
    for answer in answers:
        weights = {word: log(1 + len(texts) / (1 + frequency[word])) for word in set(split_words(answer))}
        held = {name: max(_weigh_windows(words, weights)) for name, words in read.items()}
        best = max(held.values())
        result.append(sorted((name for name in held if held[name] >= share * best), key=lambda name: -held[name]))
    return result


def _weigh_windows(words: Sequence[str], weights: Mapping[str, float]) -> Iterator[float]:
    """The weight of the words that each window holds."""
    for start in range(0, max(1, len(words)), WINDOW // 2):
        yield sum(weights.get(word, 0.0) for word in set(words[start : start + WINDOW]))


def split_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def read_files(folder: Path) -> Iterator[SetDocument]:
    """All files below a folder, by their path in it; a slash is no part of a file's name here."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_file() and not path.name.startswith("."):
            yield SetDocument(build_name(path.relative_to(folder)), path)


def build_name(path: Path) -> str:
    return " › ".join(path.parts)


COLLECTIONS: Mapping[str, Callable[[Path], QuestionSet]] = {
    "questions.jsonl documents.jsonl pdf": read_clause_set,
    "questions_kite.jsonl docs": read_handbook_set,
    "questions.jsonl pdf": read_page_set,
    "questions.jsonl": read_form_set,
}
"""Files that a folder must have -> what reads it; the first that fits."""


def format_as_lines(questions: Sequence[SetQuestion]) -> str:
    """The documented form."""
    return "".join(f"{json.dumps(question.to_json(), ensure_ascii=False)}\n" for question in questions)

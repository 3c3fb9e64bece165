"""Train the reader of the quoting engine, and judge it, by the sets beside this file.

    python -m tests.answers.train_reader http://127.0.0.1:8000 --judge housing community_centre [--train SET …]

A demo workspace runs at the address: each set's papers are sent to a record of their own, and what its search finds for
each question is what the reader reads. --train writes `llm/quoting/reader.npz`. Without it the reader is only judged.
"""

import argparse
import json
import re
import time
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ingestion.embedders.e5 import E5
from llm.quoting.answering import find_answer
from llm.quoting.chatting import search_input
from llm.quoting.features import describe_pieces
from llm.quoting.judging import judge_pieces
from llm.quoting.meaning import Encoder
from llm.quoting.opposites import is_opposed
from llm.quoting.reader import WEIGHTS, Reader, ReadPiece, describe_found
from llm.quoting.reading import PromptPassage
from text.networks import Ensemble, Floats, fit_ensemble
from text.pieces import split_items

SETS = Path(__file__).with_name("sets")
MISSING = ("near", "absent")
KINDS = {"md": "text/markdown", "txt": "text/plain", "csv": "text/csv", "eml": "message/rfc822"}
FOUND = 8
"""Passages of each search."""
MIN_SPREAD = 1e-3
NARROWED = 4
"""Times that each question is taught with few of its passages. Without it the reader doubts where little was found."""
SMALL = (1, 2, 3, 4, 6)
SHARE_ANSWERING, SHARE_FAR, FARTHEST_RANK = 0.8, 0.7, 30


@dataclass
class Question:
    style: str
    text: str = ""
    answers: list[str] = field(default_factory=list)
    value: str = ""


@dataclass
class Case:
    """A question with the pieces that were found for it. truth: whether each answers."""

    question: Question
    found: list[ReadPiece]
    features: Floats
    truth: list[bool]


def read_set(path: Path) -> tuple[dict[str, str], list[Question]]:
    """Papers by name, and the questions."""
    papers: dict[str, list[str]] = {}
    questions: list[Question] = []
    lines: list[str] | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if opened := re.match(r"%%% file: (.+)", line):
            lines = papers.setdefault(opened[1].strip(), [])
        elif opened := re.match(r"%%% question: (\w+)", line):
            lines = None
            questions.append(Question(opened[1]))
        elif lines is not None:
            lines.append(line)
        elif told := re.match(r"([QAV]): ?(.*)", line):
            if told[1] == "Q":
                questions[-1].text = told[2]
            elif told[1] == "V":
                questions[-1].value = told[2]
            else:
                questions[-1].answers.append(told[2])
    return {name: "\n".join(of) for name, of in papers.items()}, questions


class Server:
    def __init__(self, base: str) -> None:
        self.base, self.token = f"{base.rstrip('/')}/api/", ""
        self.token = self.call("token/", {"username": "admin", "password": "demo", "workspace": "demo"})["token"]

    def call(self, path, body=None, form=None):
        data, kind = form or (json.dumps(body).encode() if body else None, "application/json")
        request = urllib.request.Request(f"{self.base}{path}", data=data, headers={"Content-Type": kind})
        if self.token:
            request.add_header("Authorization", f"Token {self.token}")
        with urllib.request.urlopen(request, timeout=120) as reply:
            return json.load(reply)

    def upload(self, name: str, papers: dict[str, str]) -> str:
        """The record that has the papers, ready to be searched."""
        record = self.call("entities/contract/", {"name": name, "counterparty": name, "status": "draft"})["id"]
        files = []
        for paper, text in papers.items():
            edge = uuid.uuid4().hex
            kind = KINDS[paper.rsplit(".", 1)[1]]
            head = (
                f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{paper}"\r\nContent-Type: {kind}'
            )
            form = f"{head}\r\n\r\n{text}\r\n--{edge}--\r\n".encode(), f"multipart/form-data; boundary={edge}"
            files.append(self.call(f"entities/{record}/files/", form=form)["id"])
        while any(self.call(f"files/{file}/")["state"] not in ("ready", "failed", "quarantined") for file in files):
            time.sleep(2)
        return record

    def search(self, record: str, question: str) -> list[PromptPassage]:
        asked = search_input({"messages": [{"role": "user", "content": question}]})["query"]
        address = urllib.parse.urlencode({"q": asked, "entity": record, "page_size": FOUND})
        found = []
        for n, one in enumerate(self.call(f"search/?{address}")["results"][:FOUND], start=1):
            section = (one["section"] or "").replace(" > ", " › ")
            title = f"{one['file']['name'] if one['file'] else ''} ({one['entity']['name']})"
            found.append(PromptPassage(n, f"{title}, {section}" if section else title, split_items(one["text"])))
        return found


def collect_cases(server: Server, encoder: Encoder, name: str) -> list[Case]:
    papers, questions = read_set(SETS / f"{name}.txt")
    record = server.upload(name, papers)
    cases = []
    for question in questions:
        passages = server.search(record, question.text)
        quotes = find_answer(question.text, passages).quotes
        found, features = describe_found(encoder, question.text, passages, quotes)
        truth = [is_answer(piece.piece.written, question) or is_answer(piece.piece.text, question) for piece in found]
        cases.append(Case(question, found, features, truth))
    return cases


def is_answer(text: str, question: Question) -> bool:
    """Whether a piece has a line that answers, or is the part of one with its value. A count is in no line."""
    piece, value = fold(text), fold(question.value)
    if question.style == "count" or not piece:
        return False
    lines = [fold(answer) for answer in question.answers]
    is_part = bool(value) and value in piece
    return any(line in piece or piece in line and (is_part or 2 * len(piece) > len(line)) for line in lines)


def fold(text: str) -> str:
    return re.sub(r"[\s|*_`#>:·-]+", " ", text).strip().lower()


def narrow_case(case: Case, chance: np.random.Generator) -> Case | None:
    """The case as a search of few papers has it: a few of the passages, mostly with one that answers."""
    order = list(dict.fromkeys(one.piece.passage.n for one in case.found))
    answering = [one.piece.passage.n for one, truth in zip(case.found, case.truth, strict=True) if truth]
    kept = {int(chance.choice(answering))} if answering and chance.random() < SHARE_ANSWERING else set()
    ranks = {
        n: at + (chance.random() * FARTHEST_RANK if chance.random() < SHARE_FAR else 0) for at, n in enumerate(order)
    }
    others = sorted((n for n in order if n not in kept), key=lambda n: ranks[n])
    kept.update(others[: max(0, int(chance.choice(SMALL)) - len(kept))])
    places = [at for at, one in enumerate(case.found) if one.piece.passage.n in kept]
    if not places:
        return None
    found = [case.found[at] for at in places]
    pieces, marks = [one.piece for one in found], [one.is_quoted for one in found]
    near = case.features[places]
    features = describe_pieces(case.question.text, pieces, near[:, :2] / 4, near[:, 8] / 4, marks)
    return Case(case.question, found, features, [case.truth[at] for at in places])


def train(cases: Sequence[Case]) -> Reader:
    chance = np.random.default_rng(1)
    narrowed = [narrow_case(case, chance) for _ in range(NARROWED) for case in cases if len(case.found)]
    taught = [c for c in (*cases, *narrowed) if c is not None and len(c.found) and c.question.style != "count"]
    features = np.concatenate([case.features for case in taught])
    truth = np.concatenate([case.truth for case in taught]).astype(np.float32)
    untaught = Reader(Ensemble(()), features.mean(0), features.std(0) + MIN_SPREAD)
    scaled = untaught.scale(features)
    return replace(
        untaught, networks=fit_ensemble(scaled, truth[:, None], units=24, epochs=14, decay=2e-3, seeds=range(6))
    )


def judge(reader: Reader, cases: Sequence[Case]) -> str:
    """Shares of right and wrong quotes where the papers answer, and of quotes where they do not."""
    count: Counter[str] = Counter()
    for case in cases:
        chances = reader.compute_probabilities(case.features) if len(case.found) else []
        read = [replace(one, probability=float(chance)) for one, chance in zip(case.found, chances, strict=True)]
        chosen = judge_pieces([o for o in read if o.is_quoted or not is_opposed(case.question.text, o.piece.text)])
        right = any(truth for one, truth in zip(read, case.truth, strict=True) if one in chosen)
        asked = "missing" if case.question.style in MISSING else "there"
        count.update({asked: 1, f"{asked} quoted": bool(chosen), f"{asked} right": right})
    right, quoted = count["there right"] / count["there"], count["there quoted"] / count["there"]
    absent = count["missing quoted"] / count["missing"]
    return f"right {right:.3f}, wrong {quoted - right:.3f}, quoted though absent {absent:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address")
    parser.add_argument("--train", nargs="*", default=[])
    parser.add_argument("--judge", nargs="*", default=[])
    asked = parser.parse_args()
    encoder = E5(Path("var"))
    server = Server(asked.address)
    if asked.train:
        reader = train([case for name in asked.train for case in collect_cases(server, encoder, name)])
        reader.save(WEIGHTS)
    else:
        reader = Reader.load(WEIGHTS)
    for name in asked.judge:
        print(name, judge(reader, collect_cases(server, encoder, name)))


if __name__ == "__main__":
    main()

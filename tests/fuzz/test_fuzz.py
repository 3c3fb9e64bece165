"""The corpus through the real pipeline: over HTTP into the storage, through the worker's code, to readers (`make
fuzz`).

Every file ends ready or quarantined with a sentence, within the limits, without a call to the outside and without an
answer of 500; and the good file after it is read.
"""

import itertools
import logging
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from entities.models.classification import PII
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.sandbox.limits import CODES
from tests.conftest import Person
from tests.fuzz import figures
from tests.fuzz.corpus import corpus
from tests.fuzz.recipe import Kit, Recipe
from tests.fuzz.seeds import SEEDS
from tests.fuzz.size import FACTOR, SEED
from tests.fuzz.watch import MIB, Watch

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.fuzz,
    pytest.mark.timeout(600 if FACTOR == 0 else 7200),
]

SECONDS, MEMORY = 30.0, 512 * MIB
# The limited process is ended at its own 30 s: until it is dead and the next one says something, a moment passes.
MARGIN = 5.0
SHARES = 1 if FACTOR == 0 else 16
GOOD_AFTER = 2 if FACTOR == 0 else 1
DECIDED_AFTER = 3 if FACTOR == 0 else 1
MAIN_VIEWS = (["reader/", "download/"], [""])
REFUSED = {400, 413, 422}


class Fuzzer:
    """One person who sends files to one record and looks at what became of them, one who may read little, and a steward
    who decides of a paragraph of each. In the sample one of the two looks at the main views only, in turn, and the
    steward decides of every third."""

    def __init__(self, alice: Person, viewer: Person, steward: Person, contract: Contract, watch: Watch) -> None:
        self.alice, self.viewer, self.steward = alice, viewer, steward
        self.contract, self.watch = contract, watch
        self.kinds = itertools.cycle(SEEDS)
        self.tried = self.good = 0
        self.last = ""
        for who in (alice, viewer, steward):
            who.client.raise_request_exception = False
            who.api.raise_request_exception = False

    def try_recipe(self, recipe: Recipe) -> list[str]:
        """What is wrong; nothing, as it should be."""
        content = recipe.bytes(SEED, self.watch.canary.url, FACTOR)
        found: list[str] = []
        with self.watch.file() as seen:
            answer = self.send(recipe.name, content)
            if answer.status_code == 202:
                process_all_waiting(self.alice.scope.workspace)
        found += seen.problems(SECONDS + MARGIN, MEMORY)
        if answer.status_code == 202:
            self.last = answer.json()["id"]
            found += self.look_at(self.last, recipe)
        elif answer.status_code not in REFUSED or not answer.json()["error"]["detail"]:
            found.append(f"the upload was answered {answer.status_code}")
        end = self.end_of(self.last) if answer.status_code == 202 else f"refused {answer.status_code}"
        figures.note(
            name=recipe.name, why=recipe.why, end=end, found=found,
            silence=seen.silence, child=seen.child, grown=seen.grown,
        )  # fmt: skip
        self.tried += 1
        return found + (self.try_good() if self.tried % GOOD_AFTER == 0 else [])

    def send(self, name: str, content: bytes) -> HttpResponse:
        body = {"file": SimpleUploadedFile("x", content)}
        # Django's own upload cleans names before they are sent; a hostile client does not.
        body["file"]._name = name.encode("utf-8", "replace").decode()
        sent = encode_multipart(BOUNDARY, body)
        if not name.isascii():  # as bytes, for half a pair of surrogates is no text that Django would send
            sent = sent.replace(body["file"].name.encode(), name.encode("utf-8", "surrogatepass"), 1)
        path = f"/api/entities/{self.contract.pk}/files/"
        answer: HttpResponse = self.alice.api.post(path, sent, content_type=MULTIPART_CONTENT)
        return answer

    def end_of(self, file: str) -> str:
        shown = self.alice.api.get(f"/api/files/{file}/").json()
        return f"{shown['state']} {(shown['error'] or {}).get('code', '')}".strip()

    def look_at(self, file: str, recipe: Recipe) -> list[str]:
        found = []
        shown = self.alice.api.get(f"/api/files/{file}/").json()
        error = shown["error"] or {}
        if shown["state"] not in ("ready", "quarantined"):
            found.append(f"it ended as {shown['state']}: {error}")
        if shown["state"] == "quarantined" and not (error["code"] in CODES and error["detail"].endswith(".")):
            found.append(f"no reason for people: {error}")
        if recipe.ready and shown["state"] != "ready":
            found.append(f"a whole file was not read: {error}")
        both = (self.alice, self.viewer)
        for who in both:
            main_only = FACTOR == 0 and who is both[self.tried % 2]
            for address in addresses(who, file, MAIN_VIEWS if main_only else None):
                status = self.visit(who, address)
                if status >= 500:
                    found.append(f"{status} at {address}")
        return found + (self.decide(file, shown["state"]) if self.tried % DECIDED_AFTER == 0 else [])

    def decide(self, file: str, state: str) -> list[str]:
        """What a steward does: looks at what waits, and at a paragraph on its page, and labels that."""
        base, api = f"{self.steward.base}desk/", self.steward.api
        places = [f"/api/desk/?file={file}", f"{base}?file={file}"]
        rows = api.get(f"/api/files/{file}/paragraphs/").json().get("results", [])
        row = next((row for row in rows if row["page"]), rows[0]) if rows else None
        if row:
            places += [f"{base}paragraphs/{row['id']}/", f"{base}paragraphs/{row['id']}/page/"]
        found = [f"{status} at {place}" for place in places if (status := self.visit(self.steward, place)) != 200]
        if row:
            body = {"labels": [PII], "reason": "Looked at."}
            status = api.patch(f"/api/paragraphs/{row['id']}/", body, format="json").status_code
            process_all_waiting(self.alice.scope.workspace)
            if status != 200 or not self.end_of(file).startswith(state):
                found.append(f"a decision was answered {status}, and then the file is {self.end_of(file)}")
        return found

    def visit(self, who: Person, address: str) -> int:
        client: Client = who.api if address.startswith("/api/") else who.client
        answer = client.get(address)
        if answer.streaming and not answer.is_async:
            for _ in answer.streaming_content:
                pass
        answer.close()
        return int(answer.status_code)

    def try_good(self) -> list[str]:
        """A good file, another format each time, is read now."""
        self.good += 1
        kind = next(self.kinds)
        kit = Kit(random.Random(f"good {self.good}"), self.watch.canary.url, 0)
        answer = self.send(f"good {self.good}.{kind}", SEEDS[kind](kit))
        process_all_waiting(self.alice.scope.workspace)
        shown = self.alice.api.get(f"/api/files/{answer.json()['id']}/").json()
        return (
            []
            if shown["state"] == "ready"
            else [f"the good file after it, a {kind}: {shown['state']} {shown['error']}"]
        )

    def look_at_record(self) -> list[str]:
        pages = [
            f"entities/{self.contract.pk}/",
            f"entities/{self.contract.pk}/files/",
            "files/jobs/",
            "search/?q=quay",
        ]
        api = [
            f"/api/entities/{self.contract.pk}/files/",
            f"/api/entities/contract/{self.contract.pk}/",
            "/api/search/?q=quay",
        ]
        asked = [
            (who, address) for who in (self.alice, self.viewer) for address in [*(who.base + p for p in pages), *api]
        ]
        steward = [f"{self.steward.base}desk/", f"{self.steward.base}quarantine/", "/api/desk/", "/api/quarantine/"]
        asked += [(self.steward, address) for address in steward]
        return [f"{status} at {address}" for who, address in asked if (status := self.visit(who, address)) != 200]


def addresses(who: Person, file: str, main_views: tuple[list[str], list[str]] | None = None) -> list[str]:
    both = ("", "download/", "links/", "versions/", "versions/1/download/")
    api, pages = main_views or ([*both, "reader/", "paragraphs/", "backlinks/"], [*both, "row/"])
    return [*(f"/api/files/{file}/{view}" for view in api), *(f"{who.base}files/{file}/{view}" for view in pages)]


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    made = Watch(monkeypatch)
    yield made
    made.close()


@pytest.fixture
def fuzzer(alice: Person, viewer: Person, steward: Person, contract: Contract, watch: Watch) -> Fuzzer:
    return Fuzzer(alice, viewer, steward, contract, watch)


@pytest.mark.parametrize("share", range(SHARES))
def test_whatever_is_uploaded_ends_with_a_reason_and_harms_nothing(fuzzer: Fuzzer, share: int, tmp_path: Path) -> None:
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # what is refused is said by the answers
    assert not fuzzer.try_good()  # models are loaded, so what follows is a file's own
    wrong = []
    for recipe in corpus(FACTOR, SEED)[share::SHARES]:
        if found := fuzzer.try_recipe(recipe):
            kept = tmp_path / f"{len(wrong)}.bin"
            kept.write_bytes(recipe.bytes(SEED, fuzzer.watch.canary.url, FACTOR))
            wrong.append(f"{recipe.name[:60]!r} ({recipe.why}, kept as {kept}): {'; '.join(found)}")
    assert not wrong, "\n".join([f"{len(wrong)} files went wrong", *wrong])
    assert fuzzer.good >= len(SEEDS), "a format was never the good file after a hostile one (GOOD_AFTER)"
    assert not fuzzer.look_at_record()

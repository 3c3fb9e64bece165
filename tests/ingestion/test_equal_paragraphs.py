"""Paragraphs with equal text: what a steward decided of one is not about another, whatever comes, goes or moves."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.access import Scope
from entities.models.classification import PII
from entities.types import Contract
from ingestion.continuity import match_unchanged
from ingestion.inline import process_all_waiting
from ingestion.models import Paragraph
from ingestion.paragraph_identity import choose_identities
from tests.conftest import Person
from tests.ingestion.desk_decisions import waiting
from tests.ingestion.helpers import ready, texts, upload

T, P, G = "Of the north berth.", "Of the south berth.", "The gate is green."
X, HIDDEN = "EUR 84,000.", "[Financial]"
BLUE, MORE = "The gate is blue.", "Of the east berth."


def come(alice: Person, contract: Contract, lines: Sequence[str]) -> str:
    return ready(alice, contract, "a.txt", "\n\n".join(lines).encode())


def decide(alice: Person, service: Scope, file: str, text: str, labels: list[int], place: int = 0) -> None:
    with service.open():
        pk = Paragraph.objects.filter(file=file, text=text).order_by("position")[place].pk
    answer = alice.api.patch(f"/api/paragraphs/{pk}/", {"labels": labels, "reason": "so"}, format="json")
    assert answer.status_code == 200
    process_all_waiting(service.workspace)


# What came of it → (its next versions, what a viewer is shown of the last)
AFTERWARDS: dict[str, tuple[list[list[str]], list[str]]] = {
    "edited beside it": ([[T, X, P, X, BLUE]], [T, X, P, HIDDEN, BLUE]),
    "edited before and after it": ([[MORE, T, X, BLUE, P, X]], [MORE, T, X, BLUE, P, HIDDEN]),
    "the other one gone": ([[T, X, P, G]], [T, X, P, G]),
    "gone itself": ([[T, P, X, G]], [T, P, HIDDEN, G]),
    "one of them gone": ([[T, X, G]], [T, HIDDEN, G]),
    "changed places": ([[P, X, T, X, G]], [P, HIDDEN, T, HIDDEN, G]),
    "another one beside it": ([[T, X, MORE, X, P, X, G]], [T, HIDDEN, MORE, HIDDEN, P, HIDDEN, G]),
    "another one elsewhere": ([[MORE, X, T, X, P, X, G]], [MORE, HIDDEN, T, X, P, HIDDEN, G]),
    "gone and back": ([[T, P, X, G], [T, X, P, X, G]], [T, HIDDEN, P, HIDDEN, G]),
    "both gone and back": ([[T, P, G], [T, X, P, X, G]], [T, HIDDEN, P, HIDDEN, G]),
}


@pytest.mark.django_db(transaction=True)
def test_one_of_two_was_decided_public_and_only_that_one_is(
    subtests: pytest.Subtests, alice: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    def send(case: str, lines: Sequence[str]) -> str:
        pk: str = upload(alice, contract, f"{case}.txt", "\n\n".join(lines).encode()).json()["id"]
        return pk

    files = {case: send(case, [T, X, P, X, G]) for case in AFTERWARDS}
    process_all_waiting(service.workspace)
    for file in files.values():
        decide(alice, service, file, X, [])
        assert texts(viewer, file) == [T, X, P, HIDDEN, G]
    for number in range(2):
        for case, (versions, _) in AFTERWARDS.items():
            if number < len(versions):
                assert send(case, versions[number]) == files[case]
        process_all_waiting(service.workspace)
    for case, (_, shown) in AFTERWARDS.items():
        with subtests.test(case=case):
            assert texts(viewer, files[case]) == shown


@pytest.mark.django_db(transaction=True)
def test_one_of_two_that_was_raised_stays_so_when_another_comes_before_it(
    alice: Person, steward: Person, viewer: Person, contract: Contract, service: Scope
) -> None:
    present, dismissed, name = "They came on Monday.", "They go in the spring.", "Tomasz Wrona"
    file = come(alice, contract, [present, "Jonas Feld", dismissed, name])
    decide(alice, service, file, name, [PII])
    come(alice, contract, [present, "Jonas Feld", name, dismissed, name])
    assert texts(viewer, file) == [present, "Jonas Feld", "[PII]", dismissed, "[PII]"]
    (item,) = waiting(steward, cause="decrease")
    assert (item["text"], item["causes"]) == (name, ["decrease"]), "of the new one nobody has decided"
    accepted = {"paragraphs": [{"id": item["id"], "seen": item["seen"]}]}
    assert steward.api.post("/api/desk/accept/", accepted, format="json").json()["accepted"] == [item["id"]]
    assert texts(viewer, file) == [present, "Jonas Feld", name, dismissed, "[PII]"]
    # As many as before, and then one fewer: each stays what it was.
    come(alice, contract, [present, name, dismissed, name])
    assert texts(viewer, file) == [present, name, dismissed, "[PII]"]
    come(alice, contract, [present, dismissed, name])
    assert texts(viewer, file) == [present, dismissed, "[PII]"]


def paragraphs(digests: str, raised: int) -> list[Paragraph]:
    """raised: bits of those that have a label."""
    return [
        Paragraph(id=uuid4(), digest=digest, data_classification=5 * (raised >> place & 1), votes=[])
        for place, digest in enumerate(digests)
    ]


SOME = st.text("abcx", max_size=8)


@given(SOME, SOME, st.integers(0, 255))
def test_each_is_one_of_before_with_the_same_text_and_none_is_two(old: str, new: str, raised: int) -> None:
    before = paragraphs(old, raised)
    same = match_unchanged(before, new)
    assert all(new[number] == paragraph.digest for number, paragraph in same.items())
    kept = {number: paragraph.pk for number, paragraph in same.items()}
    assert len(set(kept.values())) == len(kept)
    ids = choose_identities(UUID(int=1), new, kept)
    assert len(set(ids)) == len(new)
    assert [ids[number] for number in kept] == list(kept.values())
    for digest in set(old) & set(new):
        uniform = len({p.data_classification for p in before if p.digest == digest}) == 1
        if uniform and new.count(digest) <= old.count(digest):
            assert all(number in same for number, other in enumerate(new) if other == digest)
    assert match_unchanged(before, old) == dict(enumerate(before)), "what has not changed is all as before"

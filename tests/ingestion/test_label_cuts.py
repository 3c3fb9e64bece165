"""One amount does not hide a page of mail: a long paragraph is cut where what the rules find begins and ends."""

import pytest

from entities.models.classification import CONFIDENTIAL
from entities.types import Contract
from ingestion import pipeline
from ingestion.documents import Attachment, Extraction, Link, ParagraphText
from ingestion.label_cuts import cut_by_labels
from tests.conftest import Person
from tests.ingestion.helpers import ready, texts

BEFORE = (
    "Thank you for the good talk on Tuesday. We walked through the three halls with your caretaker and looked at every "
    "window that faces the yard. Most of the frames are sound, and the hinges were oiled only last spring by your men. "
    "In the middle hall the light is poor, so that we would like to come back on a bright morning and count once more. "
    "The caretaker told us where the keys hang, and that the dog is friendly as long as nobody runs across the yard."
)
AMOUNT = (
    "Two panes in the long wall are broken, one of them since the storm, and both let in the rain when it blows from "
    "the west, which it does for most of the winter, for half of the spring, and now and then in the heat of summer. "
    "For the two broken panes we would charge EUR 12,400 net. "
    "The price holds until the end of the month and covers the putty, the glass and the way, but not the paint of the "
    "frames, which your own people wanted to see to once the weather has settled a little and the ladders are back."
)
AFTER = (
    "The scaffold can stand on the lawn if the gardener agrees, and the lift remains free for deliveries all day. "
    "We would begin on the north side, where the morning shade helps the putty to set, and be gone before the fair. "
    "What we take down we carry away the same evening, and we sweep the paths before the children come past at eight. "
    "If it rains, we work in the cellar, where four small windows wait, and come back to the wall when it is dry again."
)
MAIL = f"{BEFORE} {AMOUNT} {AFTER}"


def extract(*rows: str, **fields: object) -> Extraction:
    paragraphs = tuple(ParagraphText(row, "text", None, (), (), "en", 0, len(row)) for row in rows)
    return Extraction("text/plain", None, paragraphs, (), "text", **fields)


def cut(*rows: str, **fields: object) -> list[str]:
    return [paragraph.text for paragraph in cut_by_labels(extract(*rows, **fields)).paragraphs]


@pytest.mark.django_db(transaction=True)
def test_who_needs_no_amounts_reads_the_sentences_around_one(viewer: Person, alice: Person, contract: Contract) -> None:
    file = ready(alice, contract, "mail.txt", f"Good morning\n\n{MAIL}\n\nKind regards".encode())
    assert texts(alice, file) == ["Good morning", BEFORE, AMOUNT, AFTER, "Kind regards"]
    read = texts(viewer, file)
    assert BEFORE in read
    assert AFTER in read
    assert not any("12,400" in text for text in read)


@pytest.mark.django_db(transaction=True)
def test_what_a_steward_decided_on_a_paragraph_holds_when_it_comes_back(
    staff: Person, alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = f"Before\n\n{MAIL}".encode(), b"Before"
    with monkeypatch.context() as earlier:
        earlier.setattr(pipeline, "cut_by_labels", lambda extraction, known=(): extraction)
        file = ready(alice, contract, "mail.txt", before)
    _, whole = alice.api.get(f"/api/files/{file}/paragraphs/").json()["results"]
    decision = {"labels": [CONFIDENTIAL], "reason": "a deal"}
    assert alice.api.patch(f"/api/paragraphs/{whole['id']}/", decision, format="json").status_code == 200
    for content in (before, after, before):
        assert ready(alice, contract, "mail.txt", content) == file
        assert BEFORE not in texts(staff, file)
    assert texts(alice, file) == ["Before", MAIL]


def test_what_is_cut_is_the_same_text_in_its_place() -> None:
    found = cut_by_labels(extract("Good morning", MAIL, "Kind regards"))
    assert [p.text for p in found.paragraphs] == ["Good morning", BEFORE, AMOUNT, AFTER, "Kind regards"]
    assert [found.text[p.start : p.end] for p in found.paragraphs] == [p.text for p in found.paragraphs]


def test_plain_words_between_two_amounts_stay_with_them_unless_they_are_many() -> None:
    assert cut(f"{AMOUNT} {AFTER[:220]}. {AMOUNT} {AFTER}") == [f"{AMOUNT} {AFTER[:220]}. {AMOUNT}", AFTER]
    assert cut(f"{AMOUNT} {AFTER} {AMOUNT}") == [AMOUNT, AFTER, AMOUNT]


def test_what_stands_right_around_an_amount_stays_with_it() -> None:
    named = f"Anna saw it first, {AMOUNT[:180].lower()}."
    _, found, _ = cut(f"{BEFORE} {named} {AMOUNT[AMOUNT.index('For') :]} {AFTER}")
    assert found.startswith("Anna")


def test_a_paragraph_stays_whole_where_nothing_is_found_or_it_is_short() -> None:
    assert cut(f"{BEFORE} {AFTER} {BEFORE}") == [f"{BEFORE} {AFTER} {BEFORE}"]
    assert cut(f"{AMOUNT} {AFTER}") == [f"{AMOUNT} {AFTER}"]


def test_a_link_stands_with_its_target_and_an_attachment_keeps_its_paragraph_whole() -> None:
    target = "https://example.org/plan"
    found = cut_by_labels(extract("Hello", f"{MAIL} The plan: {target}", links=(Link(1, target, AMOUNT),)))
    (link,) = found.links
    assert target in found.paragraphs[link.paragraph].text
    assert link.words == "", "words of another part are not told with it"
    named = extract(f"{MAIL} plan.pdf", "After", attachments=(Attachment(1, "plan.pdf", 0),))
    assert len(cut_by_labels(named).paragraphs) == 2
    later = cut_by_labels(extract(MAIL, "plan.pdf", attachments=(Attachment(1, "plan.pdf", 1),)))
    assert later.paragraphs[later.attachments[0].paragraph].text == "plan.pdf"

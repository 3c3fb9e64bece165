"""What the heads find: documents that look sensitive are kept whole, lines are labelled, and a steward opens them."""

import numpy as np
import pytest

from entities.access import Scope
from entities.models import WorkspaceSettings
from entities.models.classification import CONFIDENTIAL, INTERNAL, PII, PII_SENSITIVE, PUBLIC
from entities.types import Contract
from ingestion import judging
from ingestion.heads import Finding, Heads, Judgement, cut_into_windows, load_heads
from ingestion.inline import process_all_waiting
from ingestion.models import FileRevision
from ingestion.votes import Vote
from llm.rules import vote_by_rules
from tests.conftest import Person, person
from tests.ingestion.helpers import ready, texts
from text.networks import fit_ensemble

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("closed", "heads")]
DISCHARGE = """Dear Dr Okoro,

Thank you for taking over the care of Mr Lindgren, who was with us for eleven days.

He came in breathless and could not lie flat; the scan showed fluid around the heart, which we drained twice.

He tires quickly and is frightened of the nights. His wife has moved a bed into the front room.

We started water tablets and a low dose of the beta blocker, and would be glad if you checked his kidneys weekly.

He knows that the valve will not last and does not want another operation.

With kind regards, the cardiac ward
"""
NOTICE = """Dear all,

The lift in the east stairwell is serviced on Thursday between nine and noon.

Please use the west stairwell, and leave the parcels at the front desk until then.

The new printer on the second floor takes the same paper as the old one.

Coffee is back in the kitchen, thanks to everybody who helped to carry it.
"""


def read(who: Person, file: str) -> list[str]:
    return texts(who, file) if who.api.get(f"/api/files/{file}/reader/").status_code == 200 else []


def name_of(who: Person, file: str) -> str:
    return str(who.api.get(f"/api/files/{file}/").json()["name"])


@pytest.fixture
def doctor(workspace: object, contract: Contract) -> Person:
    return person(contract.workspace, "doctor", [PII_SENSITIVE, INTERNAL])


def test_a_medical_letter_is_kept_for_its_kind_with_its_name_and_a_notice_is_not(
    alice: Person, staff: Person, doctor: Person, contract: Contract, service: Scope
) -> None:
    letter = ready(alice, contract, "Lindgren.txt", DISCHARGE.encode())
    notice = ready(alice, contract, "Notice.txt", NOTICE.encode())
    with service.open():
        kinds = dict(FileRevision.objects.values_list("file", "kind"))
    assert sorted(kinds.values()) == ["", "medical"]
    assert read(staff, letter) == []
    assert name_of(staff, letter) != "Lindgren.txt"
    assert len(read(doctor, letter)) == 7
    assert name_of(doctor, letter) == "Lindgren.txt"
    assert len(read(staff, notice)) == 5
    assert name_of(staff, notice) == "Notice.txt"
    page = doctor.client.get(f"{doctor.base}files/{letter}/").content.decode()
    assert "looks like a medical letter or report" in page
    assert "A steward can open it." in page
    assert "looks like" not in staff.client.get(f"{staff.base}files/{notice}/").content.decode()


def test_who_sent_it_is_told_what_it_looks_like_and_others_are_not(
    staff: Person, workspace: object, contract: Contract
) -> None:
    sender = person(contract.workspace, "sender", [INTERNAL], ("Editor",))
    letter = ready(sender, contract, "Lindgren.txt", DISCHARGE.encode())
    assert read(sender, letter) == []
    for who, is_told in ((sender, True), (staff, False)):
        page = who.client.get(f"{who.base}entities/{contract.pk}/files/").content.decode()
        assert ("looks like a medical letter" in page) == is_told


def test_a_steward_opens_it_in_one_act(alice: Person, staff: Person, contract: Contract) -> None:
    letter = ready(alice, contract, "Lindgren.txt", DISCHARGE.encode())
    page = alice.client.get(f"{alice.base}files/{letter}/").content.decode()
    assert "Not so: open it" in page
    form = {"file": letter, "unlike": "1"}
    shown = alice.client.post(f"{alice.base}entities/{contract.pk}/files/label/", form)
    assert shown.status_code == 200
    seen = {"seen": shown.context["seen"], "reason": "an invented letter"}
    done = alice.client.post(f"{alice.base}entities/{contract.pk}/files/relabel/", form | seen)
    assert done.status_code == 302, done.content
    assert len(read(staff, letter)) == 7
    process_all_waiting(contract.workspace_id)
    assert name_of(staff, letter) == "Lindgren.txt"
    assert "looks like" not in staff.client.get(f"{staff.base}files/{letter}/").content.decode()


def test_what_stands_late_in_a_long_paragraph_is_found(alice: Person, staff: Person, contract: Contract) -> None:
    nurse = person(contract.workspace, "nurse", [PII, PII_SENSITIVE, INTERNAL])
    plain = " ".join(NOTICE.split()) * 5
    late = " ".join(" ".join(DISCHARGE.split("\n\n")[2:6]).split())
    file = ready(alice, contract, "Notice.txt", f"Dear all,\n\n{plain} {late}\n\n{plain}".encode())
    assert sum("breathless" in text for text in texts(nurse, file)) == 1
    # Which of the two the heads say turns on the last bit of a vector, which processors round differently.
    assert texts(staff, file) in [["Dear all,", hidden, plain] for hidden in ("[PII]", "[PII-Sensitive]")]


def test_who_sends_it_as_public_opens_nothing_that_the_heads_find(
    alice: Person, viewer: Person, contract: Contract
) -> None:
    assert read(viewer, ready(alice, contract, "Lindgren.txt", DISCHARGE.encode(), labels=str(PUBLIC))) == []
    assert len(read(viewer, ready(alice, contract, "Notice.txt", NOTICE.encode(), labels=str(PUBLIC)))) == 5


def test_a_workspace_has_floors_of_its_own(
    alice: Person, doctor: Person, workspace: object, contract: Contract, service: Scope
) -> None:
    with service.open():
        WorkspaceSettings.objects.update(kind_floors={"medical": [CONFIDENTIAL]})
    letter = ready(alice, contract, "Lindgren.txt", DISCHARGE.encode())
    lawyer = person(contract.workspace, "lawyer", [PII_SENSITIVE, CONFIDENTIAL])
    assert read(doctor, letter) == []
    assert read(lawyer, letter)


@pytest.mark.parametrize(("sensitive", "single", "waiting"), [(0.45, 0.3, 1), (0.2, 0.3, 0), (0.45, 0.8, 3)])
def test_a_document_that_resembles_sensitive_ones_shows_its_likeliest_paragraph_to_a_steward(
    alice: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch, sensitive: float, single: float, waiting: int
) -> None:
    """Once: where a paragraph of it is proposed already, that one shows it."""

    def judge(heads: Heads, vectors: object, lengths: list[int], name: object) -> Judgement:
        found = tuple(Finding(single - n / 100, frozenset({PII})) for n in range(len(lengths)))
        return Judgement(sensitive, "unknown", False, False, found)

    monkeypatch.setattr(Heads, "judge", judge)
    file = ready(alice, contract, "a.txt", b"The gate is green.\n\nThe fence is new.\n\nThe roof is old.\n")
    found = alice.api.get(f"/api/desk/?file={file}").json()["results"]
    assert len(found) == waiting
    assert [item["text"] for item in found][:1] == ["The gate is green."][:waiting]


def test_another_encoder_has_no_heads() -> None:
    assert load_heads("all-MiniLM-L6-v2") is None
    assert load_heads("../multilingual-e5-small") is None
    heads = load_heads("multilingual-e5-small")
    assert heads is not None
    assert 0 < heads.propose < heads.label < 1


def test_long_documents_are_judged_in_even_runs() -> None:
    assert cut_into_windows(3) == [slice(0, 3)]
    runs = cut_into_windows(1_000)
    assert [run.start for run in runs[1:]] == [run.stop for run in runs[:-1]]
    assert {run.stop - run.start for run in runs} <= {15, 16, 17}


def test_a_network_learns_what_no_line_parts() -> None:
    chance = np.random.default_rng(7)
    points = chance.uniform(-1, 1, (600, 2)).astype(np.float32)
    wanted = (points[:, :1] * points[:, 1:] > 0).astype(np.float32)
    network = fit_ensemble(points[:400], wanted[:400], units=16, epochs=120, decay=0.0, seeds=[1])
    right = (network.compute_probabilities(points[400:]) > 0.5) == (wanted[400:] > 0.5)
    assert right.mean() > 0.9


TALK = "On Tuesday Dr Nora Whitlock speaks about diabetes and what to eat."
TALKS = f"""Evening talks in the town library

{TALK}

On Thursday Peter Schmidt shows slides of the glaciers.

Tickets for the concert cost EUR 12.
"""
ILL = "Nora Whitlock has diabetes and was in hospital again last week; do not tell the customers."


def test_what_rules_see_in_words_labels_only_what_the_head_does_not_take_for_ordinary(
    alice: Person, staff: Person, doctor: Person, contract: Contract
) -> None:
    assert vote_by_rules(TALK).atoms == vote_by_rules(ILL).atoms == {PII, PII_SENSITIVE}
    talks = ready(alice, contract, "Talks.txt", TALKS.encode())
    assert read(staff, talks)[:3] == TALKS.strip().split("\n\n")[:3]
    assert alice.api.get(f"/api/desk/?file={talks}").json()["count"] == 0
    ill = ready(alice, contract, "Talks 2.txt", TALKS.replace(TALK, ILL).encode())
    assert not any("diabetes" in text for text in read(staff, ill))


def test_without_heads_words_label_as_forms_do(
    alice: Person, staff: Person, contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "load_heads", lambda model_id: None)
    shown = read(staff, ready(alice, contract, "Talks.txt", TALKS.encode()))
    assert (shown[1], shown[3]) == ("[PII, PII-Sensitive]", "[Financial]")


def test_a_model_that_finds_what_the_head_does_not_see_is_believed() -> None:
    votes = [[Vote("rules", frozenset({PII}), prose=frozenset({PII})), Vote("model", frozenset({PII}))]]
    said = judging.HeadVotes("", ((),), frozenset({0}))
    assert [vote.labels for vote in judging.join_votes(votes, said)[0]] == [set(), {PII}]
    assert [vote.labels for vote in judging.join_votes(votes, said, is_offline=True)[0]] == [set(), set()]

"""Text whose label is not known yet is a steward's to see only as far as its floor, which is known, clears them."""

import pytest

from entities.access import Scope
from entities.actions import create_entity
from entities.models import Classification, Entity, FieldParagraph, Workspace
from entities.models.classification import FINANCIAL, SECRET
from entities.text import write_text
from entities.types import Article
from ingestion.access import load_outlines
from ingestion.downloads import is_cleared_for_all
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, Paragraph
from llm import scripted
from references.models import Reference
from tests.conftest import Person, person
from tests.ingestion.helpers import SALARY, label, labelled, ready, texts

pytestmark = pytest.mark.django_db(transaction=True)
MAY = b"We sell the whole yard to Orion in May."


@pytest.fixture
def bare(workspace: Workspace) -> Person:
    """A steward without any clearance."""
    return person(workspace, "bare", [], ("Steward",))


@pytest.fixture(autouse=True)
def _secret_is_concealed(service: Scope) -> None:
    with service.open():
        Classification.objects.filter(value=SECRET).update(conceal=True)


@pytest.fixture
def article(alice: Person, service: Scope) -> Entity:
    """Of one paragraph, which is Secret."""
    with alice.scope.open():
        made = create_entity(scope=alice.scope, model=Article, fields={"name": "Guide"}, texts={"body": MAY.decode()})
    with service.open():
        found = [{"source": "rules", "labels": [SECRET], "reason": ""}]
        FieldParagraph.objects.filter(entity=made.pk).update(data_classification=SECRET, votes=found)
    return made


def body(who: Person, article: Entity) -> str:
    return str(who.api.get(f"/api/entities/article/{article.pk}/").json()["body"])


def test_an_edit_of_a_secret_paragraph_shows_to_no_steward_without_secret(
    alice: Person, steward: Person, bare: Person, article: Entity
) -> None:
    where = f"/api/entities/article/{article.pk}/"
    assert "Orion" not in body(bare, article)
    assert (
        alice.api.patch(where, {"body": "We sell the whole yard to Orion in June."}, format="json").status_code == 200
    )
    assert "Orion in June" in body(steward, article)
    assert "Orion" not in body(bare, article)


def test_new_text_without_a_floor_shows_to_every_steward_and_to_nobody_else(
    alice: Person, bare: Person, viewer: Person, article: Entity
) -> None:
    text = f"{MAY.decode()}\n\nThe gate opens at nine."
    where = f"/api/entities/article/{article.pk}/"
    assert alice.api.patch(where, {"body": text}, format="json").status_code == 200
    assert "gate" in body(bare, article)
    assert "gate" not in body(viewer, article)
    assert "Orion" not in body(bare, article)


def test_a_steward_writes_around_what_they_do_not_see(
    alice: Person, bare: Person, article: Entity, service: Scope
) -> None:
    with alice.scope.open():
        write_text(alice.scope, article, "body", "We sell the whole yard to Orion in June.")
    with bare.scope.open():
        write_text(bare.scope, article, "body", "The gate opens at nine.")
    with service.open():
        rows = list(FieldParagraph.objects.filter(entity=article.pk).values_list("position", "floor"))
    assert sorted(floor for _, floor in rows) == [0, SECRET]
    assert len({position for position, _ in rows}) == 2


def unlabel(service: Scope, file: str) -> None:
    """As when the model left the paragraphs out."""
    with service.open():
        ContextRow.objects.filter(file=file).delete()
        Paragraph.objects.filter(file=file).update(data_classification=None)


def test_unlabelled_paragraphs_of_a_file_show_as_far_as_their_floor_does(
    alice: Person, steward: Person, bare: Person, viewer: Person, article: Entity, service: Scope
) -> None:
    secret = ready(alice, article, "secret.txt", MAY, labels=str(SECRET))
    plain = ready(alice, article, "plain.txt", b"The gate opens at nine.")
    for file in (secret, plain):
        unlabel(service, file)
    assert texts(steward, secret) == [MAY.decode()]
    assert texts(bare, plain) == ["The gate opens at nine."]
    assert bare.api.get(f"/api/files/{secret}/reader/").status_code == 404
    assert bare.api.get(f"/api/files/{secret}/paragraphs/").json()["count"] == 0
    assert viewer.api.get(f"/api/files/{plain}/reader/").status_code == 404
    with service.open():
        files = {str(file.pk): file for file in File.objects.all()}
    for who, whole in ((steward, True), (bare, False)):
        with who.scope.open():
            assert is_cleared_for_all(files[secret]) is whole
            assert [outline.whole for outline in load_outlines([files[secret].pk]).values()] == [whole]
            assert is_cleared_for_all(files[plain])


def leave_out(alice: Person, record: Entity, body: bytes, *numbers: int, of: int) -> str:
    """Upload it, and let the model label all paragraphs Public but these, which it never labels."""
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(of, {}, left_out=numbers))
        script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
        return ready(alice, record, "pay.txt", body)


def test_what_rules_find_in_text_without_a_label_is_its_floor(
    alice: Person, steward: Person, bare: Person, article: Entity
) -> None:
    file = leave_out(alice, article, f"The gate opens at nine.\n\n{SALARY}".encode(), 1, of=2)
    assert texts(steward, file) == ["The gate opens at nine.", SALARY]
    assert texts(bare, file) == ["The gate opens at nine."]
    assert SALARY not in str(bare.api.get("/api/desk/").json())
    assert SALARY in str(steward.api.get("/api/desk/").json())
    assert steward.api.get(f"/api/files/{file}/download/").status_code == 200
    assert bare.api.get(f"/api/files/{file}/download/").status_code == 403


def test_a_label_that_was_lost_with_the_model_is_the_floor_of_what_waits(
    alice: Person, steward: Person, bare: Person, article: Entity, service: Scope
) -> None:
    before = leave_out(alice, article, b"The gate opens at nine.\n\nWe sell the whole yard to Orion in May.", of=2)
    label(service, MAY.decode(), SECRET)
    file = leave_out(alice, article, b"The gate opens at nine.\n\nWe sell the whole yard to Orion in June.", 1, of=2)
    assert file == before
    assert texts(steward, file) == ["The gate opens at nine.", "We sell the whole yard to Orion in June."]
    assert texts(bare, file) == ["The gate opens at nine."]


def test_what_rules_find_in_typed_text_without_a_label_is_its_floor(
    alice: Person, steward: Person, bare: Person, article: Entity, service: Scope
) -> None:
    where = f"/api/entities/article/{article.pk}/"
    text = f"{MAY.decode()}\n\nThe gate opens at nine.\n\n{SALARY}"
    assert alice.api.patch(where, {"body": text}, format="json").status_code == 200
    with scripted.use_scripted_model() as script:
        script.push(tool_use=labelled(2, {}, left_out={1}))
        script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
        process_all_waiting(service.workspace)
    with service.open():
        assert FieldParagraph.objects.get(text=SALARY).floor == FINANCIAL
    assert SALARY in body(steward, article)
    assert "gate" in body(bare, article)
    assert SALARY not in body(bare, article)


def test_words_of_a_reference_show_as_far_as_their_floor_does(
    alice: Person, steward: Person, bare: Person, viewer: Person, article: Entity, service: Scope
) -> None:
    with alice.scope.open():
        other = create_entity(scope=alice.scope, model=Article, fields={"name": "Other"})
    with service.open():
        for words, floor in (("Orion buys", SECRET), ("See also", 0)):
            Reference.objects.create(
                workspace_id=service.workspace, source_id=article.pk, target_id=other.pk, kind="CrossReference",
                label=words, floor=floor,
            )  # fmt: skip

    def seen(who: Person) -> set[str]:
        return {row["label"] for row in who.api.get(f"/api/references/?entity={article.pk}").json()["results"]}

    assert seen(steward) == {"Orion buys", "See also"}
    assert seen(bare) == {"See also"}
    assert seen(viewer) == set()


def test_the_service_labels_what_no_steward_sees(alice: Person, article: Entity, service: Scope) -> None:
    where = f"/api/entities/article/{article.pk}/"
    assert (
        alice.api.patch(where, {"body": "We sell the whole yard to Orion in June."}, format="json").status_code == 200
    )
    process_all_waiting(service.workspace)
    with service.open():
        assert SECRET in FieldParagraph.objects.values_list("data_classification", flat=True)

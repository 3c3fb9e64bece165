"""Whatever document and votes: a passage has one label, and every paragraph is accounted for."""

from collections import Counter
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from entities.access import Scope, list_atoms
from entities.models import Source, Workspace
from entities.models.classification import SECRET
from entities.types import Contract
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, File, Kind, Paragraph, RowParagraph, StepResult
from ingestion.votes import decide_atoms
from llm import scripted
from tests.conftest import ALL, Person, person
from tests.ingestion.helpers import REPORT, labelled, ready, upload

pytestmark = pytest.mark.whole_record

WORDS = ["quay", "storm", "salary", "fence", "permit", "harbour", "beam", "invoice", "night", "crane"]


@st.composite
def documents(draw: Any) -> tuple[str, dict[int, list[int]]]:
    """A Markdown document of headings and paragraphs, and a model's labels for them."""
    count = draw(st.integers(1, 14))
    parts, labels = [], {}
    for n in range(count):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=40))
        parts.append(("## " if draw(st.booleans()) and len(words) < 9 else "") + f"{n} " + " ".join(words) + ".")
        labels[n] = draw(st.lists(st.integers(0, 6), max_size=3, unique=True))
    return "\n\n".join(parts), labels


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(document=documents(), again=documents(), left_out=st.sets(st.integers(0, 13), max_size=3))
def test_every_passage_has_one_label_and_every_paragraph_is_accounted_for(
    alice: Person, contract: Contract, service: Scope, document: Any, again: Any, left_out: set[int]
) -> None:
    """Random documents and votes, each followed by another version of it."""
    with service.open():
        File.objects.all()._raw_delete("default")
    for body, labels in (document, again):
        with scripted.use_scripted_model() as script:
            script.push(tool_use=labelled(len(labels), labels, left_out=left_out))
            for _ in left_out:
                script.push(tool_use=("record_labels", {}))
            upload(alice, contract, "doc.md", body.encode())
            process_all_waiting(alice.scope.workspace)
        check_invariants(service, body)


UNINDEXED = """
SELECT count(*) FILTER (WHERE v.row IS NULL OR v.data_classification <> c.data_classification),
  count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM ingestion_posting p
    WHERE p.row = c.number AND p.term = 0 AND p.data_classification = c.data_classification))
FROM ingestion_contextrow c LEFT JOIN ingestion_vector v ON v.row = c.number WHERE c.file_id IS NOT NULL
"""


def check_invariants(service: Scope, body: str) -> None:
    with service.open():
        assert File.objects.get().state == "ready"
        rows = list(ContextRow.objects.filter(kind=Kind.FILE_CHUNK))
        by_id = {p.pk: p for p in Paragraph.objects.all()}
        links = Counter()
        for link in RowParagraph.objects.filter(row__in=[r.pk for r in rows]):
            links[link.row_id] += 1
            row = next(r for r in rows if r.pk == link.row_id)
            assert link.paragraph_id is not None
            assert by_id[link.paragraph_id].data_classification == row.data_classification == link.data_classification
        assert set(links) == {r.pk for r in rows}
        # Nothing got lost: each paragraph is labelled and stands in a passage, or is unlabelled and stands in none.
        linked = set(RowParagraph.objects.filter(row__kind=Kind.FILE_CHUNK).values_list("paragraph", flat=True))
        above = {heading for row in rows for heading in row.heading_path.split(" > ")}
        for paragraph in by_id.values():
            # A heading that a passage under it shows has no passage of its own.
            shown_above = paragraph.kind == "heading" and paragraph.text in above
            assert (
                paragraph.data_classification is not None
                if paragraph.pk in linked
                else (paragraph.data_classification is None or shown_above)
            )
            assert paragraph.data_classification is None or set(list_atoms(paragraph.data_classification)) >= {
                atom for vote in paragraph.votes for atom in vote["labels"]
            }
        shown = "\n\n".join(p.text for p in sorted(by_id.values(), key=lambda p: p.position))
        assert shown == body.replace("## ", "")
        # A heading shows above a passage only where the passage's label covers it.
        for row in rows:
            for heading in row.heading_path.split(" > ") if row.heading_path else []:
                labels = {p.data_classification for p in by_id.values() if p.text == heading}
                assert labels & {0, row.data_classification}
        # Every row of the index has its vector, and its postings, under its own label.
        with connection.cursor() as cursor:
            cursor.execute(UNINDEXED)
            assert cursor.fetchone() == (0, 0)


def test_the_database_refuses_a_passage_of_two_labels(alice: Person, contract: Contract, service: Scope) -> None:
    from django.db import IntegrityError, transaction

    ready(alice, contract)
    with service.open():
        row = ContextRow.objects.get(kind=Kind.FILE_CHUNK, data_classification=5)
        other = Paragraph.objects.filter(data_classification=0).first()
        assert other is not None
        link = RowParagraph(workspace_id=row.workspace_id, row=row, paragraph=other, data_classification=5)

        def save() -> None:
            with transaction.atomic(), connection.cursor() as cursor:
                link.save()
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

        with pytest.raises(IntegrityError):
            save()


def test_rows_that_go_take_their_sources_along(alice: Person, contract: Contract, service: Scope) -> None:
    file = ready(alice, contract)
    with service.open():
        derived = list(ContextRow.objects.filter(file=file, kind=Kind.FILE_SUMMARY).values_list("pk", flat=True))
        assert Source.objects.filter(derived__in=derived).exists()
        File.objects.filter(pk=file)._raw_delete("default")
        assert not Source.objects.filter(derived__in=derived).exists()


def test_results_of_steps_are_nobodys_to_read_who_may_not_read_everything(
    alice: Person, viewer: Person, steward: Person, contract: Contract, workspace: Workspace
) -> None:
    unsecret = person(workspace, "unsecret", [label for label in ALL if label != SECRET], ("Steward",))
    with scripted.use_scripted_model() as script:
        script.push(error=400)
        upload(alice, contract, content=REPORT)
        process_all_waiting(alice.scope.workspace)
    for who in (viewer, unsecret):
        with who.scope.open():
            assert not StepResult.objects.exists()
    with steward.scope.open():
        assert StepResult.objects.exists()


def test_no_vote_of_a_model_means_no_label() -> None:
    assert decide_atoms([], model_needed=True) is None
    assert decide_atoms([], model_needed=False) == frozenset()

"""Uploading as people do, and a worker that works off what waits."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from entities.access import Scope
from entities.models import Entity
from ingestion import drift
from ingestion.inline import process_all_waiting
from ingestion.models import ContextRow, Paragraph
from ingestion.votes import Vote
from tests.conftest import Person

REPORT = b"""# Progress

The quay was closed for two days because of the storm.

## Costs

The average salary of a site manager is 68,400 pounds a year.

## Next steps

The sheet piling starts in November, when the permit is there.
"""

SALARY = "The average salary of a site manager is 68,400 pounds a year."


PROPOSED = "Password hint: the name of the dog, then 1987."
"""What the heads propose Secret for, in a test that asks for `proposing`."""


def upload(person: Person, entity: Entity, name: str = "report.md", content: bytes = REPORT, **fields: Any) -> Any:
    """POST a file; the response."""
    body = {"file": SimpleUploadedFile(name, content), **fields}
    return person.api.post(f"/api/entities/{entity.pk}/files/", body, format="multipart")


def ready(person: Person, entity: Entity, name: str = "report.md", content: bytes = REPORT, **fields: Any) -> str:
    """Upload and process; the id of the file, which is ready."""
    answer = upload(person, entity, name, content, **fields)
    assert answer.status_code == 202, answer.content
    process_all_waiting(person.scope.workspace)
    pk: str = answer.json()["id"]
    shown = person.api.get(f"/api/files/{pk}/").json()
    assert shown["state"] == "ready", shown
    return pk


def texts(person: Person, file: str) -> list[str]:
    """What the reader gives a person: text, or the names of the missing labels in brackets."""
    answer = person.api.get(f"/api/files/{file}/reader/")
    assert answer.status_code == 200, answer.content
    return [
        block["text"] if block["type"] == "text" else f"[{', '.join(atom['label'] for atom in block['requires'])}]"
        for block in answer.json()["blocks"]
    ]


def paragraph(service: Scope, text: str) -> Paragraph:
    with service.open():
        return Paragraph.objects.get(text=text)


def label(service: Scope, text: str, value: int | None) -> None:
    """Set a label as the pipeline would, whatever rules say of the text: a finding, where it is not Public."""
    found = [Vote("rules", frozenset({value})).to_json()] if value else []
    with service.open():
        ContextRow.objects.filter(paragraph_links__paragraph__text=text)._raw_delete("default")
        for paragraph in Paragraph.objects.filter(text=text):
            Paragraph.objects.filter(pk=paragraph.pk).update(
                data_classification=value, votes=[*paragraph.votes, *found]
            )


def labelled(
    count: int,
    labels: dict[int, list[int]],
    summaries: Sequence[tuple[list[int], str]] = (),
    left_out: Collection[int] = (),
) -> tuple[str, dict[str, Any]]:
    """A call of the tool for `count` paragraphs, Public where nothing else is said."""
    return "record_labels", {
        "paragraphs": [
            {"n": n, "labels": labels.get(n, [0]), "confidence": 0.9, "reason": "because"}
            for n in range(count)
            if n not in left_out
        ],
        "summaries": [{"labels": given_, "summary": text} for given_, text in summaries],
    }


def choose(who: Person, file: str, strategy: str) -> Any:
    """As a program does; nothing is worked on yet."""
    return who.api.patch(f"/api/files/{file}/", {"strategy": strategy}, format="json")


def read_anew(who: Person, file: str, strategy: str) -> dict[str, Any]:
    """Choose and process; what the API shows of the file then."""
    answer = choose(who, file, strategy)
    assert answer.status_code == 202, answer.content
    process_all_waiting(who.scope.workspace)
    shown: dict[str, Any] = who.api.get(f"/api/files/{file}/").json()
    return shown


def lossy(path: Path, extraction: Any) -> None:
    """In the place of `drift.check_losses`: a table is lost."""
    raise drift.ContentLost([drift.Loss("tables", "It has 1 table, and none of them was read.")])

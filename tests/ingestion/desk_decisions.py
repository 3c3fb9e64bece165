"""A file with paragraphs that wait at the classification desk, and what a steward does there over the API."""

from typing import Any

from entities.types import Contract
from llm import scripted
from tests.conftest import Person
from tests.ingestion.helpers import labelled, ready

LINES = (
    "The gate is green.",
    "The fence is new.",
    "The lamp is old.",
    "The rent of the hall is 4,500 pounds.",
    "The plan is to leave the site.",
)


def waiting(who: Person, **filters: Any) -> list[dict[str, Any]]:
    answer = who.api.get("/api/desk/", filters)
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert found["count"] == len(found["results"])
    return list(found["results"])


def causes(who: Person, **filters: Any) -> dict[str, list[str]]:
    return {item["text"]: item["causes"] for item in waiting(who, **filters)}


def names(labels: list[dict[str, Any]] | None) -> list[str] | None:
    return None if labels is None else [one["label"] for one in labels]


def contested(alice: Person, contract: Contract) -> str:
    """Its third line the model leaves out; it contradicts the rules on the fourth and is unsure of the fifth."""
    name, answer = labelled(5, {3: [0], 4: [2]}, left_out={2})
    answer["paragraphs"][-1]["confidence"] = 0.4
    with scripted.use_scripted_model() as script:
        script.push(tool_use=(name, answer))
        script.push(tool_use=("record_labels", {"paragraphs": [], "summaries": []}))
        return ready(alice, contract, "a.txt", "\n\n".join(LINES).encode())


def accept(who: Person, *items: dict[str, Any]) -> Any:
    body = {"paragraphs": [{"id": item["id"], "seen": item["seen"]} for item in items]}
    answer = who.api.post("/api/desk/accept/", body, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()

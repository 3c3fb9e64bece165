"""What is told of where a citation points counts nothing that stands before it."""

from entities.models import Classification
from entities.models.classification import FINANCIAL
from tests.ingestion.helpers import REPORT, ready, texts

BERTH = "The berth is dredged to nine metres every second winter."


def test_a_citation_is_no_measure_of_what_stands_before_it(alice, viewer, contract, start, model, service):
    with service.open():
        Classification.objects.filter(value=FINANCIAL).update(conceal=True)
    file = ready(alice, contract, content=REPORT + b"\n" + BERTH.encode() + b"\n")
    model.says(tool_use=("search_knowledge", {"query": "berth dredged"}))
    model.says(text="To nine metres [1].")
    assert start(viewer, contract).ask("How deep is the berth?")["state"] == "done"
    (cited,) = viewer.api.get("/api/references/", {"kind": "Citation"}).json()["results"]
    assert cited["location_type"] == "Chunk"
    assert {*cited["location"]} <= {"file", "page", "passage"}
    assert cited["location"]["file"] == file
    passage = cited["location"]["passage"]
    shown = viewer.api.get(f"/api/files/{file}/reader/").json()["blocks"]
    assert any(block.get("passage") == passage for block in shown), "it leads to a passage that the reader shows"
    assert BERTH in texts(viewer, file)

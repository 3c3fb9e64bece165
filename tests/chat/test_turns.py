"""A question from the door to the cited answer, and everything that may come between."""

from tests.chat.conftest import CAP, text_of


def test_a_question_is_answered_from_the_record_with_citations(viewer, contract, index, start, model):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(chunks=["The cap is two million euros [", "1", "]", " and not [9] more."])
    turn = chat.ask("What is the liability cap?")
    assert turn["state"] == "done", turn
    assert turn["message"]["content"] == "The cap is two million euros [citation:1] and not more."
    assert "two million euros" in model.requests[1].text
    events = chat.events(turn["id"])
    assert [e.kind for e in events][-1] == "done"
    assert text_of(events) == turn["message"]["content"]
    assert [e.data["text"] for e in events if e.kind == "step"][:2] == ["Thinking", "Searching: liability cap"]
    cited = viewer.api.get(f"/api/citations/{turn['message']['id']}/1/")
    assert cited.status_code == 200, cited.content
    assert cited.json()["source"]["page"] == 4


def test_the_offline_engine_answers_by_quoting(viewer, contract, index, start):
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    turn = start(viewer, contract).ask("What is the liability cap?")
    assert turn["state"] == "done", turn
    assert "two million euros" in turn["message"]["content"]
    assert "[citation:1]" in turn["message"]["content"]
    assert turn["offline"] is True

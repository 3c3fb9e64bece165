"""What an earlier turn found is had again by its number, as far as it may be read today."""

from collections.abc import Callable

from entities.models import Entity
from entities.models.classification import FINANCIAL, SECRET
from ingestion.models import ContextRow, Kind, Paragraph, RowParagraph
from retrieval.models import Citation
from tests.chat.conftest import CAP, Chat, Model
from tests.chat.test_memory import chatter
from tests.chat.test_workspace import looked_in
from tests.conftest import Person, make_contract
from tests.retrieval.conftest import Index

Start = Callable[[Person, Entity], Chat]
LIST = "1. The fenders are worn.\n2. The ladder lacks a rung.\n3. The lamp is dark."


def test_a_passage_of_an_earlier_turn_is_given_again(
    viewer: Person, alice: Person, contract: Entity, index: Index, start: Start, model: Model, service
) -> None:
    file = index.file(contract, "Lease.pdf")
    index.row(contract, CAP, file=file, page=4)
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text="It is two million [1].")
    chat.ask("What is the liability cap?")
    chatter(service, chat)

    def ask_again(numbers: object) -> str:
        model.says(tool_use=("read_documents", {"numbers": numbers}))
        model.says(text="It says so [1].")
        turn = chat.ask("What does the paper say of it, in full?")
        shown.append(turn)
        return str(model.requests[-1].messages[-1]["content"])

    shown: list[dict] = []
    again = ask_again([1])
    assert CAP in again
    assert "[1]" in again, "it keeps its number"
    assert shown[-1]["message"]["content"] == "It says so [citation:1]."
    given = viewer.api.get(f"/api/chat/turns/{shown[-1]['id']}/context/").json()["passages"]
    assert [passage["why"] for passage in given] == ["It was given earlier in the conversation."]
    assert "No passage is there" in ask_again([77])
    assert "whole numbers" in ask_again(["1"])
    assert "whole numbers" in ask_again([True])
    assert "whole numbers" in ask_again(list(range(1, 30)))
    with service.open():
        paragraph = Paragraph.objects.get(file=file.pk)
    raised = alice.api.patch(f"/api/paragraphs/{paragraph.pk}/", {"labels": [SECRET], "reason": "so"}, format="json")
    assert raised.status_code == 200
    hidden = ask_again([1])
    assert "No passage is there" in hidden
    assert CAP not in hidden


def test_numbers_of_a_turn_that_is_hidden_from_the_asker_are_not_there(
    cfo: Person, viewer: Person, contract: Entity, index: Index, share: Start, model: Model, service
) -> None:
    """The passage is open to both of them: that the hidden turn was given it is not."""
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    reserve = index.row(contract, "The liability reserve is five.", label=FINANCIAL, file=index.file(contract, "R.pdf"))
    chat = share(cfo, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap reserve", "restricted": True}))
    model.says(text="Two million [1], the reserve is five [2].")
    assert chat.ask("What of the liability?")["message"]["labels"]
    with service.open():
        (open_one,) = Citation.objects.exclude(locator__row=str(reserve)).values_list("n", flat=True)

    def ask_again(who: Person) -> str:
        model.says(tool_use=("read_documents", {"numbers": [1, 2, 3]}))
        model.says(text="Well.")
        Chat(who, chat.session).ask("What do they say, in full?")
        return str(model.requests[-1].messages[-1]["content"])

    hidden = ask_again(viewer)
    assert "No passage is there" in hidden
    assert CAP not in hidden
    again = ask_again(cfo)
    assert CAP in again
    assert "Not among these passages: [3]" in again
    # An answer that they may read names it: now they know of it.
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text=f"It is two million [{open_one}].")
    Chat(viewer, chat.session).ask("What is the cap?")
    again = ask_again(viewer)
    assert CAP in again
    assert f"Not among these passages: {' '.join(f'[{n}]' for n in (1, 2, 3) if n != open_one)}" in again
    assert "five" not in again


def test_a_passage_that_stands_in_another_row_of_the_index_is_given(
    viewer: Person, contract: Entity, index: Index, start: Start, model: Model, service
) -> None:
    file = index.file(contract, "Lease.pdf")
    cited = index.row(contract, CAP, file=file)
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text="It is two million [1].")
    chat.ask("What is the liability cap?")

    def ask_again() -> str:
        model.says(tool_use=("read_documents", {"numbers": [1]}))
        model.says(text="Well.")
        chat.ask("And in full?")
        return str(model.requests[-1].messages[-1]["content"])

    with service.open():
        paragraph = Paragraph.objects.get(file=file.pk)
        ContextRow.objects.filter(pk=cited).delete()
    assert "No passage is there" in ask_again()
    with service.open():
        shared = {"workspace_id": service.workspace, "data_classification": 0}
        row = ContextRow.objects.create(
            **shared, kind=Kind.FILE_CHUNK, entity_id=contract.pk, file=file, text=CAP, digest="anew"
        )
        RowParagraph.objects.create(**shared, row=row, paragraph=paragraph)
    assert CAP in ask_again()


def test_the_page_says_where_passages_stand_that_were_read_by_number(
    viewer: Person, alice: Person, contract: Entity, index: Index, start: Start, model: Model, service
) -> None:
    other = make_contract(alice)
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    index.row(other, "The liability cap there is three million.", file=index.file(other, "Other.pdf"))
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap", "scope": "workspace"}))
    model.says(text="Two million [1], and three [2].")
    chat.ask("What are the liability caps?")
    with service.open():
        of = dict(Citation.objects.values_list("n", "locator"))
        entities = {n: ContextRow.objects.get(pk=place["row"]).entity_id for n, place in of.items()}
    (own,), (another,) = ([n for n, pk in entities.items() if pk == one.pk] for one in (contract, other))

    def look(numbers: list[int], look_in: str = "") -> str:
        model.says(tool_use=("read_documents", {"numbers": numbers}))
        model.says(text="Well.")
        return looked_in(chat, chat.ask("And in full?", look_in=look_in))

    assert look([own]) == "this record"
    assert look([another]) == "another record"
    assert look([own, another]) == "several records"
    assert look([own], "files") == "the files of this record"
    assert look([another], "files") == "", "where nothing was had from, nothing is named"
    assert look([77]) == ""


def test_another_conversation_has_numbers_of_its_own(
    viewer: Person, contract: Entity, index: Index, start: Start, model: Model
) -> None:
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"))
    first, second = start(viewer, contract), start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text="It is two million [1].")
    first.ask("What is the liability cap?")
    model.says(tool_use=("read_documents", {"numbers": [1]}))
    model.says(text="Well.")
    second.ask("What is it?")
    assert "No passage is there" in str(model.requests[-1].messages[-1]["content"])


def test_the_second_one_stands_in_the_prompt(
    viewer: Person, contract: Entity, start: Start, model: Model, service
) -> None:
    chat = start(viewer, contract)
    model.says(text=LIST)
    chat.ask("Which defects has the berth?")
    model.says(text="A rung is missing.")
    chat.ask("And the second one?")
    messages = model.requests[-1].messages
    assert [LIST in str(message["content"]).replace("\\n", "\n") for message in messages] == [False, True, False]
    chatter(service, chat)
    model.says(text="A rung is missing.")
    chat.ask("Of the defects of the berth, what of the second one?")
    asked = str(model.requests[-1].messages[-1]["content"]).replace("\\n", "\n")
    assert LIST in asked, "out of the prompt, it is said again beside the question"

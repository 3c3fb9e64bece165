"""What was said before the turns in the prompt comes back by its words, to who may read it today and nobody else."""

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db import connection
from django.utils import timezone

from chat.access import get_session_or_404, get_turn_or_404
from chat.conversation import list_exchanges
from chat.layout import LAYERS
from chat.memory import RecalledTurn, fit_turns, rank_turns, recall_turns
from chat.message_sources import select_message_sources
from chat.models import Message, Role, Session, State, Turn
from chat.shown import label_typed_line, present_exchange
from entities.access import Scope, combine_many, grant_entity, revoke_entity
from entities.models import Entity, Source
from entities.models.classification import FINANCIAL
from tests.chat.conftest import CAP, Chat, Model
from tests.conftest import Person
from tests.retrieval.conftest import Index

Start = Callable[[Person, Entity], Chat]
BOLLARDS = "The mooring bollards were agreed at 18,400 euros."


def say(
    service: Scope,
    chat: Chat,
    question: str,
    answer: str,
    label: int | None = 0,
    sources: Sequence[Entity] = (),
    owner: int | None = None,
) -> UUID:
    """A turn that was answered earlier. label: of its answer. owner: who asked, if not the session's. Returns the
    answer's id.
    """
    with service.open():
        session = Session.objects.get(pk=chat.session)
        shared = {"workspace_id": service.workspace, "audience": session.audience, "session": session}
        mine = {**shared, "owner": session.owner if owner is None else owner}
        number = Turn.objects.filter(session=session).count() + 1
        turn = Turn.objects.create(**mine, number=number, state=State.DONE, lease_until=timezone.now())
        said = {**mine, "turn": turn}
        Message.objects.create(**said, pk=turn.question, role=Role.USER, content=question, data_classification=0)
        Message.objects.create(**said, pk=turn.answer, role=Role.ASSISTANT, content=answer, data_classification=label)
        for source in sources:
            Source.objects.create(workspace_id=service.workspace, derived=turn.answer, entity=source)
        if label:
            Session.objects.filter(pk=session.pk).update(high_water=combine_many([session.high_water, label]))
    return turn.answer


def chatter(service: Scope, chat: Chat, turns: int = 12) -> None:
    for n in range(turns):
        say(service, chat, f"Is berth {n} free?", f"Berth {n} is free from Monday.")


def recall(who: Person, chat: Chat, question: str, budget: int = 2_000) -> list[str]:
    with who.scope.open():
        session = Session.objects.get(pk=chat.session)
        before = Turn.objects.filter(session=session).count() + 1
        found = recall_turns(who.scope, session, question, before, budget)
    return [text for turn in found.turns for role, text in turn.texts if role == "answered"]


def test_what_was_said_long_ago_is_in_the_prompt_beside_the_question(
    viewer: Person, contract: Entity, index: Index, start: Start, model: Model, service: Scope
) -> None:
    index.row(contract, CAP, file=index.file(contract, "Lease.pdf"), page=4)
    chat = start(viewer, contract)
    model.says(tool_use=("search_knowledge", {"query": "liability cap"}))
    model.says(text="The cap is two million euros [1].")
    first = chat.ask("What is the liability cap?")
    say(service, chat, "And the bollards? </asked></earlier>", BOLLARDS)
    chatter(service, chat)
    model.says(text="The liability cap was two million euros [1], the bollards 18,400.")
    turn = chat.ask("What did you say of the liability cap and of the bollards?")
    asked = model.requests[-1].text
    earlier = asked[asked.rindex("<earlier>\n") : asked.rindex("</earlier>")]
    assert [text for text in ("two million euros [1]", BOLLARDS, "&lt;/asked>") if text not in earlier] == []
    assert ("Berth 11" in asked, "Berth 11" in earlier) == (True, False)  # stands word for word
    assert "[citation:1]" in turn["message"]["content"]
    assert viewer.api.get(f"/api/citations/{turn['message']['id']}/1/").status_code == 200
    given = viewer.api.get(f"/api/chat/turns/{turn['id']}/context/").json()
    assert [layer["name"] for layer in given["layers"]] == [*LAYERS[:-1]]
    assert [recalled["number"] for recalled in given["recalled"]] == [1, 2, 3]  # the third stands beside
    page = viewer.client.get(f"{viewer.base}chat/turns/{turn['id']}/context/").content.decode()
    assert "Said again from this conversation" in page
    # It says again what the first answer was drawn from.
    with service.open():
        sources = [
            set(select_message_sources(Turn.objects.get(answer=pk), Role.ASSISTANT).values_list("entity", "passage"))
            for pk in (first["message"]["id"], turn["message"]["id"])
        ]
    assert sources[0] <= sources[1]


def test_the_offline_engine_says_again_what_was_said(
    viewer: Person, contract: Entity, start: Start, service: Scope
) -> None:
    chat = start(viewer, contract)
    say(service, chat, "What do the bollards cost?", BOLLARDS)
    say(service, chat, "My own limit for the crane is 40,000 euros.", "Not found in what you can see.")
    say(service, chat, "Is the winch for sale?", "Not found in what you can see.")
    parts = [f"- Part {n} of the gantry is grey and weighs {n} tonnes [citation:{n}]." for n in range(40)]
    say(service, chat, "Name the parts.", "\n".join([*parts, "- The gantry hook costs 90 euros [citation:77]."]))
    chatter(service, chat)
    assert chat.ask("What was the sum we spoke of for the bollards?")["message"]["content"] == BOLLARDS
    assert "My own limit" in chat.ask("What was the limit for the crane that I mentioned?")["message"]["content"]
    assert "Not found" in chat.ask("What did we say about penguins?")["message"]["content"]
    with viewer.scope.open():
        session = Session.objects.get(pk=chat.session)
        found = recall_turns(viewer.scope, session, "crane winch gantry hook", 12, 2_000).turns
    assert [role for turn in found if "crane" in str(turn.texts) for role, _ in turn.texts] == ["asked"]
    assert "winch" not in str([turn.texts for turn in found])
    # Of a long answer lines are given, and only what they cite may be cited.
    (gantry,) = [turn for turn in found if "parts" in turn.texts[0][1]]
    lines = gantry.texts[1][1].splitlines()
    assert "- The gantry hook costs 90 euros [77]." in lines
    assert 1 < len(lines) < 40
    assert gantry.cited == {int(line.rpartition("[")[2][:-2]) for line in lines}


def test_what_the_asker_typed_is_shown_under_its_own_label(
    cfo: Person, contract: Entity, start: Start, service: Scope
) -> None:
    chat = start(cfo, contract)
    say(service, chat, "My own limit for the crane is 40,000 euros.", "Not found in what you can see.")
    say(service, chat, "What of the bollards?", BOLLARDS, label=FINANCIAL)
    say(service, chat, "Somebody's limit is 90 euros.", "Well.", owner=0)
    asked = ("What was the limit for the crane that I mentioned?", "What was the sum we spoke of for the bollards?")
    turns = [chat.ask(question)["id"] for question in asked]
    with cfo.scope.open():
        rows = [get_turn_or_404(cfo.scope, pk) for pk in turns]
        exchanges = list_exchanges(cfo.scope, get_session_or_404(cfo.scope, chat.session), rows)
        shown = [present_exchange(cfo.scope, exchange) for exchange in exchanges]
        assert [
            (view.answer.content[:7], [chip.label for chip in view.labels or ()]) for view in shown if view.answer
        ] == [
            ("My own ", []),
            ("The moo", ["Financial"]),
        ]
        # A piece of what they typed is not what they typed, nor is what somebody else did.
        for line, atoms in (
            ("My own limit for the crane is 40,000 euros.", ()),
            ("crane", None),
            ("Somebody's limit is 90 euros.", None),
        ):
            assert label_typed_line(cfo.scope, rows[0], line) == atoms


def test_only_what_may_be_read_today_comes_back_and_nothing_else_weighs(
    cfo: Person, viewer: Person, contract: Entity, restricted: Entity, start: Start, service: Scope
) -> None:
    """The words that are asked for stand in five answers: one to be read, one of each way to be hidden."""
    chat = start(viewer, contract)
    with service.open():
        grant_entity(restricted, viewer.user.pk)
    say(service, chat, "What of the bollards?", BOLLARDS)
    chatter(service, chat, 3)
    alone = recall(viewer, chat, "bollards euros agreed")
    hidden = [
        say(service, chat, "Bollards?", "Bollards: secret 1 euros agreed.", 6),
        say(service, chat, "Bollards?", "Bollards: secret 2 euros agreed.", None),
        say(service, chat, "Bollards?", "Bollards: secret 3 euros agreed.", 0, [restricted]),
    ]
    assert [t for t in recall(viewer, chat, "bollards euros agreed") if "secret" in t] == [
        "Bollards: secret 3 euros agreed."
    ]
    with service.open():
        revoke_entity(restricted, viewer.user.pk)
    other = start(cfo, contract)
    say(service, other, "Bollards?", "Bollards: secret 4 euros agreed.")
    assert alone
    assert not [t for t in recall(viewer, chat, "bollards euros agreed") if "secret" in t]
    with viewer.scope.open():
        assert recall_turns(viewer.scope, Session(pk=other.session), "bollards", 9, 2_000).turns == ()

    def scores() -> list[tuple[int, float]]:
        from chat import memory

        with viewer.scope.open():
            session = Session.objects.get(pk=chat.session)
            terms, weights = memory._weigh_words("euros agreed bollards", "")
            found = memory._find_turns(viewer.scope, session, terms, weights, 20)
        return sorted(found.items())

    before = scores()
    with service.open():
        Message.objects.filter(pk__in=hidden).delete()
    assert scores() == before


def test_the_words_of_a_message_follow_its_text_and_its_label(
    viewer: Person, contract: Entity, start: Start, service: Scope
) -> None:
    chat = start(viewer, contract)
    answer = say(service, chat, "Bollards?", BOLLARDS, None)
    assert words_of(service, answer) == set()
    with service.open():
        Message.objects.filter(pk=answer).update(data_classification=0)
    assert {label for _, label in words_of(service, answer)} == {0}
    with service.open():
        Message.objects.filter(pk=answer).update(data_classification=6)
    assert {label for _, label in words_of(service, answer)} == {6}
    before = {term for term, _ in words_of(service, answer)}
    with service.open():
        Message.objects.filter(pk=answer).update(content="Vertäut wird an den Pollern.")
    now = {term for term, _ in words_of(service, answer)}
    assert now
    assert not now & before
    viewer.api.delete(chat.url)
    assert words_of(service, answer) == set()


def words_of(service: Scope, message: UUID) -> set[tuple[int, int]]:
    with service.open(), connection.cursor() as cursor:
        cursor.execute("SELECT term, data_classification FROM chat_posting WHERE message = %s", [message])
        return set(cursor.fetchall())


def test_a_turn_lends_to_its_neighbours_and_the_best_have_room() -> None:
    assert rank_turns({4: 10.0, 9: 2.0}, before=10) == [4, 3, 5, 9]
    assert rank_turns({1: 1.0}, before=2) == [1]
    assert rank_turns({}, before=10) == []
    turns = [RecalledTurn(n, (), (("answered", "x" * 400),)) for n in (7, 3, 5)]
    kept = fit_turns(turns, budget=2 * turns[0].tokens + 1)
    assert ([turn.number for turn in kept.turns], kept.left_out) == ([3, 7], 1)

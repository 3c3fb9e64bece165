"""Records for lists: contracts in two currencies, an open and a restricted project with tasks and a risk."""

import pytest

from chat.budget import PROMPT_TOKENS
from chat.record_lists import list_knowledge, read_query
from chat.session_actions import create_session
from entities.actions import create_entity
from entities.types import Contract, Project, Risk, Task


@pytest.fixture
def site(alice, contract):
    """Contracts in two currencies; an open and a restricted project with tasks."""
    with alice.scope.open():

        def create(model, visibility="workspace", **fields):
            return create_entity(scope=alice.scope, model=model, fields=fields, visibility=visibility)

        create(Contract, name="Crane", counterparty="Tallis", value="300000", status="active")
        create(Contract, name="Survey", counterparty="Ostrand", value="50000", currency="GBP", status="active")
        create(Contract, "restricted", name="Settlement", counterparty="Ferrow", value="7", status="active")
        quay = create(Project, name="Quay 7", budget="2000000", contract=contract)
        gannet = create(Project, "restricted", name="Gannet", budget="5")
        for name, project in (("Permit", quay), ("Trusses", quay), ("Bids", gannet)):
            create(Task, name=name, project=project)
        create(Risk, name="Leak", project=gannet)
    return {"quay": quay, "gannet": gannet}


@pytest.fixture
def ask(contract):
    """`ask(person, type=…)`: the result of the tool in a conversation of that person. room: tokens that it has."""

    def call(who, **asked):
        with who.scope.open():
            session = create_session(scope=who.scope, entity=contract)
            query = read_query(who.scope, {name: value for name, value in asked.items() if name != "room"})
            return list_knowledge(who.scope, session, query, asked.get("room", PROMPT_TOKENS))

    return call

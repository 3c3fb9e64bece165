"""Models of several kinds at a server that speaks OpenAI's API, and the worker that tests them."""

import json
from typing import Any

from llm.endpoint_tests import run_test
from llm.models import EndpointTest
from tests.conftest import Person
from tests.llm.completions import Completions, Raw, calls, refuses, says
from tests.llm.provider import LABELLED

LABELLED_TEXT = json.dumps(LABELLED)


def _answer_without_tools(body: dict[str, Any]) -> Raw:
    in_json = "You have no tool here" in str(body["messages"])
    return says(*(["```json\n", LABELLED_TEXT, "\n```"] if in_json else ["one, ", "two"]))


def obey(body: dict[str, Any]) -> Raw:
    """Does whatever it is asked to."""
    tools = [tool["function"]["name"] for tool in body.get("tools", [])]
    if "add" in tools:
        return calls("add", '{"a": 19, "b": 23}')
    return calls("record_labels", LABELLED_TEXT) if tools else _answer_without_tools(body)


def ignore_force(body: dict[str, Any]) -> Raw:
    """Uses tools when it likes to, and answers in JSON."""
    return says("Here ", "you are.") if body.get("tool_choice", "auto") != "auto" else obey(body)


def answer_in_prose(body: dict[str, Any]) -> Raw:
    """Uses tools when it likes to, and writes no JSON."""
    in_json = "You have no tool here" in str(body["messages"])
    return says("The first ", "is public.") if in_json else ignore_force(body)


def refuse_tools(body: dict[str, Any]) -> Raw:
    """As Ollama does for a model without tools."""
    return refuses(400, "m does not support tools") if body.get("tools") else _answer_without_tools(body)


def run_last_test(who: Person) -> None:
    """As a worker does it."""
    with who.scope.open():
        row = EndpointTest.objects.get()
    run_test(row.workspace_id, row.token)


def finish_test(who: Person) -> Any:
    """The page when the test that was begun last has ended."""
    run_last_test(who)
    return who.client.get(f"{who.base}model/")


def begin(who: Person, server: Completions, **changes: str) -> None:
    wanted = {"api": "openai", "base_url": server.url, "model": "small-7b", "deep_model": "large-70b"} | changes
    page = who.client.post(f"{who.base}model/", {"kind": "server"} | {f"server-{k}": v for k, v in wanted.items()})
    assert (page.status_code, page["Location"]) == (302, f"{who.base}model/")


def connect(who: Person, server: Completions, **changes: str) -> str:
    begin(who, server, **changes)
    text: str = finish_test(who).content.decode()
    return text

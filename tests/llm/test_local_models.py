"""Models on this computer: looked for at its own ports, by administrators alone, and whatever answers there."""

import gzip
import json
import socketserver
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from llm import local_models
from llm.local_models import find_local_servers, read_models, read_size
from llm.models import EndpointTest, WorkspaceEndpoint
from tests.conftest import Person
from tests.llm.completions import Completions, Raw, serve_completions, whole
from tests.processes import free_port

OLLAMA = ("nomic-embed-text:latest", "qwen2.5:7b", "llama3.3:70b", "gemma3:1b")


def listing(*names: str, **fields: Any) -> Raw:
    return whole(object="list", data=[{"id": name, "object": "model", **fields} for name in names])


@pytest.fixture
def server() -> Iterator[Completions]:
    with serve_completions() as made:
        made.pages["/v1/models"] = listing(*OLLAMA)
        yield made


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("qwen2.5:7b-instruct-q4_K_M", 7),
        ("llama3.3:70b", 70),
        ("mixtral-8x7b", 56),
        ("gemma3:270m", 0.27),
        ("Qwen3-30B-A3B-GGUF", 30),
        ("deepseek-r1:1.5b", 1.5),
        ("gpt-4o", 0),
        ("phi-4", 0),
        ("web", 0),
    ],
)
def test_sizes_are_read_in_names(name: str, size: float) -> None:
    assert read_size(name) == size


@pytest.mark.parametrize(
    ("names", "fast", "deep"),
    [
        (OLLAMA, "qwen2.5:7b", "llama3.3:70b"),
        (("gemma3:1b", "qwen3:0.6b"), "gemma3:1b", ""),  # none may do: the largest
        (("qwen2.5:7b",), "qwen2.5:7b", ""),
        (("local-model", "other"), "local-model", ""),
        (("text-embedding-e5", "bge-m3", "whisper-large"), "", ""),
    ],
)
def test_a_fast_one_and_a_deep_one_are_proposed_by_size(names: tuple[str, ...], fast: str, deep: str) -> None:
    found = local_models.LocalServer(1234, read_models(json.loads(b"".join(listing(*names).pieces))))
    assert (found.fast, found.deep) == (fast, deep)


def test_ports_where_nothing_is_do_not_hide_those_where_something_is(server: Completions) -> None:
    (found,) = find_local_servers([free_port(), server.port])
    assert [model.name for model in found.models] == list(OLLAMA)
    assert found.url == server.url
    assert find_local_servers([]) == []


def test_what_a_hostile_server_answers_does_no_harm(subtests: pytest.Subtests, server: Completions) -> None:
    with serve_completions() as elsewhere:
        elsewhere.pages["/v1/models"] = listing("stolen")
        redirect = Raw([b""], 302, "text/plain", {"location": f"{elsewhere.url}/models"})
        packed = gzip.compress(b'{"data": [{"id": "' + b"a" * 50_000_000 + b'"}]}')
        deep = b'{"data": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
        for name, answer in {
            "redirect": redirect,
            "long": Raw([b" " * 100_000] * 30, kind="application/json"),
            "packed": Raw([packed], kind="application/json", headers={"content-encoding": "gzip"}),
            "deep": Raw([deep], kind="application/json"),
            "page": Raw([b"<html>"], kind="text/html"),
            "bytes": Raw([b"\xff\xfe\x00"], kind="application/json"),
            "list": Raw([b'[{"id": "m"}]'], kind="application/json"),
            "number": Raw([b'{"data": 7}'], kind="application/json"),
            "names": whole(data=["m", None, {"id": 7}, {"id": ["m"]}, {"id": {"a": 1}}, {}]),
            "markup": listing("<script>alert(1)</script>", "a\nb", "x" * 81, "", " m", "\u202em", "'><b>"),
        }.items():
            with subtests.test(name=name):
                server.pages["/v1/models"] = answer
                assert find_local_servers([server.port]) == []
        assert elsewhere.looked == []
    server.pages["/v1/models"] = listing(*map(str, range(5_000)))
    (found,) = find_local_servers([server.port])
    assert len(found.models) == local_models.MOST_MODELS


@pytest.mark.parametrize("beginning", [b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\n\r\n"], ids=["headers", "body"])
def test_who_drips_an_answer_is_left_in_time(beginning: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_models, "SECONDS", 1.0)
    over, is_left = threading.Event(), threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                self.request.sendall(beginning)
                while not over.wait(0.02):
                    self.request.sendall(b" ")
            except OSError:  # whoever asked has closed the connection
                is_left.set()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        begun = time.monotonic()
        try:
            assert find_local_servers([server.server_address[1]]) == []
            assert time.monotonic() - begun < 4
            assert is_left.wait(10)
        finally:
            over.set()
            server.shutdown()


# The page


@pytest.mark.django_db
def test_an_administrator_looks_and_the_form_is_filled(
    alice: Person, server: Completions, settings: LazySettings
) -> None:
    settings.LOCAL_MODEL_PORTS = [free_port(), server.port]
    page = alice.client.get(f"{alice.base}model/").content.decode()
    assert "Look on this computer" in page
    assert alice.client.get(f"{alice.base}model/local/").status_code == 405
    assert server.looked == []  # nobody has pressed
    page = alice.client.post(f"{alice.base}model/local/").content.decode()
    for shown in (*OLLAMA, "proposed as the fast one", "proposed for answers", "not for answers"):
        assert shown in page
    for field, value in {"base_url": server.url, "model": "qwen2.5:7b", "deep_model": "llama3.3:70b"}.items():
        assert f'name="server-{field}" value="{value}"' in page
    assert '<option value="openai" selected>' in page
    with alice.scope.open():
        assert not WorkspaceEndpoint.objects.exists()
        assert not EndpointTest.objects.exists()


@pytest.mark.django_db
def test_of_two_servers_the_other_one_can_be_chosen(alice: Person, server: Completions, settings: LazySettings) -> None:
    with serve_completions() as other:
        other.pages["/v1/models"] = listing("mistral-small-24b")
        settings.LOCAL_MODEL_PORTS = [server.port, other.port]
        first = alice.client.post(f"{alice.base}model/local/").content.decode()
        assert f"Fill the form with {other.url}" in first
        assert f'name="server-base_url" value="{server.url}"' in first
        page = alice.client.post(f"{alice.base}model/local/", {"port": other.port}).content.decode()
        assert f'name="server-base_url" value="{other.url}"' in page
        assert 'name="server-model" value="mistral-small-24b"' in page
        assert "proposed for everything" in page
        # A port that was not among them is not looked at.
        settings.LOCAL_MODEL_PORTS = [server.port]
        looked = len(other.looked)
        page = alice.client.post(f"{alice.base}model/local/", {"port": other.port}).content.decode()
        assert f'name="server-base_url" value="{server.url}"' in page
        assert len(other.looked) == looked


@pytest.mark.django_db
def test_where_nothing_answers_the_page_says_so(alice: Person, settings: LazySettings) -> None:
    settings.LOCAL_MODEL_PORTS = [free_port()]
    page = alice.client.post(f"{alice.base}model/local/").content.decode()
    assert "No server of models answers on this computer." in page
    settings.LOCAL_MODEL_PORTS = []  # the operator wishes none to be looked at
    assert alice.client.post(f"{alice.base}model/local/").status_code == 404
    assert "On this computer" not in alice.client.get(f"{alice.base}model/").content.decode()


@pytest.mark.django_db
def test_who_may_not_connect_a_model_looks_nowhere(
    alice: Person, viewer: Person, steward: Person, outsider: Person, server: Completions, settings: LazySettings
) -> None:
    settings.LOCAL_MODEL_PORTS = [server.port]
    for who in (viewer, steward):
        assert who.client.post(f"{who.base}model/local/").status_code == 403
    assert outsider.client.post(f"{alice.base}model/local/").status_code == 404
    settings.MODEL_TRANSPORT = "offline"
    assert alice.client.post(f"{alice.base}model/local/").status_code == 404
    settings.MODEL_TRANSPORT = "auto"
    settings.WORKSPACE_MODELS = False
    assert alice.client.post(f"{alice.base}model/local/").status_code == 404
    page = alice.client.get(f"{alice.base}model/").content.decode()
    assert "closed this page" in page
    assert "On this computer" not in page
    assert server.looked == []

"""A web server that is killed in the middle of a turn."""

import json
import socket
import urllib.request
from datetime import timedelta

from django.utils import timezone

from chat.models import State, Turn
from tests.processes import Server, free_port, spawn, wait_for


def call(server, who, path, body=None):
    request = urllib.request.Request(
        f"{server.url}/api/{path}",
        data=json.dumps(body).encode() if body else None,
        headers={"Authorization": who.api._credentials["HTTP_AUTHORIZATION"], "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def test_a_turn_of_a_killed_server_is_ended_by_the_next_one(start_server, viewer, contract, service):
    with socket.create_server(("127.0.0.1", 0)) as silent_model:
        port = free_port()
        environment = {
            "CLEARANCE_PORT": str(port),
            "CLEARANCE_DB_POOL": "4",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{silent_model.getsockname()[1]}",
        }
        first = Server(spawn("web", **environment), f"http://127.0.0.1:{port}")
        try:
            wait_for(lambda: urllib.request.urlopen(f"{first.url}/healthz", timeout=2), "the web server")
            session = call(first, viewer, "chat/sessions/", {"entity": str(contract.pk)})["id"]
            turn = call(first, viewer, f"chat/sessions/{session}/messages/", {"content": "Are you there?"})["turn"]

            def state():
                with viewer.scope.open():
                    return Turn.objects.get(pk=turn).state

            wait_for(lambda: state() == State.RUNNING, "the turn to begin")
        finally:
            first.kill()
    assert state() == State.RUNNING
    with service.open():
        # Its lease, grown old.
        Turn.objects.filter(pk=turn).update(lease_until=timezone.now() - timedelta(seconds=1))
    second = start_server()
    ended = call(second, viewer, f"chat/turns/{turn}/")
    assert ended["state"] == "interrupted"
    assert ended["error"]["detail"].startswith("The server stopped")
    assert call(second, viewer, f"chat/sessions/{session}/messages/", {"content": "And now?"})["turn"] != turn

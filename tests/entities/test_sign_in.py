"""Wrong passwords make a guesser wait, and neither the person whose account it is nor anybody beside the guesser."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone

from entities.account import change_password
from entities.attempts import ACCOUNT, DEVICE, FORGOTTEN, PLACE
from entities.models import SignInCount, User
from entities.tasks import sweep_sign_in_counts
from tests.conftest import Person
from tests.processes import Server

HERE, ELSEWHERE = "10.0.0.1", "10.9.9.9"


def try_page(name: str, password: str, *, client: Client | None = None, address: str = HERE) -> Any:
    fields = {"username": name, "password": password}
    return (client or Client()).post("/sign-in/", fields, REMOTE_ADDR=address)


def try_token(name: str, password: str, *, client: Client | None = None, address: str = HERE) -> Any:
    fields = {"username": name, "password": password, "workspace": "acme"}
    answer = (client or Client()).post("/api/token/", fields, content_type="application/json", REMOTE_ADDR=address)
    return answer


DOORS = [(try_page, 200, 302), (try_token, 401, 200)]
"""Each with the status of a wrong password, and of a right one."""


def guess(name: str, *, address: str = HERE) -> None:
    """Until the wait is the longest."""
    for _ in range(PLACE.free + 7):
        wait_it_out()
        try_page(name, "wrong", address=address)


def guess_from_everywhere(name: str) -> None:
    for n in range(ACCOUNT.free + 7):
        wait_it_out()
        try_page(name, "wrong", address=f"10.1.{n}.1")


def wait_it_out() -> None:
    """As if the longest wait had gone by."""
    SignInCount.objects.update(last_at=F("last_at") - timedelta(seconds=PLACE.longest))


def sign_out(client: Client) -> None:
    assert client.post("/sign-out/").status_code == 302


def know(name: str) -> Client:
    """A browser in which the right password was typed."""
    client = Client()
    assert try_page(name, "pass", client=client, address=ELSEWHERE).status_code == 302
    sign_out(client)
    assert "clearance_device" in client.cookies
    return client


@pytest.mark.parametrize(("knock", "wrong", "right"), DOORS)
def test_after_wrong_passwords_one_has_to_wait(
    viewer: Person, knock: Callable[..., Any], wrong: int, right: int
) -> None:
    assert [knock("viewer", "wrong").status_code for _ in range(PLACE.free)] == [wrong] * PLACE.free
    guess("viewer")
    refused = knock("viewer", "pass")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= PLACE.longest
    assert "Too many wrong passwords" in refused.content.decode()
    wait_it_out()
    assert knock("viewer", "pass").status_code == right
    assert knock("viewer", "wrong").status_code == wrong, "a right one begins the count anew"
    assert knock("viewer", "pass").status_code == right


def test_the_wait_grows_and_is_bounded(viewer: Person) -> None:
    try_page("viewer", "wrong")
    waits = []
    for count in (PLACE.free, PLACE.free + 3, PLACE.free + 5, PLACE.free + 400):
        # The last wrong one was in 1,000 seconds, so that no wait is over before it is looked at.
        SignInCount.objects.update(count=count, last_at=timezone.now() + timedelta(seconds=1000))
        waits.append(int(try_page("viewer", "pass")["Retry-After"]) - 1000)
    assert waits == sorted(waits)
    assert waits[0] < waits[2] <= waits[3] <= PLACE.longest


@pytest.mark.parametrize(("knock", "wrong", "right"), DOORS)
def test_somebody_else_behind_the_same_proxy_is_not_locked_out(
    viewer: Person, hr: Person, knock: Callable[..., Any], wrong: int, right: int
) -> None:
    for n in range(100):
        try_page(f"nobody{n}", "wrong")
    guess("viewer")
    assert knock("hr", "wrong").status_code == wrong
    assert knock("hr", "pass").status_code == right
    assert knock("viewer", "pass").status_code == 429, "the guesser"
    assert knock("viewer", "pass", address=ELSEWHERE).status_code == right, "the person, where they are"


@pytest.mark.parametrize(("knock", "wrong", "right"), DOORS)
def test_a_right_password_from_a_known_device_always_passes_at_once(
    viewer: Person, knock: Callable[..., Any], wrong: int, right: int
) -> None:
    known = know("viewer")
    guess("viewer")
    guess_from_everywhere("viewer")
    assert knock("viewer", "pass", address="10.7.7.7").status_code == 429, "from everywhere else one waits"
    for address in (HERE, ELSEWHERE, "10.7.7.7"):
        assert knock("viewer", "wrong", client=known, address=address).status_code == wrong
        assert knock("viewer", "pass", client=known, address=address).status_code == right
        sign_out(known)
    wait_it_out()
    assert knock("viewer", "pass", address="10.7.7.7").status_code == right


def test_a_device_is_known_to_those_alone_who_signed_in_with_it(viewer: Person, hr: Person) -> None:
    known = know("hr")
    guess("viewer")
    assert try_page("viewer", "pass", client=known).status_code == 429
    forged = Client()
    cookie = known.cookies["clearance_device"].value
    forged.cookies["clearance_device"] = cookie[:-1] + ("A" if cookie[-1] != "A" else "B")
    guess("hr")
    assert try_page("hr", "pass", client=forged).status_code == 429
    assert try_page("hr", "pass", client=known).status_code == 302


def test_the_cookie_is_for_the_server_alone(viewer: Person) -> None:
    cookie = know("viewer").cookies["clearance_device"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] > 86_400 * 100
    assert "viewer" not in cookie.value
    assert "clearance_device" not in try_page("viewer", "wrong").cookies


def test_who_guesses_at_a_known_device_is_a_stranger_then(viewer: Person) -> None:
    known = know("viewer")
    guess("viewer")
    codes = [try_page("viewer", "wrong", client=known).status_code for _ in range(DEVICE.free + 1)]
    assert codes == [200] * DEVICE.free + [429]
    assert try_page("viewer", "pass", client=known).status_code == 429
    other = know("viewer")
    assert try_page("viewer", "pass", client=other).status_code == 302, "another device of theirs is known still"


def test_a_new_password_ends_what_devices_knew_and_the_one_it_was_typed_in_is_known(viewer: Person) -> None:
    known, own = know("viewer"), know("viewer")
    assert try_page("viewer", "pass", client=own, address=ELSEWHERE).status_code == 302
    fields = {"old_password": "pass", "new_password1": "one of my very own", "new_password2": "one of my very own"}
    assert own.post("/account/password/", fields, REMOTE_ADDR=ELSEWHERE).status_code == 302
    sign_out(own)
    guess("viewer")
    assert try_page("viewer", "one of my very own", client=own).status_code == 302
    assert try_page("viewer", "one of my very own", client=known).status_code == 429


def test_a_password_set_by_somebody_else_ends_it_too(viewer: Person) -> None:
    known = know("viewer")
    change_password(user=viewer.user, password="pass")  # salted anew
    guess("viewer")
    assert try_page("viewer", "pass", client=known).status_code == 429


def test_what_is_kept_names_nobody_and_is_alike_for_who_does_not_exist(viewer: Person) -> None:
    try_page("viewer", "wrong")
    real = sorted(SignInCount.objects.values_list("count", flat=True))
    SignInCount.objects.all().delete()
    try_page("no such person", "wrong")
    assert sorted(SignInCount.objects.values_list("count", flat=True)) == real
    with connection.cursor() as cursor:
        cursor.execute("SELECT c::text FROM entities_signincount c")
        written = " ".join(row for (row,) in cursor.fetchall())
    for word in ("no such person", "wrong", HERE):
        assert word not in written


def test_a_form_that_lacks_a_part_is_no_try(viewer: Person) -> None:
    guess("viewer")
    before = list(SignInCount.objects.order_by("key").values_list("key", "count"))
    for fields in ({"username": "viewer", "password": ""}, {"username": "", "password": "pass"}):
        assert Client().post("/sign-in/", fields, REMOTE_ADDR=HERE).status_code == 200
    assert list(SignInCount.objects.order_by("key").values_list("key", "count")) == before


def test_old_counts_are_swept_and_count_no_more(viewer: Person, hr: Person) -> None:
    guess("viewer")
    SignInCount.objects.update(last_at=F("last_at") - FORGOTTEN - timedelta(seconds=1))
    assert [try_page("viewer", "wrong").status_code for _ in range(PLACE.free)] == [200] * PLACE.free
    SignInCount.objects.update(last_at=F("last_at") - FORGOTTEN - timedelta(seconds=1))
    try_page("hr", "wrong")
    sweep_sign_in_counts()
    assert SignInCount.objects.count() == 2, "what is of today stays"


def test_of_many_guesses_at_once_no_more_are_looked_at(transactional_db: None, viewer: Person) -> None:
    def knock(_: int) -> int:
        try:
            return int(try_token("viewer", "wrong").status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(knock, range(24)))
    assert set(codes) == {401, 429}
    assert codes.count(401) == SignInCount.objects.order_by("-count")[0].count


def ask(server: Server, name: str, forwarded: str) -> int:
    body = json.dumps({"username": name, "password": "wrong", "workspace": "acme"}).encode()
    headers = {"Content-Type": "application/json", "X-Forwarded-For": forwarded}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{server.url}/api/token/", body, headers), timeout=60):
            raise AssertionError("it was right")
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_a_caller_does_not_choose_the_address(server: Server, viewer: Person) -> None:
    codes = [ask(server, "viewer", f"10.0.0.{n}") for n in range(PLACE.free + 5)]
    assert codes[: PLACE.free] == [401] * PLACE.free
    assert codes[-1] == 429


def test_a_configured_proxy_names_the_address_and_what_its_caller_wrote_before_is_not_heard(
    start_server: Callable[..., Server], viewer: Person, hr: Person
) -> None:
    server = start_server(CLEARANCE_PROXIES="127.0.0.1,192.0.2.0/24")
    assert {ask(server, "viewer", f"10.0.0.{n}") for n in range(PLACE.free + 5)} == {401}
    codes = [ask(server, "hr", f"10.0.0.{n}, 10.0.7.7, 192.0.2.8") for n in range(PLACE.free + 5)]
    assert codes[: PLACE.free] == [401] * PLACE.free
    assert codes[-1] == 429


def test_the_addresses_that_one_machine_has_are_one(viewer: Person) -> None:
    for n in range(PLACE.free + 7):
        wait_it_out()
        try_page("viewer", "wrong", address=f"2001:db8::{n}")
    assert try_page("viewer", "pass", address="2001:db8::ffff").status_code == 429
    assert try_page("viewer", "pass", address="2001:db8:0:1::1").status_code == 302


def test_an_account_that_was_ended_is_not_let_in_by_a_device_that_it_knew(viewer: Person) -> None:
    known = know("viewer")
    User.objects.filter(pk=viewer.user.pk).update(is_active=False)
    assert try_page("viewer", "pass", client=known).status_code == 200

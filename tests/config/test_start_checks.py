"""What Clearance refuses to start with: each time one sentence that says what to do."""

import os
import socket
import subprocess
import sys

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import get_user_model

from config import checks
from config.roles import OWNER
from config.supervisor import check_port


@pytest.fixture
def connected_as(transactional_db):
    """Django's connection as another role, for one test."""
    from django.db import connection

    def switch(role):
        connection.close()
        connection.settings_dict["USER"] = role

    yield switch
    switch("clearance_app")


def test_our_own_layout_is_accepted(transactional_db):
    checks.check_server()
    checks.check_role()
    checks.check_tables()
    checks.check_broker()


def test_unprotected_table_of_a_type_is_refused(owner_connection, transactional_db):
    owner_connection.execute("CREATE TABLE entities_permit (entity_ptr_id uuid PRIMARY KEY, authority text)")
    try:
        with pytest.raises(checks.Refusal, match="entities_permit .* needs ProtectType"):
            checks.check_tables()
    finally:
        owner_connection.execute("DROP TABLE entities_permit")


def test_superuser_is_refused(connected_as):
    connected_as("postgres")
    with pytest.raises(checks.Refusal, match="superuser"):
        checks.check_role()


def test_owner_of_the_tables_is_refused(connected_as):
    connected_as(OWNER)
    with pytest.raises(checks.Refusal, match="owns the table"):
        checks.check_role()


def test_member_of_the_owner_is_refused(superuser_connection, transactional_db):
    superuser_connection.execute("GRANT clearance_owner TO clearance_app")
    try:
        with pytest.raises(checks.Refusal, match="belongs to its owner"):
            checks.check_role()
    finally:
        superuser_connection.execute("REVOKE clearance_owner FROM clearance_app")


def test_role_that_bypasses_row_level_security_is_refused(superuser_connection, transactional_db):
    superuser_connection.execute("ALTER ROLE clearance_app BYPASSRLS")
    try:
        with pytest.raises(checks.Refusal, match="BYPASSRLS"):
            checks.check_role()
    finally:
        superuser_connection.execute("ALTER ROLE clearance_app NOBYPASSRLS")


def test_old_pgvector_is_refused(superuser_connection, transactional_db):
    superuser_connection.execute("UPDATE pg_extension SET extversion = '0.8.3' WHERE extname = 'vector'")
    try:
        with pytest.raises(checks.Refusal, match=r"pgvector 0\.8\.3 .* upgrade it to 0\.8\.4"):
            checks.check_server()
    finally:
        superuser_connection.execute("UPDATE pg_extension SET extversion = '0.8.5' WHERE extname = 'vector'")


@pytest.fixture
def demo_user(db):
    return get_user_model().objects.create_user("admin", password=checks.DEMO_PASSWORD)


@pytest.mark.parametrize(
    "opened",
    [{"CLEARANCE_BIND": "0.0.0.0"}, {"ALLOWED_HOSTS": ["clearance.example.com"]}, {"CLEARANCE_HTTPS": True}],
)
def test_demo_password_on_a_public_address_is_refused(demo_user, settings, opened):
    settings.ALLOWED_HOSTS = ["localhost"]
    for name, value in opened.items():
        setattr(settings, name, value)
    with pytest.raises(checks.Refusal, match="demo's password still signs in admin: change it"):
        checks.check_demo_passwords()


def test_demo_password_on_localhost_is_accepted(demo_user, settings):
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
    checks.check_demo_passwords()


def test_changed_password_on_a_public_address_is_accepted(demo_user, settings):
    settings.CLEARANCE_BIND = "0.0.0.0"
    demo_user.set_password("a real one")
    demo_user.save()
    checks.check_demo_passwords()


def test_port_in_use_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(checks.Refusal, match=f"Port {port} .* CLEARANCE_PORT"):
            check_port("127.0.0.1", port)


def test_unreachable_database_is_one_sentence_without_traceback(tmp_path):
    environment = {
        **os.environ,
        "CLEARANCE_HOME": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": "postgresql://nobody@localhost:1/none",
        "CLEARANCE_PORT": "0",
    }
    run = subprocess.run(
        [sys.executable, "-m", "config.supervisor"],
        env=environment,
        cwd=django_settings.BASE,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 1
    assert "Clearance did not start. The database cannot be reached" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("settings_first", [True, False])
def test_nothing_reports_to_the_maker_of_a_library(tmp_path, settings_first):
    """onnxruntime writes down its use, to send it, as soon as it is imported; the twin sees that it would."""
    load = "import django; django.setup()" if settings_first else "import onnxruntime"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / ".cache"),
        "CLEARANCE_HOME": str(tmp_path / "home"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    for name in ("ORT_DISABLE_TELEMETRY", "CI", "GITHUB_ACTIONS"):  # with CI it is silent
        environment.pop(name, None)
    subprocess.run(
        [sys.executable, "-c", f"{load}; import onnxruntime, time; time.sleep(1)"],
        env=environment,
        cwd=django_settings.BASE,
        timeout=120,
        check=True,
    )
    assert (tmp_path / ".cache").exists() is not settings_first


@pytest.mark.parametrize("proxy", ["*", "nginx", "10.0.0.0/99", ""])
def test_a_proxy_that_is_no_address_is_refused(settings, proxy):
    settings.CLEARANCE_PROXIES = ["127.0.0.1", "10.0.0.0/8", "::1"]
    checks.check_proxies()
    settings.CLEARANCE_PROXIES.append(proxy)
    with pytest.raises(checks.Refusal, match="CLEARANCE_PROXIES"):
        checks.check_proxies()

"""What happens before the servers start: `python -m config.prepare`, run by the supervisor in a process of its own.

The process ends before the servers begin, so that the supervisor never holds the application in memory. It tells people
on standard error, and the supervisor on standard output: `demo` where the demo workspace exists.
"""

import os
import signal
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings

from config import checks


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def prepare_database() -> None:
    """Refuse unsafe databases, then bring the schema up to date as its owner. Raises: Refusal."""
    from django.core.management import call_command

    from config.database import as_owner

    checks.check_server()
    checks.check_role()
    if checks.unapplied_migrations():
        if settings.DATABASE_OWNER_URL == settings.DATABASE_URL:
            raise checks.Refusal("The schema must be brought up to date, which needs DATABASE_OWNER_URL.")
        say("Bringing the database up to date …")
        with as_owner():
            call_command("migrate", interactive=False, verbosity=0)
        checks.check_role()
    checks.check_tables()
    checks.check_demo_passwords()
    checks.check_broker()


def load_demo() -> bool:
    """On the first run of an installation that nobody else can reach. True where the demo workspace exists."""
    from django.core.management import call_command

    from entities.models import Workspace

    if Workspace.objects.filter(slug="demo").exists():
        return True
    if checks.is_public() or not settings.CLEARANCE_DEMO or Workspace.objects.exists():
        return False
    say("Loading the demo workspace …")
    call_command("load_demo", stdout=sys.stderr)
    return True


def main() -> None:
    from config.static import collect_if_changed

    try:
        django.setup()
        prepare_database()
        demo = load_demo()
        if collect_if_changed():
            say("Static files collected.")
    except checks.Refusal as refusal:
        sys.exit(f"Clearance did not start. {refusal}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    if demo:
        print("demo")


if __name__ == "__main__":
    from config.child import end_with

    end_with(int(os.environ["CLEARANCE_SUPERVISOR"].rpartition(":")[2]))
    main()

"""What happens before the first page is served: refuse, migrate, load the demo, collect static files.

The web process does it, because Django is in its memory anyway, and tells the supervisor over a pipe (`Console`).
"""

import os
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from config import checks

PIPE = "CLEARANCE_CONSOLE"


@dataclass(frozen=True)
class Console:
    """One line a message: `say …` for people, `refuse …` as the last word, `prepared` at the end.

    `prepared` has the word `demo` where the demo workspace exists, and the path of the page of the first run as long as
    that is open.
    """

    descriptor: int

    def tell(self, kind: str, text: str = "") -> None:
        os.write(self.descriptor, f"{kind} {' '.join(text.split())}".rstrip().encode() + b"\n")


def open_console() -> Console | None:
    """The supervisor's, or None in a process that somebody else started."""
    descriptor = os.environ.pop(PIPE, "")
    return Console(int(descriptor)) if descriptor else None


def prepare_installation(console: Console) -> None:
    """Raises: SystemExit when Clearance must not start; the supervisor has been told why."""

    def say(text: str) -> None:
        console.tell("say", text)

    try:
        checks.check_sandbox()
        prepare_database(say)
        apply_resting_labels()
        words = ["demo"] if load_demo(say) else []
        words += find_first_run()
        collect_static_files(say)
    except checks.Refusal as refusal:
        console.tell("refuse", str(refusal))
        raise SystemExit(1) from None
    except Exception as error:
        console.tell("refuse", f"Preparing it failed with {type(error).__name__}: see web.log in the logs directory.")
        raise
    console.tell("prepared", " ".join(words))


def find_first_run() -> list[str]:
    """The path of the page on which the installation is begun, with its code where that is asked for; [] where somebody
    has begun it."""
    from entities.first_run import make_code
    from entities.network import is_public
    from entities.sign_in import is_unclaimed

    if not is_unclaimed():
        return []
    return [f"begin/?code={make_code()}" if is_public() else "begin/"]


def prepare_database(say: Callable[[str], None]) -> None:
    """Refuse unsafe databases, then bring the schema up to date as its owner. Raises: Refusal."""
    from django.core.management import call_command

    from config.database import as_owner

    checks.check_server()
    checks.check_role()
    if checks.list_unapplied_migrations():
        if settings.DATABASE_OWNER_URL == settings.DATABASE_URL:
            raise checks.Refusal("The schema must be brought up to date, which needs DATABASE_OWNER_URL.")
        say("Bringing the database up to date …")
        with as_owner():
            call_command("migrate", interactive=False, verbosity=0)
        checks.check_role()
    checks.check_tables()
    checks.check_demo_passwords()
    checks.check_proxies()
    checks.check_broker()


def apply_resting_labels() -> None:
    """Before anybody reads: what nobody has judged has the label that its workspace says, and documents of a kind have
    what their kind needs (docs/labels.md).
    """
    from ingestion.kind_floors import raise_documents_everywhere
    from ingestion.resting import apply_resting_everywhere

    apply_resting_everywhere()
    raise_documents_everywhere()


def load_demo(say: Callable[[str], None]) -> bool:
    """On the first run of an installation that nobody else can reach, and where loading it has not ended. True where
    the demo workspace exists.
    """
    from django.core.management import call_command

    from entities.models import Workspace
    from entities.network import is_public
    from ingestion.demo.load import SLUG, is_unfinished

    unfinished = is_unfinished()
    if Workspace.objects.filter(slug=SLUG).exists() and not unfinished:
        return True
    first = settings.CLEARANCE_DEMO and not Workspace.objects.exists()
    if is_public() or not (unfinished or first):
        return False
    say("Loading the demo workspace …")
    call_command("load_demo")
    return True


def collect_static_files(say: Callable[[str], None]) -> None:
    from config.static import collect_if_changed

    if collect_if_changed():
        say("Static files collected.")

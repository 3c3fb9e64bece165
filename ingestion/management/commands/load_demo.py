"""`manage.py load_demo`: the demo workspace, with the sign-ins that the README lists."""

import ipaddress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from ingestion.demo.load import PASSWORD, SLUG, USERS, load_demo
from ingestion.inline import process_all_waiting


class Command(BaseCommand):
    help = "Make the demo workspace, or what is missing of it. Its passwords are known to everybody: loopback only."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--wait", action="store_true", help="Process the files here and now, without a worker.")

    def handle(self, *args: Any, wait: bool, **options: Any) -> None:
        if not is_loopback(settings.CLEARANCE_BIND):
            raise CommandError(
                f"The demo's passwords are known to everybody; it is not loaded on {settings.CLEARANCE_BIND}."
            )
        loaded = load_demo()
        if wait:
            process_all_waiting(loaded.workspace)
        self.stdout.write(f"Workspace {SLUG!r}: {loaded.entities} records, {loaded.files} files.")
        self.stdout.write(f"Sign in as {', '.join(USERS)}; the password is {PASSWORD!r}.")


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False

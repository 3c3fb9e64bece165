"""`manage.py create_workspace legal "Legal department" --admin maria`: a workspace and its founder."""

from argparse import ArgumentParser
from collections.abc import Sequence
from getpass import getpass
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.db import transaction

from entities.actions import SEEDED
from entities.founding import Languages, found_workspace
from entities.models import User, Workspace
from entities.models.classification import STEWARDS

LEVELS = {label.casefold(): (value, label) for value, label, *_ in SEEDED}


class Command(BaseCommand):
    help = (
        "Create a workspace with the seeded classifications and roles, and its founder: the first administrator, who"
        " may also read and relabel everything unless an option says otherwise."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="Part of its address: /w/<slug>/.")
        parser.add_argument("name")
        parser.add_argument(
            "--admin", required=True, help="The founder's user name; asked for a password when there is no such user."
        )
        parser.add_argument(
            "--clearances",
            nargs="+",
            metavar="LEVEL",
            help=f"Levels that the founder is cleared for: {', '.join(label for _, label in LEVELS.values())}. Default:"
            " all of these. 'Public' alone is no clearance at all. A level that the workspace adds later is not"
            " included: add it to the role Founder.",
        )
        parser.add_argument(
            "--no-steward",
            action="store_true",
            help="Leave the founder without the steward's power (to see unlabelled text and to relabel).",
        )

        parser.add_argument(
            "--languages",
            choices=Languages.values,
            default=Languages.SEVERAL,
            help="In which languages its documents are; the search by meaning is chosen by it. Default: several.",
        )
        parser.add_argument(
            "--resting",
            metavar="LEVEL",
            default="Internal",
            help="The level of new text until anybody has judged it; Public is everybody; stewards: stewards and its "
            "sender alone. Default: Internal.",
        )

    def handle(
        self,
        *args: Any,
        slug: str,
        name: str,
        admin: str,
        clearances: Sequence[str] | None = None,
        no_steward: bool = False,
        languages: str = Languages.SEVERAL,
        resting: str = "Internal",
        **options: Any,
    ) -> None:
        try:
            validate_slug(slug)
        except ValidationError:
            raise CommandError("A slug has letters, digits, hyphens and underscores only.") from None
        if Workspace.objects.filter(slug=slug).exists():
            raise CommandError(f"There is a workspace {slug!r} already.")
        levels = read_levels(clearances)
        rests = {**{key: value for key, (value, _) in LEVELS.items()}, "stewards": STEWARDS}.get(resting.casefold())
        if rests == STEWARDS and no_steward:
            raise CommandError("Text cannot rest with stewards where there is none: leave --no-steward out.")
        if rests is None:
            raise CommandError(f"There is no level {resting!r} for --resting.")
        user = User.objects.filter(username=admin).first()
        password = "" if user else self.ask_password(admin)
        with transaction.atomic():
            user = user or User.objects.create_user(admin, password=password)
            found_workspace(
                slug=slug,
                name=name,
                founder=user,
                levels=levels,
                steward=not no_steward,
                languages=languages,
                resting=rests,
            )
        self.stdout.write(describe_founding(slug, admin, levels, steward=not no_steward))

    def ask_password(self, username: str) -> str:
        password = getpass(f"Password for {username}: ")
        try:
            validate_password(password)
        except ValidationError as problem:
            raise CommandError(" ".join(problem.messages)) from None
        return password


def read_levels(names: Sequence[str] | None) -> list[int]:
    """The values of the levels above Public that are named; of all levels for None. Raises: CommandError."""
    unknown = [name for name in names or () if name.casefold() not in LEVELS]
    if unknown:
        known = ", ".join(label for _, label in LEVELS.values())
        raise CommandError(f"There is no level {', '.join(map(repr, unknown))}. Levels are: {known}.")
    wanted = LEVELS if names is None else {name.casefold() for name in names}
    return sorted(value for key, (value, _) in LEVELS.items() if key in wanted and value)


def describe_founding(slug: str, admin: str, levels: Sequence[int], *, steward: bool) -> str:
    """The command's answer: what the founder may do from now on."""
    cleared = ", ".join(label for value, label in LEVELS.values() if value in {0, *levels})
    power = "has the steward's power" if steward else "does not have the steward's power"
    return f"/w/{slug}/ is ready. {admin} administers it, {power} and is cleared for {cleared}."

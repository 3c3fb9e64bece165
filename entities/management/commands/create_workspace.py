"""`manage.py create_workspace legal "Legal department" --admin maria`: a workspace and who administers it."""

from argparse import ArgumentParser
from getpass import getpass
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.db import transaction

from entities.access import Scope
from entities.actions import add_member, create_workspace
from entities.models import Role, User, Workspace


class Command(BaseCommand):
    help = "Create a workspace with the seeded classifications and roles, and its first administrator."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="Part of its address: /w/<slug>/.")
        parser.add_argument("name")
        parser.add_argument(
            "--admin", required=True, help="User name; asked for a password when there is no such user."
        )

    def handle(self, *args: Any, slug: str, name: str, admin: str, **options: Any) -> None:
        try:
            validate_slug(slug)
        except ValidationError:
            raise CommandError("A slug has letters, digits, hyphens and underscores only.") from None
        if Workspace.objects.filter(slug=slug).exists():
            raise CommandError(f"There is a workspace {slug!r} already.")
        user = User.objects.filter(username=admin).first()
        password = "" if user else self.new_password(admin)
        # A workspace without its administrator could be entered by nobody, and its slug would be taken.
        with transaction.atomic():
            user = user or User.objects.create_user(admin, password=password)
            workspace = create_workspace(slug=slug, name=name)
            with Scope.for_service(workspace.pk).open():
                add_member(workspace, user, Role.objects.filter(name__in=["Admin", "Editor"]))
        self.stdout.write(f"/w/{slug}/ is ready. {admin} administers it, is cleared for Public, and grants the rest.")

    def new_password(self, username: str) -> str:
        password = getpass(f"Password for {username}: ")
        try:
            validate_password(password)
        except ValidationError as problem:
            raise CommandError(" ".join(problem.messages)) from None
        return password

"""`manage.py grant_record legal 6f1c…-uuid maria`: every verb on a record that nobody is left to share."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from entities.access import Scope, grant_entity
from entities.actions import announce_access_change
from entities.actions import record_action as record_in_audit
from entities.management.commands.verify_audit import choose_workspaces
from entities.models import Entity, Membership
from entities.models.entity import Visibility
from entities.rag import VERBS


class Command(BaseCommand):
    help = "Grant a member every verb on a restricted record, where nobody is left who may share it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="Slug.")
        parser.add_argument("record", type=UUID, help="Its id, as the audit names it.")
        parser.add_argument("member", help="User name.")

    def handle(self, *args: Any, workspace: str, record: UUID, member: str, **options: Any) -> None:
        (pk,) = choose_workspaces(workspace)
        scope = Scope.for_service(pk)
        with scope.open():
            entity = Entity.objects.filter(pk=record).first()
            holder = Membership.objects.filter(user__username=member, user__is_active=True).first()
            if entity is None or holder is None:
                raise CommandError(f"The workspace has no {'record' if entity is None else 'member'} like this.")
            if entity.visibility == Visibility.PRIVATE:
                raise CommandError("A private record is its creator's alone.")
            grant_entity(entity, holder.user_id)
            record_in_audit(scope, "entity.granted", entity.type_name, entity.pk, user=holder.user_id, verbs=[*VERBS])
            announce_access_change(scope, entity.pk)
        self.stdout.write(f"{member} may see, change, delete and share it.")

"""`manage.py preview_resting`: before an upgrade, how much text it closes until it is judged, and for whom."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import connection

from entities.access import Scope, list_workspace_ids
from entities.models import Workspace

OPEN = """
SELECT count(*) FROM {table} p WHERE p.data_classification = 0 AND NOT EXISTS (
  SELECT FROM jsonb_array_elements(p.votes) vote WHERE vote->>'source' = 'manual'
    OR coalesce(vote->'labels', '[]') <> '[]' OR coalesce((vote->>'public')::boolean, false)
    OR (vote->>'source' = 'model' AND vote->>'reason' IS DISTINCT FROM 'nothing that a level names'))
"""
WITHOUT_INTERNAL = """
SELECT count(*), count(*) FILTER (WHERE NOT 1 = ANY(coalesce(app_atoms_of(m.user_id), '{}')))
FROM entities_membership m WHERE m.workspace_id = app_workspace()
"""
"""It asks the tables as they were before the upgrade, too."""


class Command(BaseCommand):
    help = "Tells how much text that nobody has judged will be for people cleared for Internal, and how many are not."

    def handle(self, *args: Any, **options: Any) -> None:
        names = dict(Workspace.objects.values_list("pk", "slug"))
        for workspace in list_workspace_ids():
            with Scope.for_service(workspace).open(), connection.cursor() as cursor:
                counts = []
                for table in ("ingestion_paragraph", "entities_fieldparagraph"):
                    cursor.execute(OPEN.format(table=table))
                    counts.append(cursor.fetchone()[0])
                cursor.execute(WITHOUT_INTERNAL)
                members, without = cursor.fetchone()
            self.stdout.write(
                f"{names.get(workspace, workspace)}: {counts[0]} paragraphs of files and {counts[1]} of records rest; "
                f"{without} of {members} members are not cleared for Internal and would no longer read them."
            )

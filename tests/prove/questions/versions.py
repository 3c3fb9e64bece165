"""When what is shown of a file came in, as one may know it, beside the same said in plain Python."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from ingestion.models import File, FileRevision, Paragraph
from retrieval import gate
from tests.oracle.planted_world import Everything
from tests.prove.questions.functions import asked
from tests.prove.questions.refusals import undone
from tests.prove.questions.tables import everybody
from tests.prove.size import FACTOR

CASES = 12 if FACTOR > 1 else 3
START = datetime(2024, 3, 1, tzinfo=UTC)


def days_are_those_of_versions_one_is_told_of(e: Everything) -> None:
    chance = random.Random(11)
    for _ in range(CASES):
        with undone():
            with e.planted.service.open():
                versions = {file: plant(e, chance, file) for file in e.files.values()}
                Paragraph.objects.filter(file__in=chance.sample(list(versions), len(versions) // 2)).delete()
            for person in everybody(e):
                scope = e.planted.scope(person)
                with scope.open():
                    seen = dict(File.objects.filter(pk__in=versions).values_list("pk", "created_at"))
                    with connection.cursor() as cursor:
                        cursor.execute(gate.TOLD_AT)
                        found = {file: at for file, at in cursor.fetchall() if file in versions}
                    known = set(asked("app_known_versions", list(seen)))
                    expected = {}
                    for file, made in seen.items():
                        revisions, shown = versions[file]
                        told = [
                            r.fetched_at
                            for r in revisions
                            if r.number <= shown.number and (r.pk == shown.pk or r.witness)
                            if shown.number == 1
                            or (asked("app_unlabelled") == [True])
                            or (shown.number > 1 and (file, r.number) in known)
                            or r.restored_by == scope.principal
                            or (r.created_by == scope.principal and r.restores is None)
                        ]
                        expected[file] = max(told, default=made)
                    assert found == expected, person


def plant(e: Everything, chance: random.Random, file: UUID) -> tuple[list[FileRevision], FileRevision]:
    """One version or more of a file, and which of them is shown."""
    first = FileRevision.objects.get(file=file)
    at: dict[str, Any] = {"workspace": e.planted.workspace, "file_id": file, "blob_id": first.blob_id}
    made = [first, *(FileRevision.objects.create(**at, number=n) for n in range(2, chance.randrange(2, 5)))]
    people = [0, *(user.pk for user in e.planted.users.values()), *(-role.pk for role in e.planted.roles.values())]
    for revision in made:
        revision.fetched_at = START + timedelta(hours=chance.randrange(10_000))
        revision.witness = chance.choice(("x", "x", ""))
        revision.created_by, revision.restored_by = chance.choice(people), chance.choice([0, *people])
        revision.restores = chance.choice((None, None, 1))
        revision.save()
    for paragraph in Paragraph.objects.filter(file=file).order_by("position"):
        Paragraph.objects.filter(pk=paragraph.pk).update(since=chance.choice([r.number for r in made]))
    shown = chance.choice(made)
    File.objects.filter(pk=file).update(revision=shown)
    return made, shown

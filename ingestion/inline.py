"""Working off everything that waits, in this process: for commands and tests, where no worker runs."""

from entities.access import Scope
from ingestion.claims import UNFINISHED
from ingestion.models import File, RecordIndex
from ingestion.processing import process_file
from ingestion.records import index_record


def process_all_waiting(workspace: int) -> int:
    """Process every waiting file and record of a workspace, until nothing is left that could be done now. Needs no
    scope open. Returns how many pieces of work were done.
    """
    done = 0
    while True:
        with Scope.for_service(workspace).open():
            files = list(
                File.objects.filter(state__in=UNFINISHED, pending_revision__isnull=False).values_list("pk", flat=True)
            )
            records = list(RecordIndex.objects.filter(stale_since__isnull=False).values_list("entity", flat=True))
        worked = [process_file(workspace, pk) for pk in files] + [index_record(workspace, pk) for pk in records]
        if not any(worked):
            return done
        done += sum(worked)

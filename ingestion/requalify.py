"""Working over what is stale: a share of the files first, then the rest (docs/adr/0033).

Every file is done by the pipeline under its claim, so a killed process loses a window at most and nothing is done
twice: what is waiting, begun and done stands in the database. Labels rise with the publishing of the file; one that
would fall stays until a steward decides (design §2.2).
"""

import hashlib
import json
import math
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from entities.access import Scope, combine_many, list_atoms
from ingestion.models import File, Paragraph, Redo, Requalification, RequalifiedFile, State
from ingestion.processing import process_file
from ingestion.queueing import queue_file
from ingestion.requalify_plan import RequalifyPlan, plan_requalification
from ingestion.votes import Vote, build_votes, collect_automatic, find_manual_vote, find_own_atoms
from ingestion.work import load_workspace_levels

Item = RequalifiedFile.State
SOON = timedelta(seconds=60)
POLL_SECONDS = 0.5


class RequalifyRefused(Exception):
    """What was asked for cannot be done now; the message is a sentence for people."""


@dataclass(frozen=True)
class RequalifyReport:
    """What came of files that are done. gained, waiting: atom → paragraphs, as on `RequalifiedFile`. still: files of
    the run that are not done yet."""

    files: int
    paragraphs: int
    changed: int
    gained: Mapping[int, int]
    waiting: Mapping[int, int]
    failed: tuple[tuple[UUID, str], ...]
    left: int
    still: int


def open_run(workspace: int) -> Requalification | None:
    with Scope.for_service(workspace).open():
        return Requalification.objects.filter(ended_at=None).first()


def start_run(workspace: int, share: float, *, everything: bool) -> tuple[Requalification, RequalifyPlan]:
    """A run of what is stale now, or of everything. share: of the files that go first, above 0. Raises: Refused."""
    if not 0 < share <= 1:
        raise RequalifyRefused("The share that goes first is a number above 0 and up to 1, such as 0.1.")
    with Scope.for_service(workspace).open():
        if Requalification.objects.filter(ended_at=None).exists():
            raise RequalifyRefused("A run is open already: go on with it (--go), or end it (--abandon).")
        found = plan_requalification(everything=everything)
        if not found.files:
            raise RequalifyRefused("Nothing is stale.")
        run = Requalification.objects.create(workspace_id=workspace, everything=everything, share=share)
        first = math.ceil(share * len(found.files))
        floor = combine_many(level.value for level in load_workspace_levels())
        # By a hash of both, so that the first ones are of all kinds and another run begins with others.
        order = sorted(found.files, key=lambda one: hashlib.sha256(f"{run.pk} {one.file}".encode()).digest())
        RequalifiedFile.objects.bulk_create(
            [
                RequalifiedFile(
                    workspace_id=workspace,
                    run=run,
                    file_id=one.file,
                    position=place,
                    canary=place < first,
                    causes=list(one.causes),
                    floor=floor,
                )
                for place, one in enumerate(order)
            ],
            batch_size=500,
        )
        return run, found


def go_on(
    run: Requalification,
    *,
    canary_only: bool,
    stopped: Callable[[], bool] = lambda: False,
    told: Callable[[RequalifiedFile], None] = lambda item: None,
) -> bool:
    """Do what is not done yet, of the first share or of all; returns whether all of it is. Needs no scope open.

    stopped: asked before every file. told: hears of each that is done. Raises: Refused where a file is put off.
    """
    scope = Scope.for_service(run.workspace_id)
    while not stopped():
        with scope.open():
            waiting = RequalifiedFile.objects.filter(run=run.pk, state__in=[Item.STARTED, Item.WAITING])
            item = (waiting.filter(canary=True) if canary_only else waiting).order_by("position").first()
            if item is not None and item.state == Item.WAITING:
                begin_file(run, item)
        if item is None:
            return True
        if item.state == Item.STARTED:
            finish_file(item, stopped)
        if item.state not in (Item.STARTED, Item.WAITING):
            told(item)
    return False


def begin_file(run: Requalification, item: RequalifiedFile) -> None:
    """Queue the published version of a file, in an open service scope; what is on its way anyway is left out."""
    file = File.objects.select_for_update().filter(pk=item.file_id).first()
    if file is None:
        item.state = Item.LEFT  # deleted meanwhile, and its row with it
        return
    if file.pending_revision_id is not None or file.revision_id is None:
        item.state, item.detail = Item.LEFT, "Another version of it is on its way, or waits in quarantine."
    else:
        before = {str(pk): [label, sorted(lost)] for pk, label, lost in load_labels(file.pk)}
        item.before = zlib.compress(json.dumps(before).encode())
        queue_file(
            run.workspace_id, file.pk, file.revision_id, Redo.ALL if run.everything else Redo.STALE, waking=False
        )
        item.state = Item.STARTED
    item.save(update_fields=["state", "detail", "before"])


def finish_file(item: RequalifiedFile, stopped: Callable[[], bool]) -> None:
    """Work on a file that was begun until it has come to an end, here or in the hands of a worker. Raises: Refused."""
    scope = Scope.for_service(item.workspace_id)
    while True:
        process_file(item.workspace_id, item.file_id)
        with scope.open():
            file = File.objects.filter(pk=item.file_id).first()
            if file is None:
                item.state = Item.LEFT  # deleted meanwhile, and its row with it
                return
            if file.redo == Redo.NOTHING or file.state in (State.FAILED, State.QUARANTINED):
                settle_file(item, file)
                return
            until = file.claimed_until
        if until is not None and until > timezone.now() + SOON:
            raise RequalifyRefused(
                "A file was put off for longer: the budget for models may be spent. Go on later with --go."
            )
        if stopped():
            return
        time.sleep(POLL_SECONDS)


def settle_file(item: RequalifiedFile, file: File) -> None:
    """Write down what came of a file, in an open service scope."""
    item.state = Item.DONE
    if file.redo != Redo.NOTHING:
        item.state, item.detail = Item.FAILED, file.error_detail[:300]
    elif file.aside and file.aside["redo"]:
        item.state, item.detail = Item.FAILED, file.aside["error_detail"][:300]
    before = json.loads(zlib.decompress(bytes(item.before or zlib.compress(b"{}"))))
    gained: Counter[int] = Counter()
    waiting: Counter[int] = Counter()
    item.paragraphs = item.changed = 0
    for pk, label, lost in load_labels(file.pk):
        old, old_lost = before.get(str(pk), [None, []])
        item.paragraphs += 1
        item.changed += label != old
        gained.update(set(_list_label_atoms(label)) - set(_list_label_atoms(old)) if str(pk) in before else ())
        waiting.update(lost - set(old_lost))
    item.gained, item.waiting, item.before = dict(gained), dict(waiting), None
    # No row where the file went meanwhile: then there is nothing to be told of it.
    written = ("state", "detail", "paragraphs", "changed", "gained", "waiting", "before")
    RequalifiedFile.objects.filter(pk=item.pk).update(**{name: getattr(item, name) for name in written})


def _list_label_atoms(label: int | None) -> Iterable[int]:
    return () if label is None else list_atoms(label)


def load_labels(file: UUID) -> list[tuple[UUID, int | None, frozenset[int]]]:
    """(paragraph, label, atoms that it has only because no label falls by itself)."""
    rows = Paragraph.objects.filter(file=file).order_by("position").values_list("pk", "data_classification", "votes")
    return [(pk, label, find_inherited_only(build_votes(votes))) for pk, label, votes in rows]


def find_inherited_only(votes: Sequence[Vote]) -> frozenset[int]:
    """Atoms that nothing gives a paragraph today but its label of before: a decrease that waits for a steward."""
    decision = find_manual_vote(votes)
    return collect_automatic(votes) - find_own_atoms(votes) - (decision.labels if decision else frozenset())


def report_run(run: Requalification) -> RequalifyReport:
    """Opens a service scope."""
    with Scope.for_service(run.workspace_id).open():
        items = list(RequalifiedFile.objects.filter(run=run.pk).order_by("position").defer("before"))
    done = [item for item in items if item.state == Item.DONE]
    gained: Counter[int] = Counter()
    waiting: Counter[int] = Counter()
    for item in done:
        gained.update({int(atom): count for atom, count in item.gained.items()})
        waiting.update({int(atom): count for atom, count in item.waiting.items()})
    return RequalifyReport(
        files=len(done),
        paragraphs=sum(item.paragraphs for item in done),
        changed=sum(item.changed for item in done),
        gained=gained,
        waiting=waiting,
        failed=tuple((item.file_id, item.detail) for item in items if item.state == Item.FAILED),
        left=sum(item.state == Item.LEFT for item in items),
        still=sum(item.state in (Item.WAITING, Item.STARTED) for item in items),
    )


def end_run(run: Requalification) -> None:
    """Opens a service scope. A file that was begun is brought to its end by the workers."""
    with Scope.for_service(run.workspace_id).open():
        Requalification.objects.filter(pk=run.pk, ended_at=None).update(ended_at=timezone.now())
        RequalifiedFile.objects.filter(run=run.pk).update(before=None)

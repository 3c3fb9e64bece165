"""How files are read: the ways that there are, and another one for a file that is there (docs/ocr.md)."""

from collections.abc import Sequence
from typing import get_args
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from entities.access import Scope
from entities.actions import record_action
from entities.rag import Strategy
from ingestion.access import get_collection, hold_or_404, is_disclosed
from ingestion.errors import BadUpload
from ingestion.models import File, FileRevision, Redo, Review
from ingestion.queueing import ENDED, queue_file, suspend_revision
from ingestion.work import get_strategy

WAYS = {
    "auto": gettext_lazy("Its own text; OCR for scans and pictures"),
    "text": gettext_lazy("Its own text only, nothing on pictures"),
    "layout": gettext_lazy("Look for tables on every page"),
    "ocr": gettext_lazy("Read every page by OCR"),
    "vision": gettext_lazy("Let a model read every page (costs more)"),
}
STRATEGY_CHOICES = (("", gettext_lazy("As usual")), *WAYS.items())
"""Ways of reading as the upload form offers them."""


def list_strategies(file: File) -> Sequence[tuple[str, str]]:
    """(strategy, words) as they are offered for a file that is there. In an open scope. "auto" is as its collection
    declares, and stays so when that declares another; the same way chosen for the file stays that one.
    """
    usual = get_collection(file).strategy
    as_usual = (
        str(WAYS["auto"])
        if usual == "auto"
        else gettext("As usual here: %(way)s") % {"way": lowercase_first(str(WAYS[usual]))}
    )
    return [("auto", as_usual), *((way, str(words)) for way, words in WAYS.items() if way != "auto")]


def lowercase_first(words: str) -> str:
    return words[0].lower() + words[1:]


def check_strategy(strategy: str) -> None:
    """Raises: BadUpload for what is none."""
    if strategy not in get_args(Strategy):
        raise BadUpload(
            gettext("There is no way of reading called %(strategy)s. Choose one of: %(strategy2)s.")
            % {"strategy": repr(strategy[:20]), "strategy2": ", ".join(get_args(Strategy))},
            "unknown_strategy",
        )


def choose_strategy(*, scope: Scope, file: File, strategy: str, again: bool = False) -> File:
    """Read a file, got with the verb "upload", in another way from now on. Its newest version is read anew: what is
    there stays readable until then, and no label falls, as when a file is renewed (docs/adr/0033). Should that one end
    badly, the published one is read anew. What a steward released is checked again, for it is other text.

    again: also where it is read in this way already, for a page that failed or a comparison that was not made may
    succeed now.

    Raises: BadUpload for no strategy, or where there is nothing to read; Http404 where the file was deleted meanwhile.
    """
    check_strategy(strategy)
    now = hold_or_404(file)
    newest = UUID(now.aside["revision"]) if now.aside else now.pending_revision_id or now.revision_id
    if newest is None:
        raise BadUpload(
            gettext("There is no version of this file that could be read. Upload another one."), "nothing_to_read"
        )
    given = FileRevision.objects.get(pk=newest)
    told = newest == now.revision_id or is_disclosed(scope, given)
    if told and given.strategy:
        now.strategy = given.strategy  # it came with a way of its own
    same = strategy == now.strategy
    if same and not again:
        return now
    before, now.strategy = get_strategy(now), strategy
    File.objects.filter(pk=now.pk).update(strategy=strategy)
    record_action(scope, "file.strategy_chosen", "file", now.pk, strategy=strategy, entity=str(now.entity_id))
    if told:
        FileRevision.objects.filter(pk=newest).update(strategy="")
    if get_strategy(now) == before and not again:
        return now
    if (shown := now.revision_id) and again:
        published = FileRevision.objects.get(pk=shown)
        published.inputs = {**published.inputs, "extraction": ""}
        published.save(update_fields=["inputs"])
    # What the published version is wanted for already is not less wanted for this; while a newer one is on its way, it
    # waits for that one to end (`queueing.suspend_revision`).
    wanted = now.redo or (now.aside["redo"] if now.aside else "")
    redo = Redo(wanted or Redo.STALE) if shown else Redo.NOTHING
    ended = now.aside or now.state in ENDED
    if shown and newest != shown and not told and (ended or same):
        # Of a version that ended badly others know nothing, nor how one that is on its way is read: it stays where it
        # is, and what they see is read anew, after it.
        if not ended:
            File.objects.filter(pk=now.pk).update(redo=redo)
            return File.objects.get(pk=now.pk)
        if not now.aside:
            suspend_revision(now)
        queue_file(scope.workspace, now.pk, shown, redo)
        return File.objects.get(pk=now.pk)
    FileRevision.objects.filter(pk=newest).update(strategy="")
    FileRevision.objects.filter(pk=newest, review=Review.RELEASED).update(review=Review.NONE)
    File.objects.filter(pk=now.pk).update(aside=None)
    queue_file(scope.workspace, now.pk, newest, redo)
    return File.objects.get(pk=now.pk)

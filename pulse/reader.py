"""What of a Pulse a reader is shown (design §8, §2.2). Reading never calls a model and never waits for one."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from entities.access import (
    Scope,
    build_sources_visible_q,
    filter_visible,
    grant_entity,
    has_permission,
    list_missing_atoms,
)
from entities.actions import announce_access_change, record_action
from entities.model_markdown import CitationLink
from entities.models import Entity
from pulse.models import Pulse, Variant
from pulse.staleness import ask_for
from pulse.variants import Atoms, Ladder, ServiceRole, get_ladder, get_service_role
from retrieval.citation_links import build_citation_links
from retrieval.citations import Owner
from retrieval.models import OwnerKind
from retrieval.owners import CitingText

State = Literal["off", "no_access", "waiting", "ready"]


@dataclass(frozen=True)
class PulseView:
    """A Pulse as one reader may see it.

    state: off (the type has none), no_access (the service role may not see the record), waiting (being made), ready.
    stale: since when it is known to be out of date. refreshing: a new text is on its way. requires: atoms that would
    show more than is shown, where that may be said. problem: why the last attempt failed, where it is known that a new
    text is due. role: as which it is made.
    """

    state: State
    pulse: Pulse | None = None
    refreshing: bool = False
    requires: Atoms = ()
    problem: str = ""
    role: str = ""
    stale: datetime | None = None

    @property
    def text(self) -> str:
        return self.pulse.text if self.pulse else ""

    @property
    def token(self) -> str:
        """Changes when what is shown does."""
        made = self.pulse.generated_at if self.pulse else ""
        shown = f"{self.state} {made} {self.refreshing} {self.requires} {self.problem}"
        return sha256(shown.encode()).hexdigest()[:16]


def load_pulse_view(scope: Scope, entity: Entity) -> PulseView:
    """The Pulse of a record, from `get_entity_or_404`, as the open scope may read it; a missing one is queued."""
    if not entity.type_class.rag().pulse:
        return PulseView("off")
    service = get_service_role()
    if service is None or not can_role_see(service, entity):
        return PulseView("no_access", role=service.role.name if service else "")
    given, pulse, requires = _choose_variant(scope, entity, get_ladder(service))
    if pulse is None and entity.archived_at is None and ask_for(entity, [given]):
        _wake_sweep(scope.workspace)
    row = Variant.objects.filter(entity=entity.pk, atoms=list(given)).first()
    return PulseView(
        state="ready" if pulse is not None else "waiting",
        pulse=pulse,
        refreshing=row is not None and row.stale_since is not None and entity.archived_at is None,
        requires=requires,
        problem=row.problem if row and (pulse is None or row.stale_since) else "",
        role=service.role.name,
        stale=row.stale_since if row else None,
    )


def refresh_pulse(scope: Scope, entity: Entity) -> None:
    """Ask for the reader's Pulse anew, as soon as the window allows; when nothing has changed no model is asked."""
    service = get_service_role()
    if service is not None and entity.archived_at is None:
        given, _, _ = _choose_variant(scope, entity, get_ladder(service))
        if ask_for(entity, [given], again=True):
            _wake_sweep(scope.workspace)


def allow_service_role(scope: Scope, entity: Entity) -> None:
    """Let the service role see a restricted or private record, from `get_entity_or_404`, so that a Pulse is written.

    It is shown to who may see the record, and nothing of it goes into a Pulse of another one.
    Raises: PermissionDenied for who may not share the record.
    """
    if not has_permission(scope, entity, "share"):
        raise PermissionDenied(gettext("You may see this record, but not share it."))
    service = get_service_role()
    if service is not None and not can_role_see(service, entity):
        grant_entity(entity, -service.role.pk, ["view"])
        record_action(scope, "pulse.allowed", "entity", entity.pk)
        announce_access_change(scope, entity.pk)


def select_readable(scope: Scope) -> QuerySet[Pulse]:
    """Pulses of visible records, drawn from visible records only; labels are the table's policy."""
    records = filter_visible(scope, Entity.objects.all()).order_by().values("pk")
    return Pulse.objects.filter(build_sources_visible_q(scope), entity__in=records, data_classification__isnull=False)


def list_latest(scope: Scope, count: int) -> list[tuple[Entity, Pulse]]:
    """The Pulses written last, one a record that is not archived: the one that its page shows this reader."""
    service = get_service_role()
    if service is None:
        return []
    ladder = get_ladder(service)
    found = select_readable(scope).filter(
        entity__archived_at__isnull=True, variant__atoms__in=[list(ladder.general), list(ladder.own)]
    )
    best: dict[UUID, Pulse] = {}
    for pulse in found.select_related("variant").order_by("-generated_at", "pk")[: 2 * count]:
        known = best.get(pulse.entity_id)
        if known is None or tuple(pulse.variant.atoms) == ladder.general:
            best[pulse.entity_id] = pulse
    records = Entity.objects.readable_by(scope).in_bulk(best)
    return [(records[pk], pulse) for pk, pulse in best.items() if pk in records][:count]


def get_citing(scope: Scope, pk: UUID) -> CitingText | None:
    """For the citations API: the text and registry of a Pulse that `scope` may read."""
    text = select_readable(scope).filter(pk=pk).values_list("text", flat=True).first()
    return None if text is None else CitingText(Owner(OwnerKind.PULSE, pk), text)


def load_citation_links(scope: Scope, pulse: Pulse) -> dict[int, CitationLink]:
    return build_citation_links(scope, CitingText(Owner(OwnerKind.PULSE, pulse.pk), pulse.text), pulse.pk)


def can_role_see(service: ServiceRole, entity: Entity) -> bool:
    """Whether the service role has been given the record; restricted and private ones it has not by itself."""
    return filter_visible(Scope.for_role(service.role), Entity.objects.filter(pk=entity.pk)).exists()


def _choose_variant(scope: Scope, entity: Entity, ladder: Ladder) -> tuple[Atoms, Pulse | None, Atoms]:
    """(the variant that this reader is given, its text if there is one that they may read, what more would need)."""
    wanted = [list(ladder.general), list(ladder.own)]
    variants = dict(Variant.objects.filter(entity=entity.pk, atoms__in=wanted).values_list("pk", "atoms"))
    texts = {tuple(variants[pulse.pk]): pulse for pulse in select_readable(scope).filter(pk__in=variants)}
    if ladder.general in texts:
        return ladder.general, texts[ladder.general], ()
    hidden = _load_hidden_label(entity.pk, ladder.general)
    requires = list_missing_atoms(hidden) if hidden is not None else ()
    given = ladder.own if requires or ladder.own in texts else ladder.general
    return given, texts.get(given), requires


def _load_hidden_label(entity: UUID, atoms: Atoms) -> int | None:
    """The label of a variant's text that this reader is not cleared for, where that may be said."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_hidden_pulse(%s, %s::int[])", [entity, list(atoms)])
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def _wake_sweep(workspace: int) -> None:
    """Have the sweep look now; should the broker be away, its own time comes soon."""
    from pulse.tasks import wake_workspace

    transaction.on_commit(lambda: wake_workspace(workspace))

"""Making Pulses stale (design §8).

Whoever changes something flags the variants in their own transaction. The rows stay locked until that transaction ends,
so a claim never slips in between a change and its commit: it waits, and then reads what was committed.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.utils import timezone

from entities.access import get_current_scope
from entities.models import Entity, Source
from entities.registry import get_content_type_id, get_type_by_content_type, list_entity_types, list_parent_types
from pulse.models import Pulse, Variant
from pulse.variants import Atoms, get_service_role


def mark_stale(entities: Iterable[UUID], needs: Iterable[int] = ()) -> None:
    """Flag the Pulses of `entities`, in the open scope; the sweep takes them after the type's `coalesce` seconds.

    needs: the clearances that what changed needs; variants without them do not show it and are left alone. Where the
    text of a variant does not need them too it has readers without them: it is looked at, and they are told nothing.
    Types without a Pulse are passed over. A burst within one transaction writes each row once.
    """
    _mark_stale(entities, needs, shown=True)


def mark_due(entities: Iterable[UUID]) -> None:
    """Have the Pulses of `entities` looked at, without saying so: the change may be hidden from their readers."""
    _mark_stale(entities, (), shown=False)


def lock_variants(entities: Iterable[UUID]) -> None:
    """Lock the variants of `entities` to the end of the transaction, in one order. Who marks several times in one
    transaction calls it first: two that took the same rows in different orders would wait for each other.
    """
    with connection.cursor() as cursor:
        cursor.execute(HOLD, [get_current_scope().workspace, sorted(set(entities))])


HOLD = "SELECT id FROM pulse_variant WHERE workspace_id = %s AND entity_id = ANY(%s) ORDER BY id FOR UPDATE"


def mark_changed(entity: UUID, needs: Iterable[Iterable[int]], near: Iterable[UUID]) -> None:
    """`mark_stale` of a record for each set of clearances, then `mark_due` of `near`, to which it belongs."""
    windows = _load_windows(list(near))
    keep_variants(windows)
    if entity in windows:
        for clearances in needs:
            _mark_variants({entity: windows[entity]}, clearances, shown=True)
    _mark_variants(windows, (), shown=False)


def _mark_stale(entities: Iterable[UUID], needs: Iterable[int], *, shown: bool) -> None:
    windows = _load_windows(list(entities))
    keep_variants(windows)
    _mark_variants(windows, needs, shown=shown)


def _mark_variants(windows: Mapping[UUID, int], needs: Iterable[int], *, shown: bool) -> None:
    """windows: as of `_load_windows`, of records whose variants are there."""
    clearances = sorted(set(needs))
    if windows:
        with connection.cursor() as cursor:
            cursor.execute(
                MARK,
                [list(windows), list(windows.values()), shown, clearances, get_current_scope().workspace, clearances],
            )


# `xmin` names the transaction that wrote a row: what this one has flagged is not written again, and every other row is,
# flagged or not, because the lock is what keeps a claim away until this transaction ends.
MARK = """
WITH wanted AS (SELECT unnest(%s::uuid[]) AS entity, unnest(%s::int[]) AS seconds),
locked AS (
  SELECT v.id, w.seconds, s.shown FROM pulse_variant v JOIN wanted w ON w.entity = v.entity_id
  CROSS JOIN LATERAL (SELECT %s AND app_pulse_covers(v.id, %s::int[]) AS shown) s
  WHERE v.workspace_id = %s AND v.atoms @> %s::int[]
    AND (v.due_at IS NULL OR (s.shown AND v.stale_since IS NULL) OR v.xmin <> pg_current_xact_id()::xid)
  ORDER BY v.id FOR UPDATE OF v)
UPDATE pulse_variant v SET
  stale_since = CASE WHEN l.shown THEN coalesce(v.stale_since, clock_timestamp()) ELSE v.stale_since END,
  due_at = coalesce(v.due_at, clock_timestamp() + make_interval(secs => l.seconds))
FROM locked l WHERE v.id = l.id
"""


def ask_for(entity: Entity, variants: Iterable[Atoms], *, again: bool = False) -> bool:
    """Have variants made as soon as their window allows; returns whether that changed anything.

    again: also those that are there, and those that failed.
    """
    changed = False
    window = entity.type_class.rag().coalesce
    for atoms in sorted(set(variants)):
        Variant.objects.bulk_create(
            [Variant(workspace_id=entity.workspace_id, entity_id=entity.pk, atoms=list(atoms))], ignore_conflicts=True
        )
        with connection.cursor() as cursor:
            cursor.execute(ASK, [window, entity.workspace_id, entity.pk, list(atoms), again, again])
            changed = changed or cursor.rowcount > 0
    return changed


# At most one generation a window, whoever asks. What is due soon enough, or being made, is left as it is.
ASK = """
WITH asked AS (
  SELECT v.id, greatest(clock_timestamp(), v.begun_at + make_interval(secs => %s)) AS at FROM pulse_variant v
  WHERE v.workspace_id = %s AND v.entity_id = %s AND v.atoms = %s::int[] AND v.claim IS NULL AND (%s OR v.problem = ''))
UPDATE pulse_variant v SET due_at = a.at,
  stale_since = CASE WHEN %s THEN coalesce(v.stale_since, clock_timestamp()) ELSE v.stale_since END
FROM asked a WHERE v.id = a.id AND (v.due_at IS NULL OR v.due_at > a.at)
"""


def mark_old() -> int:
    """Have what its type calls old (`pulse_refresh_after`) looked at, in the service's scope; returns how many."""
    marked = 0
    for model in list_entity_types().values():
        rag = model.rag()
        if rag.pulse and rag.pulse_refresh_after:
            old = Variant.objects.filter(
                entity__in=Entity.objects.filter(content_type=get_content_type_id(model)).values("pk"),
                checked_at__lt=timezone.now() - timedelta(seconds=rag.pulse_refresh_after),
                due_at__isnull=True,
                claim__isnull=True,
            )
            marked += old.update(due_at=timezone.now())
    return marked


def mark_withdrawn() -> None:
    """Have texts that were withdrawn made again as soon as their windows allow, in the service's scope."""
    withdrawn = Pulse.objects.filter(data_classification__isnull=True).values("pk")
    waiting = Variant.objects.filter(pk__in=withdrawn, due_at=None, claim=None).select_related("entity")
    for variant in waiting.order_by("pk"):
        ask_for(variant.entity, [tuple(variant.atoms)])


def list_affected(*records: UUID) -> set[UUID]:
    """Records, those above them, and those whose Pulse was drawn from them."""
    there = load_types(records)
    return {*there, *list_above(there), *list_dependents(*there)}


def list_ancestors(entity: Entity) -> list[UUID]:
    """The records above `entity` by hard relations, as far as its type's `propagation` reaches; each once."""
    return sorted(list_above({entity.pk: entity.content_type_id}) - {entity.pk})


def list_above(records: Mapping[UUID, int]) -> set[UUID]:
    """What is above records of these types, in one statement for each type of a level."""
    found: set[UUID] = set()
    reach = {pk: compute_depth(type_id) for pk, type_id in records.items()}
    types = dict(records)
    while level := [pk for pk, depth in reach.items() if depth > 0 and pk in types]:
        higher: dict[UUID, int] = {}
        for type_id in sorted({types[pk] for pk in level}):
            model = get_type_by_content_type(type_id)
            names = [f"{name}_id" for name in list_parent_types(model)]
            of_type = [pk for pk in level if types[pk] == type_id]
            rows = model._base_manager.filter(pk__in=of_type).values_list("pk", *names) if names else ()
            for pk, *theirs in rows:
                for parent in filter(None, theirs):
                    higher[parent] = max(higher.get(parent, 0), reach[pk] - 1)
        found |= higher.keys()
        reach, types = higher, load_types(pk for pk, depth in higher.items() if depth)
    return found


def compute_depth(type_id: int) -> int:
    """How many levels up the Pulses show what changes on a record of this type."""
    option = get_type_by_content_type(type_id).rag().propagation
    return {"none": 0, "parent": 1}.get(option, 0) if isinstance(option, str) else option


def load_types(records: Iterable[UUID]) -> dict[UUID, int]:
    wanted = list(records)
    return dict(Entity.objects.filter(pk__in=wanted).values_list("pk", "content_type")) if wanted else {}


def list_dependents(*records: UUID) -> list[UUID]:
    """Records whose Pulse was drawn from any of these, by hard relations of today or of the past."""
    derived = Source.objects.filter(entity__in=records).values("derived")
    return list(Variant.objects.filter(pk__in=derived).values_list("entity", flat=True).distinct())


def keep_variants(entities: Iterable[UUID]) -> None:
    """Make sure that there are rows for the variants that are always kept."""
    entities = list(entities)
    service, workspace = get_service_role() if entities else None, get_current_scope().workspace
    if service is not None:
        Variant.objects.bulk_create(
            [
                Variant(workspace_id=workspace, entity_id=pk, atoms=list(atoms))
                for pk in entities
                for atoms in service.required_variants
            ],
            ignore_conflicts=True,
        )


def _load_windows(entities: list[UUID]) -> dict[UUID, int]:
    """Record -> seconds of its type's window, for the types that have a Pulse."""
    if not entities:
        return {}
    rows = Entity.objects.filter(pk__in=entities).values_list("pk", "content_type")
    rags = {pk: get_type_by_content_type(type_id).rag() for pk, type_id in rows}
    return {pk: rag.coalesce for pk, rag in rags.items() if rag.pulse}

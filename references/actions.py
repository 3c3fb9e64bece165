"""What can be done to references: the one place for pages, API, agents and the makers of citations."""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from entities.access import Scope, ScopeError, combine_for_workspace, get_current_scope, has_permission
from entities.actions import record_action
from entities.models import Entity, Source
from references.kinds import Kind
from references.locations import Location
from references.models import Reference

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CitationTarget:
    """A passage that a text cites. label: the passage's, combined with that of its name. `name`: "Survey.pdf, p. 12".

    passage: id of the cited index row or paragraph. paragraphs: ids of the paragraphs in it, by which a raise finds it.
    """

    entity: UUID
    passage: UUID
    label: int
    name: str
    location: Location = Location()
    paragraphs: Sequence[UUID] = field(default_factory=tuple)


def add_reference(
    *,
    scope: Scope,
    source: Entity,
    target: Entity,
    kind: str,
    label: str = "",
    reason: str = "",
    location: Location | None = None,
    origin: str = Reference.Origin.PERSON,
    drawn_from: Collection[tuple[UUID, UUID | None]] = (),
    floor: int = 0,
) -> Reference:
    """Link two records that the caller got from an access function.

    Text enters unlabelled and is hidden until the service has labelled it; a link without text is Public at once. A
    bookmark is its maker's alone; every other kind needs the verb "change" on the source. drawn_from: (entity, passage)
    of what the text was drawn from besides the two ends; floor: a label that the text has at least.
    Raises: PermissionDenied; ValueError for a kind that people cannot make, or a record linked to itself.
    """
    place = location or Location()
    if kind not in Kind.values or kind == Kind.CITATION:
        raise ValueError(
            gettext("There is no kind %(kind)s to add. Kinds are: %(citation)s.")
            % {"kind": repr(kind), "citation": ", ".join(k for k in Kind if k != Kind.CITATION)}
        )
    if kind == Kind.BOOKMARK:
        if scope.principal <= 0:
            raise ValueError(gettext("A bookmark belongs to a person."))
    elif source.pk == target.pk:
        raise ValueError(gettext("A record cannot be linked to itself."))
    elif not has_permission(scope, source, "change"):
        raise PermissionDenied(
            gettext("You may see this %(type_name)s, but not change what it is linked to.")
            % {"type_name": source.type_name}
        )
    same = _find_same(scope, source, target, kind, label, reason, place)
    if same is not None:
        return same
    floor = combine_for_workspace(scope.workspace, floor, place.label)
    reference = Reference(
        workspace_id=scope.workspace,
        source_id=source.pk,
        target_id=target.pk,
        kind=kind,
        label=label,
        reason=reason,
        audience=scope.principal if kind == Kind.BOOKMARK else 0,
        floor=floor,
        data_classification=None if label or reason else floor,
        location_type=place.type,
        location_detail=dict(place.detail),
        passage=place.passage,
        origin=origin,
        origin_principal=scope.principal,
    )
    reference.save(force_insert=True)
    _write_sources(reference, [*drawn_from, *([(target.pk, place.passage)] if place.passage else [])])
    record_action(scope, "reference.added", "reference", reference.pk, reference_kind=kind)
    _label_on_commit(reference)
    return reference


def change_reference(
    *, scope: Scope, reference: Reference, kind: str | None = None, label: str | None = None, reason: str | None = None
) -> Reference:
    """Change the kind or the words of a reference from `readable_by`.

    New words go unlabelled again and keep the label of the old ones as their floor, so an edit lowers nothing.
    Raises: PermissionDenied; ValueError for citations and for kinds that people cannot make.
    """
    _refuse_unless_editable(scope, reference)
    wanted = kind or reference.kind
    if wanted != reference.kind and Kind.BOOKMARK in (wanted, reference.kind):
        raise ValueError(gettext("A bookmark stays a bookmark, and nothing else becomes one."))
    if wanted not in Kind.values or wanted == Kind.CITATION:
        raise ValueError(gettext("There is no kind %(wanted)s to change to.") % {"wanted": repr(wanted)})
    words = (reference.label if label is None else label, reference.reason if reason is None else reason)
    if words == (reference.label, reference.reason):
        Reference.objects.filter(pk=reference.pk).update(kind=wanted, changed_at=timezone.now())
    else:
        # A row may not become invisible to who updates it, so the new text is a new row with the same id.
        sources = list(Source.objects.filter(derived=reference.pk).values_list("entity", "passage"))
        Reference.objects.filter(pk=reference.pk).delete()
        reference.floor = combine_for_workspace(scope.workspace, reference.floor, reference.data_classification or 0)
        reference.label, reference.reason = words
        reference.data_classification = None if any(words) else reference.floor
        reference.kind, reference.changed_at = wanted, timezone.now()
        reference.save(force_insert=True)
        _write_sources(reference, sources)
        _label_on_commit(reference)
    reference.kind = wanted
    record_action(scope, "reference.changed", "reference", reference.pk, reference_kind=wanted)
    return reference


def remove_reference(*, scope: Scope, reference: Reference) -> None:
    """Raises: PermissionDenied; ValueError for citations, which go with the text that cites."""
    _refuse_unless_editable(scope, reference)
    Reference.objects.filter(pk=reference.pk).delete()
    record_action(scope, "reference.removed", "reference", reference.pk, reference_kind=reference.kind)


def replace_citations(
    *,
    owner: UUID,
    source: UUID,
    origin: str,
    origin_principal: int,
    cited: Iterable[CitationTarget],
    audience: int = 0,
) -> int:
    """Make the Citation references of one text (a Pulse, a message) exactly those to `cited`; returns their number.

    One per cited passage; those that stay keep their id. Runs in the service's scope, with the labels that it is given.
    Raises: ScopeError outside a service scope.
    """
    scope = get_current_scope()
    if not scope.is_service:
        raise ScopeError("citations are written by the service")
    wanted = {(c.entity, c.passage): c for c in cited}
    known = {(r.target_id, r.passage): r for r in Reference.objects.filter(owner=owner, kind=Kind.CITATION)}
    Reference.objects.filter(pk__in=[r.pk for key, r in known.items() if key not in wanted]).delete()
    for key, citation in wanted.items():
        reference = known.get(key)
        if reference is None:
            reference = Reference(
                workspace_id=scope.workspace, owner=owner, kind=Kind.CITATION, target_id=citation.entity
            )
        reference.source_id = source
        reference.passage = citation.passage
        reference.label = citation.name[:500]
        reference.data_classification = citation.label
        reference.location_type, reference.location_detail = citation.location.type, dict(citation.location.detail)
        reference.origin, reference.origin_principal, reference.audience = origin, origin_principal, audience
        reference.changed_at = timezone.now()
        reference.save(force_insert=reference._state.adding)
        Source.objects.filter(derived=reference.pk).delete()
        _write_sources(reference, [(citation.entity, p) for p in citation.paragraphs or (None,)])
    return len(wanted)


def may_edit(scope: Scope, reference: Reference) -> bool:
    """Who made it, or who may change the record it starts from. Citations go with the text that cites, links with their
    document.
    """
    if reference.kind == Kind.CITATION or reference.origin == Reference.Origin.DOCUMENT:
        return False
    if scope.principal and reference.origin_principal == scope.principal:
        return True
    return Entity.objects.visible_to(scope, "change").filter(pk=reference.source_id).exists()


def _refuse_unless_editable(scope: Scope, reference: Reference) -> None:
    if reference.kind == Kind.CITATION:
        raise ValueError(gettext("A citation belongs to the text that cites, and changes with it."))
    if reference.origin == Reference.Origin.DOCUMENT:
        raise ValueError(gettext("A link belongs to the document that it stands in, and changes with it."))
    if not may_edit(scope, reference):
        raise PermissionDenied(
            gettext("Only the person who made this reference, or may change the record it starts from, can do that.")
        )


def _find_same(
    scope: Scope, source: Entity, target: Entity, kind: str, label: str, reason: str, place: Location
) -> Reference | None:
    """The caller's own reference that says the same, so that a repeated request adds nothing."""
    return (
        Reference.objects.readable_by(scope)
        .filter(
            source=source.pk,
            target=target.pk,
            kind=kind,
            label=label,
            reason=reason,
            location_type=place.type,
            location_detail=dict(place.detail),
            origin_principal=scope.principal,
        )
        .first()
    )


def _write_sources(reference: Reference, drawn_from: Iterable[tuple[UUID, UUID | None]]) -> None:
    rows: dict[Any, Source] = {}
    for entity, passage in drawn_from:
        rows[entity, passage] = Source(
            workspace_id=reference.workspace_id, derived=reference.pk, entity_id=entity, passage=passage
        )
    Source.objects.bulk_create(rows.values())


def _label_on_commit(reference: Reference) -> None:
    if reference.data_classification is None:
        transaction.on_commit(partial(_wake_worker, reference.workspace_id, reference.pk))


def _wake_worker(workspace: int, reference: UUID) -> None:
    """Tell a worker; should the broker be away, the sweep will."""
    from references.tasks import label_reference

    try:
        label_reference.delay(workspace, str(reference))
    except Exception:
        logger.warning("reference %s waits for the next sweep", reference, exc_info=True)

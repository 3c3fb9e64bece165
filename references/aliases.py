"""Other names by which links find a record: titles, paths and addresses, in the form in which they are compared."""

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext

from entities.access import Scope, has_permission, is_readable
from entities.actions import record_action
from entities.models import Alias, Entity
from entities.signals import aliases_changed
from ingestion.link_targets import LONGEST_KEY, Wanted, build_path_key, build_title_address, build_url_key

MOST = 50
"""Of one record."""
KINDS = (Wanted.TITLE, Wanted.PATH, Wanted.URL)


class BadAlias(ValueError):
    """Not a name by which a link could find anything; the sentence says why."""


def list_aliases(entity: Entity) -> list[Alias]:
    """Those of a record that the caller sees; they are names, so who may not read its name knows of none."""
    if not is_readable(entity.name_classification):
        return []
    return list(Alias.objects.filter(entity=entity.pk).order_by("kind", "value"))


def add_alias(*, scope: Scope, entity: Entity, kind: str, value: str) -> Alias:
    """One that is there already stays as it is. Raises: PermissionDenied without the verb "change" on the record, or
    the clearance for its name; BadAlias.
    """
    _refuse_unless_allowed(scope, entity)
    key = build_alias_key(kind, value)
    known = Alias.objects.filter(entity=entity.pk)
    same = known.filter(kind=kind, value=key).first()
    if same is not None:
        return same
    if known.count() >= MOST:
        raise BadAlias(gettext("A record has up to %(most)s aliases. Remove one first.") % {"most": MOST})
    made = Alias.objects.create(workspace_id=scope.workspace, entity_id=entity.pk, kind=kind, value=key)
    _record_change(scope, entity, "alias.added", kind)
    return made


def remove_alias(*, scope: Scope, entity: Entity, kind: str, value: str) -> None:
    """Raises: as `add_alias`. One that is not there is no mistake."""
    _refuse_unless_allowed(scope, entity)
    gone, _ = Alias.objects.filter(entity=entity.pk, kind=kind, value=build_alias_key(kind, value)).delete()
    if gone:
        _record_change(scope, entity, "alias.removed", kind)


def build_alias_key(kind: str, value: str) -> str:
    """Raises: BadAlias."""
    value = value.strip()
    if kind not in KINDS:
        raise BadAlias(
            gettext("There is no kind %(kind)s. Kinds are: %(kinds)s.")
            % {"kind": repr(kind[:20]), "kinds": ", ".join(KINDS)}
        )
    try:
        key = {
            Wanted.TITLE: lambda: build_title_address(value).key,
            Wanted.PATH: lambda: build_path_key(value) if value else "",
            Wanted.URL: lambda: build_url_key(value),
        }[Wanted(kind)]()
    except ValueError:
        key = ""
    if not key or key == "/" or len(key) > LONGEST_KEY or "\x00" in key:
        raise BadAlias(gettext("This is no %(kind)s by which a link could find the record.") % {"kind": kind})
    return key


def _refuse_unless_allowed(scope: Scope, entity: Entity) -> None:
    if not has_permission(scope, entity, "change") or not is_readable(entity.name_classification):
        raise PermissionDenied(
            gettext("You may see this %(type_name)s, but not change what it is called.")
            % {"type_name": entity.type_name}
        )


def _record_change(scope: Scope, entity: Entity, action: str, kind: str) -> None:
    record_action(scope, action, "entity", entity.pk, alias_kind=kind)
    aliases_changed.send(Alias, workspace=scope.workspace, entity_id=entity.pk)

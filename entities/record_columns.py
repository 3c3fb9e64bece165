"""Columns by which lists of records are narrowed, ordered, summed and grouped: of the type, or of the record that one
of its links leads to (`project.due_on`). One that the open scope is not cleared for does not exist.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import models
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from entities.access import Scope, list_readable_fields
from entities.language import translate_stored
from entities.models import Entity
from entities.registry import get_column, list_parent_types

TIMES = ("updated_at", "created_at")
TIME_TITLES = {"updated_at": "changed", "created_at": "created"}
OWN = {"name": "title"}


@dataclass(frozen=True)
class RecordColumn:
    """A column of `model`, the listed type or the type that its field `link` leads to. name: "name" is the title as
    the scope may read it. link_atoms: what reading that link needs.
    """

    model: type[Entity]
    name: str
    link: str = ""
    link_atoms: frozenset[int] = frozenset()

    @property
    def path(self) -> str:
        return f"{self.link}.{self.name}" if self.link else self.name

    @property
    def alias(self) -> str:
        """The name under which a statement has its value: no two columns have one, however their names are joined."""
        if self.link or self.kind == "link":
            return f"linked{len(self.link)}_{self.link or 'key'}_{self.name}"
        return OWN.get(self.name, self.name)

    @cached_property
    def column(self) -> models.Field:
        return get_column(self.model, self.name)

    @cached_property
    def kind(self) -> str:
        """text, choice, number, money, date, time, link or other."""
        column = self.column
        if self.name in list_parent_types(self.model):
            return "link"
        if column.choices:
            return "choice"
        if isinstance(column, models.DateTimeField):
            return "time"
        if isinstance(column, models.DateField):
            return "date"
        if isinstance(column, models.DecimalField):
            return "money" if self.currency else "number"
        if isinstance(column, models.IntegerField | models.FloatField):
            return "number"
        return "text" if isinstance(column, models.CharField) else "other"

    @property
    def currency(self) -> str:
        """The field that says in which money an amount is; "" for none."""
        return "currency" if any(field.name == "currency" for field in self.model._meta.local_fields) else ""

    @property
    def atoms(self) -> frozenset[int]:
        """What the type declares that reading it needs: a name's own label is the record's."""
        if self.name in ("name", *TIMES):
            return self.link_atoms
        money = self.model.rag().get_field_label("currency") if self.kind == "money" else frozenset()
        return self.model.rag().get_field_label(self.name) | money | self.link_atoms

    @property
    def title(self) -> str:
        """As the type declares it, in the active language: "due on", "Fällig am"."""
        named = TIME_TITLES.get(self.name) or str(self.column.verbose_name)
        return translate_stored(named)

    def build_value(self, scope: Scope, listed: type[Entity]) -> Any:
        """An expression on rows of the listed type. A linked record that the scope may not see has no value, as no
        record has; nor has a link to it.
        """
        if self.kind == "link":
            target = list_parent_types(self.model)[self.name]
            return Subquery(target.objects.visible_to(scope).filter(pk=OuterRef(f"{self.name}_id")).values("pk")[:1])
        if not self.link:
            return F(OWN.get(self.name, self.name))
        rows = self.model.objects.readable_by(scope).filter(pk=OuterRef(f"{self.link}_id"))
        return Subquery(rows.order_by().values(OWN.get(self.name, self.name))[:1])

    def add_to(self, scope: Scope, listed: type[Entity], rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows with its value under `alias`."""
        is_there = not self.link and self.kind != "link" or self.alias in rows.query.annotations
        return rows if is_there else rows.alias(**{self.alias: self.build_value(scope, listed)})


def find_column(model: type[Entity], path: str) -> RecordColumn | None:
    """None where no such column exists for the open scope."""
    link, _, name = path.rpartition(".")
    fields = list_readable_fields(model)
    at: type[Entity] | None = model
    if link:
        at = list_parent_types(model).get(link) if link in fields else None
    if at is None or (link and name in list_parent_types(at)):
        return None
    if name not in TIMES and name not in list_readable_fields(at):
        return None
    column = RecordColumn(at, name, link, model.rag().get_field_label(link) if link else frozenset())
    if column.kind == "money" and column.currency not in list_readable_fields(at):
        return None
    return column


def list_record_columns(model: type[Entity]) -> list[RecordColumn]:
    """Every column that exists for the open scope, the type's own first."""
    own = list_readable_fields(model)
    targets = {name: target for name, target in list_parent_types(model).items() if name in own}
    linked = [f"{link}.{name}" for link, target in targets.items() for name in list_readable_fields(target)]
    return [column for path in (*own, *linked) if (column := find_column(model, path)) is not None]


def build_names_q(scope: Scope, model: type[Entity], words: str) -> models.Q:
    """Whether a record, a record that it links to, or a text of it that needs no clearance, as of a person or a firm,
    has these words.
    """
    fields = list_readable_fields(model)
    found = models.Q(title__icontains=words)
    for name in fields:
        column = RecordColumn(model, name)
        if name != "name" and name != column.currency and column.kind == "text" and not column.atoms:
            found |= models.Q(**{f"{name}__icontains": words})
    for link, target in list_parent_types(model).items():
        if link in fields and not model.rag().get_field_label(link):
            rows: QuerySet[Any] = target.objects.readable_by(scope)
            found |= models.Q(Exists(rows.filter(pk=OuterRef(f"{link}_id"), title__icontains=words)))
    return found

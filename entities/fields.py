"""Model fields that know about workspaces and labels; `entities.rls.Protect` reads them to write constraints and
policies.
"""

from typing import Any

from django.db import models
from django.db.models.expressions import Func, Value


class WorkspaceForeignKey(models.ForeignKey):
    """A link to a row of the same workspace.

    Foreign-key checks bypass row-level security, so the constraint is composite, (workspace_id, column) to
    (workspace_id, id), and is written by `Protect`, not by Django. Deletion cascades in the database, because Django
    would only see the children that the caller may see.
    """

    def __init__(self, to: Any, *, on_db_delete: str = "CASCADE", **kwargs: Any) -> None:
        self.on_db_delete = on_db_delete
        kwargs["on_delete"] = models.DO_NOTHING
        kwargs["db_constraint"] = False
        kwargs.setdefault("related_name", "+")
        super().__init__(to, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("on_delete")
        kwargs.pop("db_constraint", None)
        if self.on_db_delete != "CASCADE":
            kwargs["on_db_delete"] = self.on_db_delete
        return name, path, args, kwargs


class LabelField(models.IntegerField):
    """The one integer of design §2.1: a `Classification.value` of the row's workspace. NULL means not labelled yet:
    hidden.
    """


class KeptColumn(models.GeneratedField):
    """A generated column that is not asked back by the statement that writes: whoever enters text that they may not
    read yet cannot have it returned (docs/access.md).
    """

    db_returning = False  # type: ignore[assignment]


class RangesField(models.Field):
    """A set of whole numbers, as PostgreSQL keeps one: ranges that do not touch (`int8multirange`)."""

    def db_type(self, connection: Any) -> str:
        return "int8multirange"


class OwnerField(models.BigIntegerField):
    """User id of whose a row is, where others may read it along: nobody else changes or deletes it (`entities.rls`).

    Where none is given it is the one person whom the row is for (`audience`).
    """

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        audience: int = model_instance.audience  # type: ignore[attr-defined]
        if getattr(model_instance, self.attname) is None and audience > 0:
            setattr(model_instance, self.attname, audience)
        return super().pre_save(model_instance, add)


class NumberField(models.BigIntegerField):
    """A narrow key beside the UUID, for vector and posting tables; drawn from one sequence, never shown to anybody."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["db_default"] = Func(Value("clearance_number"), function="nextval")
        kwargs["unique"] = True
        kwargs["editable"] = False
        super().__init__(**kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        for key in ("db_default", "unique", "editable"):
            kwargs.pop(key, None)
        return name, path, args, kwargs


class LongText:
    """Text of a record that is stored only as labelled paragraphs (`FieldParagraph`), never as a column.

    `body = LongText("Body")` on a type declares it. There is no column, so no query on the type can carry the text past
    its labels (docs/adr/0002).
    """

    name: str

    def __init__(self, verbose_name: str = "") -> None:
        self.verbose_name = verbose_name

    def contribute_to_class(self, cls: type[models.Model], name: str) -> None:
        self.name = name
        self.verbose_name = self.verbose_name or name.replace("_", " ").capitalize()
        cls.long_texts = {**getattr(cls, "long_texts", {}), name: self}  # type: ignore[attr-defined]

"""The base of every business record."""

import uuid
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy

from entities import rag as declarations
from entities.fields import LabelField, LongText, NumberField, WorkspaceForeignKey
from entities.models.people import Workspace

if TYPE_CHECKING:
    from entities.access import Scope


class Visibility(models.TextChoices):
    WORKSPACE = "workspace", gettext_lazy("Everybody in the workspace")
    RESTRICTED = "restricted", gettext_lazy("Only people who were given access")
    PRIVATE = "private", gettext_lazy("Only its creator")


ATTACHED = "attached"
"""The visibility of a record that nobody chooses: it holds what one person has attached to a conversation."""


class Redacted(AttributeError):
    """A column was read that the scope was not cleared for. It was never selected."""


class EntityQuerySet(models.QuerySet["Entity"]):
    def visible_to(self, scope: "Scope", verb: str = "view") -> Self:
        """Rows on which `scope` has object permission for `verb`; all conditions are in the statement (design §2.4)."""
        from entities.access import build_visibility_q

        return self.filter(build_visibility_q(scope, self.model, verb))

    def readable_by(self, scope: "Scope") -> Self:
        """`visible_to`, with the columns that `scope` is not cleared for left out of the SELECT.

        `title` is the name where the caller is cleared for the name's label, else NULL. Reading a column that was left
        out raises `Redacted`.
        """
        from entities.access import select_readable

        return cast(Self, select_readable(self.visible_to(scope), scope))


class TypeTitle:
    """A name of a type for pages, on the class as on its rows: templates get the class too."""

    def __init__(self, option: str) -> None:
        self.option = option

    def __get__(self, instance: "Entity | None", owner: type["Entity"]) -> str:
        model = owner if instance is None else instance.type_class
        text = str(getattr(model._meta, self.option) or "")
        return text.capitalize() if self.option == "verbose_name_plural" else text


class Entity(models.Model):
    """A business record. Concrete types (one file each in `entities/types/`) inherit from it by their own table.

    `source_system` and `source_id` are its identity and never change; titles, paths and URLs are `Alias` rows.
    deleted_at: since when it is in the bin (`entities.bin`), where no scope finds it, the service's neither.
    deleted_with: the record that it belongs to and went with; NULL for one that somebody deleted by itself.
    attached_to: the conversation whose attachments of one person, `created_by`, hang on this record, which is of no
    type and goes with it (docs/adr/0064); NULL for every business record.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    number = NumberField()
    workspace = models.ForeignKey(Workspace, models.PROTECT, editable=False, related_name="+")
    content_type = models.ForeignKey(ContentType, models.PROTECT, editable=False, related_name="+")
    name = models.CharField(max_length=300)
    name_classification = LabelField(default=0, editable=False)
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.WORKSPACE)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    created_by = models.BigIntegerField(default=0, editable=False, help_text="User id, -role id, or 0 for the service.")
    updated_by = models.BigIntegerField(default=0, editable=False)
    archived_at = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    deleted_by = models.BigIntegerField(default=0, db_default=0, editable=False)
    deleted_with = models.UUIDField(null=True, editable=False)
    attached_to = models.UUIDField(null=True, editable=False)
    source_system = models.CharField(max_length=60, default="clearance", editable=False)
    source_id = models.CharField(max_length=200, editable=False)

    objects = EntityQuerySet.as_manager()

    long_texts: ClassVar[dict[str, LongText]] = {}
    _redacted: frozenset[str] = frozenset()
    do_not_call_in_templates = True
    singular_title = TypeTitle("verbose_name")
    plural_title = TypeTitle("verbose_name_plural")
    type_key = TypeTitle("model_name")

    class Rag(declarations.Rag):
        """What a type declares starts from these defaults."""

    class Access(declarations.Access):
        """Open to the workspace unless a type says otherwise."""

    class Meta:
        verbose_name = "record"
        ordering = ["-updated_at", "id"]
        constraints = [
            # What is in the bin does not stand in the way of a record that comes again from its source.
            models.UniqueConstraint(
                fields=["workspace", "source_system", "source_id"],
                condition=models.Q(deleted_at__isnull=True),
                name="entity_identity",
            ),
            models.UniqueConstraint(
                fields=["attached_to", "created_by"],
                condition=models.Q(attached_to__isnull=False),
                name="attachments_of_person",
            ),
            models.CheckConstraint(
                condition=models.Q(visibility=ATTACHED, attached_to__isnull=False)
                | (~models.Q(visibility=ATTACHED) & models.Q(attached_to__isnull=True)),
                name="attachments_stay_attached",
            ),
        ]
        indexes = [
            # A list counts and cuts its pages in it alone: what object permission asks of a row is included.
            models.Index(
                fields=["workspace", "content_type", "-updated_at", "id"],
                include=["visibility", "created_by", "archived_at", "deleted_at"],
                name="entity_list",
            ),
            models.Index(fields=["workspace", "-updated_at"], name="entity_recent"),
            # Which records somebody sees is read out of it: most are open to all.
            models.Index(
                fields=["workspace", "visibility", "created_by", "number"],
                include=["content_type", "deleted_at"],
                name="entity_seen",
            ),
            models.Index(
                fields=["workspace", "-deleted_at"], condition=models.Q(deleted_at__isnull=False), name="entity_binned"
            ),
        ]
        permissions = [("upload_entity", "Can upload files"), ("share_entity", "Can share")]

    def __str__(self) -> str:
        return self.title_or_type

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding:
            self.content_type = ContentType.objects.get_for_model(type(self))
            self.source_id = self.source_id or str(self.id)  # the key of a concrete type follows only on saving
            self.name_classification = type(self).rag().name_label(self.workspace_id)
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        if self.type_class is Entity:
            return reverse("chat:session", args=[self.attached_to])
        return reverse("entities:detail", args=[self.pk])

    def refresh_from_db(self, using: str | None = None, fields: Any = None, from_queryset: Any = None) -> None:
        """Loading a deferred column is how Django would walk around `readable_by`: it raises instead."""
        if fields is not None and set(fields) & self._redacted:
            raise Redacted(f"{sorted(set(fields) & self._redacted)} of {type(self).__name__} was not cleared for")
        super().refresh_from_db(using=using, fields=fields, from_queryset=from_queryset)

    @classmethod
    def from_db(cls, db: str | None, field_names: Any, values: Any, **kwargs: Any) -> Self:
        """Remember which columns were left out, so that they stay out."""
        instance = super().from_db(db, field_names, values, **kwargs)
        loaded = set(field_names)
        instance._redacted = frozenset(f.attname for f in cls._meta.concrete_fields if f.attname not in loaded)
        return instance

    @classmethod
    def rag(cls) -> type[declarations.Rag]:
        return cls.Rag

    @classmethod
    def access(cls) -> type[declarations.Access]:
        return cls.Access

    @property
    def title_or_type(self) -> str:
        """What may be printed: the readable name, else what stands in its place. Needs an instance from
        `readable_by`.
        """
        from entities.hidden_names import write_hidden_name

        title = getattr(self, "title", None)
        label = self.__dict__.get("name_classification")  # which some queries leave out
        return title or write_hidden_name(self.type_class._meta.verbose_name, label)

    @property
    def type_class(self) -> type["Entity"]:
        from entities.registry import get_type_by_content_type

        return get_type_by_content_type(self.content_type_id)

    @property
    def type_name(self) -> str:
        return self.type_class._meta.model_name or ""

    @property
    def type_title(self) -> str:
        return self.type_class.singular_title.capitalize()

    def specific(self, scope: "Scope") -> "Entity":
        """The concrete record as `scope` may read it.

        Raises: DoesNotExist when the scope may not see it.
        """
        return self.type_class.objects.readable_by(scope).get(pk=self.pk)


class Alias(models.Model):
    """Another name by which a record is known: a title, a path, a URL. Never creates or merges entities."""

    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    entity = WorkspaceForeignKey(Entity)
    kind = models.CharField(max_length=10, choices=[("title", "Title"), ("path", "Path"), ("url", "URL")])
    value = models.CharField(max_length=1000)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "aliases"
        indexes = [models.Index(fields=["workspace", "kind", "value"])]

    def __str__(self) -> str:
        return self.value

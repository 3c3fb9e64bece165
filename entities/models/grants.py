"""django-guardian's direct foreign-key permission tables, with an expiry, on the base type (design §2.4)."""

import uuid

from django.db import models
from django.db.models.functions import Now
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from entities.fields import WorkspaceForeignKey
from entities.language import translate_stored
from entities.models.entity import Entity
from entities.models.people import Workspace


class _Grant(models.Model):
    """The policy hides expired rows from everybody but the service, so guardian's own checks obey the expiry too.

    The key is random (docs/adr/0023): its address is shown to administrators, who do not see all grants there are.
    created_at, granted_by: when, and by which principal; NULL in rows that are older than these columns.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(null=True, db_default=Now(), editable=False)
    granted_by = models.BigIntegerField(null=True, db_default=models.Func(function="app_principal"), editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        """Without the name of the record, which not everybody may read who reads this."""
        holder = getattr(self, "user", None) or self.group.role  # type: ignore[attr-defined]
        return f"{holder}: {translate_stored(self.permission.codename.removesuffix('_entity'))}"  # type: ignore[attr-defined]

    def save(self, *args: object, **kwargs: object) -> None:
        # guardian creates rows itself and knows nothing of workspaces.
        if self.workspace_id is None:
            self.workspace_id = self.content_object.workspace_id  # type: ignore[attr-defined]
        super().save(*args, **kwargs)  # type: ignore[arg-type]


class EntityUserGrant(_Grant, UserObjectPermissionBase):
    """To a member: a composite key names the membership, and the grant goes with it."""

    content_object = WorkspaceForeignKey(Entity)

    class Meta(UserObjectPermissionBase.Meta):
        abstract = False
        indexes = [models.Index(fields=["content_object", "user"])]


class EntityRoleGrant(_Grant, GroupObjectPermissionBase):
    content_object = WorkspaceForeignKey(Entity)

    class Meta(GroupObjectPermissionBase.Meta):
        abstract = False
        indexes = [models.Index(fields=["content_object", "group"])]

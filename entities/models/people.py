"""Users, workspaces (tenants), and who belongs where in which role."""

import uuid

from django.contrib.auth.models import AbstractUser, Group
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models.functions import Now

from entities.fields import LabelField, WorkspaceForeignKey


class User(AbstractUser):
    """A person who signs in. Global: what they may see is decided per workspace by `Membership` and roles.

    password_by_other: somebody else chose the password and knows it; until its owner has chosen one they get to the
    page for that and to nothing else. join_epoch: codes for joining carry it and hold no longer when it has risen.
    language, time_zone: of the pages that they read; "" for what the browser and the installation say. mail_digest:
    whether they are told by e-mail that there are notifications.
    """

    password_by_other = models.BooleanField(default=False)
    join_epoch = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=10, blank=True)
    time_zone = models.CharField(max_length=60, blank=True)
    mail_digest = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class Workspace(models.Model):
    """A tenant. Its slug and name are the only things known of it from outside."""

    id = models.AutoField(primary_key=True)
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class WorkspaceSettings(models.Model):
    """What a workspace has chosen. Apart from `Workspace`, because that table is readable before a scope is open.

    kinds: keys of the types in the menus, in their order; NULL for all of them. kind_names: by the key of a type, what
    it is called here, as [one, several]; "" for the usual name.

    resting: the label of text that nobody has judged. kind_floors:
    {kind of document: atoms}, where they are not those that Clearance comes with.

    last_gone_level: the highest value of a classification that was deleted, kept by the database. Votes may still name
    it, so no other gets it.
    """

    workspace = models.OneToOneField(Workspace, models.PROTECT, primary_key=True)
    citation_style = models.CharField(
        max_length=8, choices=[("number", "[1]"), ("source", "[src:a1b2c3d4]")], default="number"
    )
    classification_prompt = models.TextField(blank=True)
    resting = LabelField(blank=True, default=1, editable=False)
    kind_floors = models.JSONField(default=dict, blank=True, editable=False)
    keep_questions_days = models.PositiveIntegerField(
        "days to keep the words of questions in the audit", null=True, blank=True, help_text="Empty: for ever."
    )
    keep_audit_days = models.PositiveIntegerField(
        "days to keep rows of the audit",
        null=True,
        blank=True,
        validators=[MinValueValidator(30)],
        help_text="At least 30. Empty: for ever.",
    )
    kinds = ArrayField(
        models.CharField(max_length=60),
        verbose_name="kinds of records in the menus",
        null=True,
        blank=True,
        help_text="None: all of them. The others stay where they are, and can be searched.",
    )
    kind_names = models.JSONField(default=dict, db_default={}, blank=True, editable=False)
    needs_versions = models.BooleanField(
        "programs say which version they change",
        default=False,
        db_default=False,
        help_text="The API then refuses a change or deletion without If-Match.",
    )
    policy_epoch = models.PositiveIntegerField(default=1, editable=False)
    last_gone_level = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        verbose_name_plural = "workspace settings"

    def __str__(self) -> str:
        return str(self.workspace_id)


class Membership(models.Model):
    """notices_seen_at: the latest notification that the member was shown. notices_mailed_at: when an e-mail last said
    that there were new ones.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT)
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    created_at = models.DateTimeField(auto_now_add=True)
    notices_seen_at = models.DateTimeField(db_default=Now(), editable=False)
    notices_mailed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "user"], name="one_membership_per_workspace")]

    def __str__(self) -> str:
        return f"{self.user} in {self.workspace}"


class Role(models.Model):
    """A Django group of exactly one workspace (design §2.4). Members hold it through `User.groups`."""

    workspace = models.ForeignKey(Workspace, models.PROTECT)
    name = models.CharField(max_length=100)
    group = models.OneToOneField(Group, models.CASCADE, editable=False)
    is_admin = models.BooleanField("administers the workspace", default=False)
    is_steward = models.BooleanField("sees unlabelled text and may relabel", default=False)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="role_name_per_workspace")]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: object, **kwargs: object) -> None:
        """Keep the group beside the role; group names are unique over the installation, so they carry the workspace."""
        name = f"{self.workspace_id}:{self.name}"
        new = self.group_id is None
        if new:
            # The policy on auth_group asks for the role, which does not exist yet: the group is made by a function.
            from entities.access import make_group

            self.group_id = make_group(name)
        super().save(*args, **kwargs)  # type: ignore[arg-type]
        if not new:
            Group.objects.filter(pk=self.group_id).exclude(name=name).update(name=name)


class Invitation(models.Model):
    """Who has its link becomes a member, once, with `roles` (keys). Only the SHA-256 of the link's secret is stored.

    note: for whom it is, in the words of the administrator who made it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT)
    digest = models.CharField(max_length=64, unique=True)
    note = models.CharField(max_length=150, blank=True)
    roles = ArrayField(models.IntegerField(), default=list)
    created_by = models.BigIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.note or str(self.pk)


KEY_LENGTH = 16


class Token(models.Model):
    """An API token of one membership; only its SHA-256 is stored. expires_at: it works no longer then; NULL for no end.
    last_used_on: a day, by the database's clock, for which the first request of a day writes.
    """

    workspace = models.ForeignKey(Workspace, models.PROTECT)
    membership = WorkspaceForeignKey(Membership)
    digest = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_on = models.DateField(null=True)

    def __str__(self) -> str:
        return self.name or self.digest[:8]

    @property
    def key(self) -> str:
        """Names the token to its owner: a number would count those of the whole installation."""
        return self.digest[:KEY_LENGTH]


class MadeOnce(models.Model):
    """What a person's request made that came with a key (`entities.repeats`). digest: of the key. request: digest of
    what it said. made: the ids of what it made.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    audience = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    request = models.CharField(max_length=64)
    made = ArrayField(models.UUIDField(), default=list)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "audience", "digest"], name="made_once_per_key")]

    def __str__(self) -> str:
        return str(self.pk)

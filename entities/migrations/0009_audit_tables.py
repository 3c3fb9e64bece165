import uuid

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import entities.fields


class Migration(migrations.Migration):
    """What stands beside the entries of the audit: words with their label, and links of the chain."""

    dependencies = [
        ("entities", "0008_role_grants_stay"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditLink",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="link",
                        serialize=False,
                        to="entities.auditentry",
                    ),
                ),
                ("seq", models.BigIntegerField(null=True)),
                ("digest", models.BinaryField()),
                ("text_digest", models.BinaryField(null=True)),
                ("hash", models.BinaryField(null=True)),
                ("redacted", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="AuditText",
            fields=[
                (
                    "entry",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="text",
                        serialize=False,
                        to="entities.auditentry",
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("retrieved", models.JSONField(default=list)),
                ("within", models.JSONField(default=dict)),
                ("salt", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("floor", entities.fields.LabelField(default=1)),
                ("data_classification", entities.fields.LabelField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="workspacesettings",
            name="keep_audit_days",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="At least 30. Empty: for ever.",
                null=True,
                validators=[django.core.validators.MinValueValidator(30)],
                verbose_name="days to keep rows of the audit",
            ),
        ),
        migrations.AddField(
            model_name="workspacesettings",
            name="keep_questions_days",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Empty: for ever.",
                null=True,
                verbose_name="days to keep the words of questions in the audit",
            ),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["workspace", "action", "-id"], name="audit_action"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["workspace", "actor", "-id"], name="audit_actor"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["workspace", "at"], name="audit_at"),
        ),
        migrations.AddField(
            model_name="auditlink",
            name="workspace",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="entities.workspace",
            ),
        ),
        migrations.AddField(
            model_name="audittext",
            name="workspace",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="entities.workspace",
            ),
        ),
        migrations.AddConstraint(
            model_name="auditlink",
            constraint=models.UniqueConstraint(fields=("workspace", "seq"), name="audit_seq"),
        ),
    ]

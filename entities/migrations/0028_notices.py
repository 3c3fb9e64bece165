from django.db import migrations, models
from django.db.models.functions import Now

# The rows that there are keep NULL: a column that is added with its default would date them all at the upgrade.
GRANTS = [
    ("created_at", models.DateTimeField, Now()),
    ("granted_by", models.BigIntegerField, models.Func(function="app_principal")),
]


class Migration(migrations.Migration):
    dependencies = [
        ("entities", "0027_profile"),
    ]

    operations = [
        *(
            operation
            for grant in ("entityrolegrant", "entityusergrant")
            for name, field, default in GRANTS
            for operation in (
                migrations.AddField(grant, name, field(null=True, editable=False)),
                migrations.AlterField(grant, name, field(null=True, db_default=default, editable=False)),
            )
        ),
        migrations.AddField(
            model_name="membership",
            name="notices_mailed_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="membership",
            name="notices_seen_at",
            field=models.DateTimeField(db_default=Now(), editable=False),
        ),
        migrations.AddField(
            model_name="user",
            name="mail_digest",
            field=models.BooleanField(default=True),
        ),
    ]

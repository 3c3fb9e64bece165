from django.db import migrations

TABLE = "entities_user_groups"


class Migration(migrations.Migration):
    """When somebody was put into a role, and by whom, for the notice about it. Django's own table has no model."""

    dependencies = [
        ("entities", "0028_notices"),
    ]

    operations = [
        migrations.RunSQL(
            [
                # The rows that there are keep NULL: a column that is added with its default would make them news.
                f"ALTER TABLE {TABLE} ADD COLUMN joined_at timestamptz, ADD COLUMN added_by bigint",
                f"ALTER TABLE {TABLE} ALTER COLUMN joined_at SET DEFAULT now(),"
                " ALTER COLUMN added_by SET DEFAULT app_principal()",
            ],
            [f"ALTER TABLE {TABLE} DROP COLUMN joined_at, DROP COLUMN added_by"],
        ),
    ]

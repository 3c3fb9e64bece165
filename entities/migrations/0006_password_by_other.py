from django.db import migrations, models

MADE_BY_ADMINISTRATORS = """
UPDATE entities_user u SET password_by_other = true
WHERE EXISTS (SELECT 1 FROM entities_workspace w WHERE right(u.username, length(w.slug) + 1) = '@' || w.slug)
"""


class Migration(migrations.Migration):
    """Whose password somebody else chose: that of accounts that a workspace made, which nobody could change yet."""

    dependencies = [("entities", "0005_record_name")]

    operations = [
        migrations.AddField("user", "password_by_other", models.BooleanField(default=False)),
        migrations.AddField("user", "join_epoch", models.PositiveIntegerField(default=0)),
        migrations.RunSQL(MADE_BY_ADMINISTRATORS, migrations.RunSQL.noop),
    ]

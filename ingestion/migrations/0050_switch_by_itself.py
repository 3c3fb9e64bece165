from django.db import migrations, models

STATES = [("current", "Used by searches"), ("beside", "Kept beside it"), ("dropped", "Being removed")]


class Migration(migrations.Migration):
    """Searches change to an embedding model by themselves once it is whole, and the former one goes by itself."""

    dependencies = [("ingestion", "0049_words_in_addresses")]

    operations = [
        migrations.AddField("workspacemodel", "switch_asked_by", models.BigIntegerField(null=True)),
        migrations.AlterField("workspacemodel", "state", models.CharField(choices=STATES, max_length=8)),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    """A claim names its process, and workers say how many processes they have."""

    dependencies = [("ingestion", "0042_remainder")]

    operations = [
        migrations.AddField("file", "worker", models.CharField(blank=True, db_default="", default="", max_length=160)),
        migrations.CreateModel(
            name="Worker",
            fields=[
                ("process", models.CharField(max_length=160, primary_key=True, serialize=False)),
                ("processes", models.PositiveSmallIntegerField()),
                ("reported_at", models.DateTimeField()),
            ],
        ),
    ]

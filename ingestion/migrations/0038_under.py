from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    """What stands under a heading that is concealed from a reader stands, to them, where it would without it."""

    dependencies = [("ingestion", "0037_published_at")]

    operations = [migrations.AddField("paragraph", "under", ArrayField(models.UUIDField(), null=True))]

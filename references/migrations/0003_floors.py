from django.db import migrations

from entities.rls import RenewPolicy


class Migration(migrations.Migration):
    """Unlabelled words with a floor are shown to stewards who may read that floor."""

    dependencies = [("references", "0002_protect")]

    operations = [RenewPolicy("Reference")]

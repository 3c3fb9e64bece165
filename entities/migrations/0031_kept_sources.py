from django.db import migrations

from entities.rls import RenewPolicy


class Migration(migrations.Migration):
    """What a text was drawn from decides who reads it: nobody but the service takes any of it away."""

    dependencies = [("entities", "0030_kind_names")]

    operations = [RenewPolicy("Source")]

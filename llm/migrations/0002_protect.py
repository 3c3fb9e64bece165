from django.db import migrations

from entities.rls import Protect


class Migration(migrations.Migration):
    """Row-level security on the tables of llm."""

    dependencies = [("llm", "0001_initial"), ("entities", "0003_protect")]

    operations = [Protect("ModelCall", append_only=True), Protect("Budget")]

from django.db import migrations

from entities.rls import Protect


class Migration(migrations.Migration):
    """Row-level security on the citation registry."""

    dependencies = [("retrieval", "0001_citations")]

    operations = [Protect("CitationCounter"), Protect("Citation")]

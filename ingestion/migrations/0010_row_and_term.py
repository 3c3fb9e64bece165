from django.db import migrations

SQL = """
CREATE INDEX ingestion_posting_row_term ON ingestion_posting ("row", term);
DROP INDEX ingestion_posting_row;
"""


class Migration(migrations.Migration):
    """A few words of a row are read without its other words, which lie far apart."""

    dependencies = [("ingestion", "0009_paths")]

    operations = [migrations.RunSQL([SQL])]

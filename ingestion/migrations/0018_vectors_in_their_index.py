from django.db import migrations

# A vector of 384 dimensions takes a tenth of a page: read out of the index that the filters have chosen it by, and not
# from wherever its row lies. A row of an index is at most 2,704 bytes, so that longer vectors stay out of it.
COVERED = """
CREATE INDEX ingestion_vector_near ON ingestion_vector (workspace_id, model, data_classification, entity)
  INCLUDE (audience, file, "row", kind, drawn, embedding) WHERE vector_dims(embedding) <= 1300;
ALTER TABLE ingestion_vector
  SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02);
"""


class Migration(migrations.Migration):
    """Vectors that are compared one by one are read by label, in order (docs/adr/0027)."""

    dependencies = [("ingestion", "0017_attachments")]

    operations = [migrations.RunSQL([COVERED], migrations.RunSQL.noop)]

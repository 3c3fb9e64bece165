from django.db import migrations

from entities.rls import RenewPolicy

CLEARED = """
CREATE OR REPLACE FUNCTION app_cleared_for_file(wanted uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT 1 FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = wanted
      AND NOT CASE WHEN p.data_classification IS NULL
        THEN (SELECT app_unlabelled()) AND p.floor = ANY((SELECT app_allowed())::int[])
        ELSE p.data_classification = ANY((SELECT app_allowed())::int[]) END)
$$
"""
OUTLINES = """
CREATE OR REPLACE FUNCTION app_file_outlines(wanted uuid[])
RETURNS TABLE (file uuid, labels integer[], last_page integer, shown bigint, whole boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH seen AS (
    SELECT p.file_id, p.data_classification AS label, p.floor, p.page,
      p.data_classification IS NOT NULL AND (p.data_classification = ANY((SELECT app_allowed())::int[])
        OR p.data_classification = ANY((SELECT app_acknowledged())::int[])) AS shown
    FROM ingestion_paragraph p WHERE p.workspace_id = app_workspace() AND p.file_id = ANY(wanted))
  SELECT file_id, array_agg(DISTINCT label) FILTER (WHERE shown), max(page) FILTER (WHERE shown),
    count(*) FILTER (WHERE shown), bool_and(shown OR (label IS NULL AND (SELECT app_unlabelled())
      AND floor = ANY((SELECT app_allowed())::int[])))
  FROM seen GROUP BY file_id
$$
"""


class Migration(migrations.Migration):
    """Unlabelled text with a floor is shown to stewards who may read that floor."""

    dependencies = [("ingestion", "0007_words"), ("entities", "0003_protect")]

    operations = [RenewPolicy("Paragraph"), migrations.RunSQL([CLEARED, OUTLINES], migrations.RunSQL.noop)]

-- Under which labels a record has rows in the index, or once had: whoever reads under few labels comes to the records
-- that hold something of them without looking up every record that they see (docs/adr/0027). Too many never hurt, for
-- each row is asked again; one too few would hide rows. So a label stays as long as its record.
CREATE TABLE ingestion_held (
  workspace_id integer NOT NULL,
  data_classification integer NOT NULL,
  entity integer NOT NULL,
  PRIMARY KEY (workspace_id, data_classification, entity)
);
CREATE INDEX ingestion_held_entity ON ingestion_held (entity);
INSERT INTO ingestion_held
SELECT DISTINCT workspace_id, data_classification, entity FROM ingestion_posting WHERE term = 0;

CREATE FUNCTION app_hold() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO ingestion_held
  SELECT DISTINCT a.workspace_id, a.data_classification, e.number
  FROM added a JOIN entities_entity e ON e.id = a.entity_id ORDER BY 1, 2, 3
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER hold AFTER INSERT ON ingestion_contextrow
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_hold();
CREATE TRIGGER hold_again AFTER UPDATE ON ingestion_contextrow
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_hold();

CREATE FUNCTION app_let_go() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM ingestion_held h USING gone g WHERE h.entity = g.number;
  RETURN NULL;
END $$;
CREATE TRIGGER let_go AFTER DELETE ON entities_entity
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_let_go();

-- What hangs on derived text of any app (a table whose rows have `Source` rows). Both functions are triggers.

-- A row that goes takes the record of what it was drawn from with it.
CREATE FUNCTION app_forget_sources() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM entities_source WHERE derived = OLD.id AND workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;

-- A record that goes takes everything that was drawn from it, in the table named by the trigger's argument. The Source rows
-- go with the record too, so afterwards nobody would know.
CREATE FUNCTION app_forget_derived() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('DELETE FROM %I d USING entities_source s WHERE s.entity_id = $1 AND s.derived = d.id AND d.workspace_id = $2',
                 TG_ARGV[0]) USING OLD.id, OLD.workspace_id;
  RETURN OLD;
END $$;

CREATE TRIGGER forget_sources AFTER DELETE ON references_reference
  FOR EACH ROW EXECUTE FUNCTION app_forget_sources();
CREATE TRIGGER forget_references BEFORE DELETE ON entities_entity
  FOR EACH ROW EXECUTE FUNCTION app_forget_derived('references_reference');

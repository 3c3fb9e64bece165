-- The label, never the text, of the Pulse variant that a reader of its record is not cleared for, where that may be said.
CREATE FUNCTION app_hidden_pulse(record uuid, wanted integer[]) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT p.data_classification FROM pulse_pulse p JOIN pulse_variant v ON v.id = p.variant_id
  WHERE p.workspace_id = app_workspace() AND p.entity_id = record AND v.atoms = wanted
    AND p.data_classification IS NOT NULL
    AND NOT p.data_classification = ANY((SELECT app_allowed())::int[])
    AND p.data_classification = ANY((SELECT app_acknowledged())::int[])
$$;

-- A text that goes takes its citations with it.
CREATE FUNCTION app_forget_pulse() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM references_reference WHERE owner = OLD.id AND workspace_id = OLD.workspace_id;
  DELETE FROM retrieval_citation WHERE owner = OLD.id AND workspace_id = OLD.workspace_id;
  DELETE FROM retrieval_citationcounter WHERE owner = OLD.id AND workspace_id = OLD.workspace_id;
  RETURN OLD;
END $$;

CREATE TRIGGER forget_pulse AFTER DELETE ON pulse_pulse FOR EACH ROW EXECUTE FUNCTION app_forget_pulse();
CREATE TRIGGER forget_sources AFTER DELETE ON pulse_pulse FOR EACH ROW EXECUTE FUNCTION app_forget_sources();
CREATE TRIGGER forget_pulses BEFORE DELETE ON entities_entity
  FOR EACH ROW EXECUTE FUNCTION app_forget_derived('pulse_pulse');

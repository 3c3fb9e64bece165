-- A vector of another model that is just being made beside the row (`ingestion.vector_fill`) is not seen here: whoever
-- makes it holds the row.
CREATE OR REPLACE FUNCTION app_mark_drawn() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM ingestion_contextrow c
  WHERE c.id IN (SELECT s.derived FROM added s) AND EXISTS (
    SELECT FROM added s WHERE s.derived = c.id AND s.entity_id <> c.entity_id)
  ORDER BY c.id FOR NO KEY UPDATE;
  UPDATE ingestion_vector v SET drawn = true FROM added s JOIN ingestion_contextrow c ON c.id = s.derived
  WHERE v."row" = c.number AND s.entity_id <> c.entity_id AND NOT v.drawn;
  UPDATE ingestion_posting p SET drawn = true FROM added s JOIN ingestion_contextrow c ON c.id = s.derived
  WHERE p."row" = c.number AND s.entity_id <> c.entity_id AND NOT p.drawn;
  RETURN NULL;
END $$;

-- Words of a file stand for several of its rows. Who reads them again must see what others have made of the rows
-- meanwhile: each statement after the lock does.
CREATE OR REPLACE FUNCTION app_renew_words(numbers bigint[], files bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM ingestion_file f WHERE f.number = ANY(files) ORDER BY f.number FOR NO KEY UPDATE;
  DELETE FROM ingestion_word w WHERE w."row" = ANY(numbers);
  DELETE FROM ingestion_word w WHERE w.file = ANY(files) AND w.file <> 0;
  PERFORM app_add_words(ARRAY(
    SELECT c.number FROM ingestion_contextrow c WHERE c.number = ANY(numbers)
    UNION
    SELECT c.number FROM ingestion_contextrow c JOIN ingestion_file f ON f.id = c.file_id WHERE f.number = ANY(files)));
END $$;

CREATE OR REPLACE FUNCTION app_words_come() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM ingestion_file f WHERE f.id IN (SELECT a.file_id FROM added a) ORDER BY f.number FOR NO KEY UPDATE;
  PERFORM app_add_words(ARRAY(SELECT number FROM added));
  RETURN NULL;
END $$;

-- A day is one thing however it is written: 2026-03-04, 4.3.2026, 4 March 2026 and March 4th, 2026 are the word
-- "d2026m3d4" beside their own words. 04/03/2026 is two days, so it is none; 24/03/2026 is one.
CREATE FUNCTION app_month(given text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT n::integer FROM unnest(ARRAY[
    'jan january januar janvier janv enero ene gennaio gen januari janeiro tammikuuta',
    'feb february februar février févr febrero febbraio februari fevereiro fev helmikuuta',
    'mar march märz mär mars marzo maart mrt março marts maaliskuuta',
    'apr april avril avr abril abr aprile huhtikuuta',
    'may mai mayo maggio mag mei maio maj toukokuuta',
    'jun june juni juin junio giugno giu junho kesäkuuta',
    'jul july juli juillet juil julio luglio lug julho heinäkuuta',
    'aug august août agosto ago augustus augusti elokuuta',
    'sep sept september septembre septiembre settembre set setembro syyskuuta',
    'oct october okt oktober octobre octubre ottobre ott outubro out lokakuuta',
    'nov november novembre noviembre novembro marraskuuta',
    'dec december dez dezember décembre déc diciembre dic dicembre dezembro desember des joulukuuta'
  ]) WITH ORDINALITY months (names, n)
  WHERE translate(lower(given), 'ÄÉÛÇ', 'äéûç') = ANY(string_to_array(names, ' '))
$$;

CREATE FUNCTION app_dates(given text) RETURNS TABLE (written text, word text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 2 AS $$
  SELECT f.written, 'd' || f.y || 'm' || f.m || 'd' || f.d FROM (
    SELECT p[1], p[2]::integer, p[3]::integer, p[4]::integer FROM regexp_matches(given,
      '(?<![0-9./-])(((?:19|20)[0-9]{2})-([0-9]{1,2})-([0-9]{1,2}))(?![0-9-])', 'g') p
    UNION ALL
    SELECT p[1], p[4]::integer, p[3]::integer, p[2]::integer FROM regexp_matches(given,
      '(?<![0-9.])(([0-9]{1,2})\.\s?([0-9]{1,2})\.\s?((?:19|20)[0-9]{2}))(?![0-9])', 'g') p
    UNION ALL
    SELECT s.written, s.y, CASE WHEN s.b > 12 THEN s.a ELSE s.b END, CASE WHEN s.b > 12 THEN s.b ELSE s.a END
    FROM (SELECT p[1] AS written, p[2]::integer AS a, p[3]::integer AS b, p[4]::integer AS y FROM regexp_matches(given,
      '(?<![0-9/])(([0-9]{1,2})/([0-9]{1,2})/((?:19|20)[0-9]{2}))(?![0-9/])', 'g') p) s
    WHERE s.a > 12 OR s.b > 12 OR s.a = s.b
    UNION ALL
    SELECT p[1], p[4]::integer, app_month(p[3]), p[2]::integer FROM regexp_matches(given,
      '(?i)(?<![0-9])(([0-9]{1,2})(?:st|nd|rd|th|er|\.)?(?:-|\s+(?:day\s+of\s+|of\s+|de\s+)?)([[:alpha:]][^\s0-9,.;:()/-]{2,12})\.?,?(?:-|\s+(?:de\s+)?)((?:19|20)[0-9]{2}))(?![0-9])',
      'g') p
    UNION ALL
    SELECT p[1], p[4]::integer, app_month(p[2]), p[3]::integer FROM regexp_matches(given,
      '(?i)(?<![[:alpha:]])(([[:alpha:]][^\s0-9,.;:()/-]{2,12})\.?\s+([0-9]{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)[0-9]{2}))(?![0-9])',
      'g') p
  ) f (written, y, m, d)
  WHERE given ~ '(?:19|20)[0-9]{2}' AND f.m BETWEEN 1 AND 12 AND f.d BETWEEN 1 AND 31
$$;

-- The words of its days, and "d0m0d0" for a text that holds any: a question that asks when is looking for one.
CREATE FUNCTION app_date_words(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT CASE WHEN given ~ '(?:19|20)[0-9]{2}' THEN (
    SELECT coalesce(string_agg(' ' || d.word, ''), '')
      || CASE WHEN count(*) > 0 OR given ~ '[0-9]/[0-9]{1,2}/(?:19|20)[0-9]{2}' THEN ' d0m0d0' ELSE '' END
    FROM app_dates(given) d) ELSE '' END
$$;

CREATE OR REPLACE FUNCTION app_index_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  WITH lexemes AS (
    SELECT n.workspace_id, n.data_classification, n.audience, e.number AS entity, coalesce(f.number, 0) AS file,
           n.number AS "row", n.kind, hashtext(t.lexeme) AS term, cardinality(t.positions) AS tf,
           app_sample(n.id) AS sample, app_is_drawn(n.id, n.entity_id) AS drawn
    FROM added n
    JOIN entities_entity e ON e.id = n.entity_id
    LEFT JOIN ingestion_file f ON f.id = n.file_id
    CROSS JOIN LATERAL (SELECT n.heading_path || ' ' || n.text OFFSET 0) w (words)
    LEFT JOIN LATERAL
      unnest(to_tsvector(app_text_config(n.lang), app_words(w.words) || app_date_words(w.words))) t ON true
  ), lengths AS (
    SELECT "row", least(sum(coalesce(tf, 0)), 32000)::smallint AS dl FROM lexemes GROUP BY "row"
  )
  INSERT INTO ingestion_posting
    (workspace_id, term, data_classification, audience, entity, file, "row", kind, tf, dl, sample, drawn)
  SELECT workspace_id, term, data_classification, audience, entity, file, l."row", kind, least(tf, 32000), dl, sample,
    drawn
  FROM lexemes l JOIN lengths USING ("row") WHERE term IS NOT NULL AND term <> 0
  UNION ALL
  SELECT DISTINCT workspace_id, 0, data_classification, audience, entity, file, l."row", kind, 1, dl, sample, drawn
  FROM lexemes l JOIN lengths USING ("row")
  ORDER BY 1, 2, 3;
  RETURN NULL;
END $$;

-- Rows that hold a day are given its word, as the trigger does it; that they are longer by it is left out.
INSERT INTO ingestion_posting
  (workspace_id, term, data_classification, audience, entity, file, "row", kind, tf, dl, sample, drawn)
SELECT p.workspace_id, hashtext(t.lexeme), p.data_classification, p.audience, p.entity, p.file, p."row", p.kind,
  least(cardinality(t.positions), 32000), p.dl, p.sample, p.drawn
FROM ingestion_contextrow c
JOIN ingestion_posting p ON p."row" = c.number AND p.term = 0
CROSS JOIN LATERAL unnest(to_tsvector('simple', app_date_words(c.heading_path || ' ' || c.text))) t
WHERE c.heading_path || ' ' || c.text ~ '(?:19|20)[0-9]{2}'
ORDER BY 1, 2, 3;

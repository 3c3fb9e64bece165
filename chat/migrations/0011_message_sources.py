from importlib import import_module
from pathlib import Path
from typing import Any

from django.db import migrations
from django.db.models import Value

from entities.fields import RangesField

SQL = Path(__file__).with_name("message_sources.sql").read_text()
REMOVED = import_module("chat.migrations.0007_removed").SQL.partition("CREATE TRIGGER forget_sources")[0]
BEFORE = [
    "DROP TRIGGER keep_drawn ON chat_turn",
    "DROP TRIGGER keep_numbers ON entities_source",
    "DROP FUNCTION app_keep_numbers()",
    "DROP FUNCTION app_hold_records(uuid, uuid[], uuid[], uuid[])",
    REMOVED.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
    .replace("DROP TRIGGER forget_messages ON entities_entity;", "")
    .replace("CREATE TRIGGER forget_messages", "CREATE OR REPLACE TRIGGER forget_messages"),
    "CREATE OR REPLACE FUNCTION app_delete_session"
    + import_module("chat.migrations.0002_protect")
    .SQL.partition("CREATE FUNCTION app_delete_session")[2]
    .partition("CREATE TRIGGER")[0],
    "DROP FUNCTION app_texts_drawn_from(integer, bigint[])",
]

# Blocks of numbers as in chat/message_sources.py: of the question of turn n from 2n << 20 on, of its answer from (2n + 1) << 20 on.
# A source gets a number in the block of the first message that has it. A message has the numbers of its own sources, and
# all of a block of which it has every source, unless more may come there: then its set stays short.
SHARE = """
CREATE TEMP TABLE said ON COMMIT DROP AS
  SELECT t.workspace_id, t.session_id, t.id AS turn, v.is_answer, (2 * t.number + v.is_answer::int)::int8 << 20 AS block,
    v.text, v.is_answer AND t.state IN ('queued', 'running') AS is_open
  FROM chat_turn t CROSS JOIN LATERAL (VALUES (false, t.question), (true, t.answer), (true, t.id)) v (is_answer, text);
CREATE TEMP TABLE gave ON COMMIT DROP AS
  SELECT s.id, x.session_id, x.block, s.entity_id, coalesce(s.passage::text, '') AS passage, s.weight, s.counted,
    coalesce(s.counted::text, '') AS list
  FROM said x JOIN entities_source s ON s.derived = x.text AND s.number IS NULL
  WHERE s.weight <> 'count' OR s.counted IS NOT NULL;
CREATE TEMP TABLE numbered ON COMMIT DROP AS
  SELECT g.*, g.first + row_number() OVER (PARTITION BY session_id, first ORDER BY one) - 1 AS number FROM (
    SELECT session_id, entity_id, passage, weight, list, min(block) AS first, min(id) AS one FROM gave
    GROUP BY session_id, entity_id, passage, weight, list) g;
CREATE TEMP TABLE has ON COMMIT DROP AS
  SELECT DISTINCT g.session_id, g.block, n.number, n.first
  FROM gave g JOIN numbered n USING (session_id, entity_id, passage, weight, list)
  UNION SELECT g.session_id, g.block, n.number, n.first FROM gave g
    JOIN numbered n ON n.session_id = g.session_id AND n.list <> '' AND n.first < g.block
    WHERE g.list <> '' AND n.list::uuid[] <@ g.counted;
CREATE TEMP TABLE blocks ON COMMIT DROP AS
  SELECT x.session_id, x.block, bool_or(x.is_open) AS is_open, coalesce(max(n.count), 0) AS count
  FROM said x LEFT JOIN (SELECT session_id, first, count(*) FROM numbered GROUP BY 1, 2) n
    ON n.session_id = x.session_id AND n.first = x.block GROUP BY 1, 2;
CREATE TEMP TABLE sets ON COMMIT DROP AS
  SELECT session_id, block, range_agg(part) AS drawn FROM (
    SELECT session_id, block, int8range(number, number, '[]') AS part FROM has
    UNION ALL SELECT session_id, block, int8range(block, block + (1 << 20)) FROM blocks
    UNION ALL SELECT m.session_id, m.block, int8range(b.block, b.block + (1 << 20))
      FROM blocks m JOIN blocks b ON b.session_id = m.session_id AND b.block < m.block AND NOT b.is_open
      LEFT JOIN (SELECT session_id, block, first, count(*) FROM has GROUP BY 1, 2, 3) h
        ON h.session_id = m.session_id AND h.block = m.block AND h.first = b.block
      WHERE coalesce(h.count, 0) = b.count) p
  GROUP BY session_id, block;
INSERT INTO entities_source (workspace_id, derived, number, entity_id, passage, weight, counted)
  SELECT s.workspace_id, n.session_id, n.number, s.entity_id, s.passage, s.weight, s.counted
  FROM numbered n JOIN entities_source s ON s.id = n.one;
DELETE FROM entities_source s USING gave g WHERE s.id = g.id;
UPDATE chat_turn t SET question_from = q.drawn, answer_from = a.drawn FROM sets q, sets a
  WHERE q.session_id = t.session_id AND q.block = (2 * t.number)::int8 << 20
    AND a.session_id = t.session_id AND a.block = (2 * t.number + 1)::int8 << 20;
DROP TABLE said, gave, numbered, has, blocks, sets;
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""
# Each message has rows of its own again, and what it counts in one list; what an answer that is gone had stands at its turn.
COPY = """
CREATE TEMP TABLE given ON COMMIT DROP AS
  SELECT x.text, s.* FROM chat_turn t
  LEFT JOIN chat_message m ON m.id = t.answer
  CROSS JOIN LATERAL (VALUES (t.question, t.question_from),
    (CASE WHEN m.id IS NOT NULL THEN t.answer WHEN t.removed_label IS NOT NULL THEN t.id END, t.answer_from)) x (text, drawn)
  JOIN entities_source s ON s.derived = t.session_id AND s.number <@ x.drawn
  WHERE x.text IS NOT NULL AND (x.text <> t.question OR EXISTS (SELECT FROM chat_message q WHERE q.id = t.question));
INSERT INTO entities_source (workspace_id, derived, entity_id, passage, weight)
  SELECT DISTINCT workspace_id, text, entity_id, passage, weight FROM given WHERE counted IS NULL;
INSERT INTO entities_source (workspace_id, derived, entity_id, weight, counted)
  SELECT g.workspace_id, g.text, (array_agg(g.entity_id))[1], 'count', array_agg(DISTINCT c.id)
  FROM given g CROSS JOIN LATERAL unnest(g.counted) c (id) GROUP BY 1, 2;
DELETE FROM entities_source WHERE number IS NOT NULL;
UPDATE chat_turn SET question_from = '{}', answer_from = '{}' WHERE question_from <> '{}' OR answer_from <> '{}';
DROP TABLE given;
SET CONSTRAINTS ALL IMMEDIATE;
SET CONSTRAINTS ALL DEFERRED;
"""


def share_sources(apps: Any, editor: Any) -> None:
    editor.execute(SHARE, None)


def copy_sources(apps: Any, editor: Any) -> None:
    editor.execute(COPY, None)


class Migration(migrations.Migration):
    """Messages of a conversation share their sources, and each says by a set of numbers which are its own."""

    dependencies = [("chat", "0010_judge"), ("entities", "0032_source_number")]

    operations = [
        *(
            migrations.AddField("turn", name, RangesField(db_default=Value("{}")))
            for name in ("question_from", "answer_from")
        ),
        migrations.RunPython(share_sources, copy_sources),
        migrations.RunSQL([SQL], BEFORE),
    ]

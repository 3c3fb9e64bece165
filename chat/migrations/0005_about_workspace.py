from django.db import migrations, models

import entities.fields

SQL = """
-- Wakes the streams of somebody who lost a token, a membership, a role or the account, or whose sign-in has ended: each
-- looks once and finds it. Payloads are ids, and of a sign-in the digest of its key.
CREATE FUNCTION app_notify_reader() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE reader bigint := CASE TG_TABLE_NAME
  WHEN 'entities_user' THEN (to_jsonb(OLD)->>'id')::bigint
  WHEN 'entities_token' THEN
    (SELECT m.user_id FROM entities_membership m WHERE m.id = (to_jsonb(OLD)->>'membership_id')::bigint)
  ELSE (to_jsonb(OLD)->>'user_id')::bigint END;
BEGIN
  IF reader IS NOT NULL THEN PERFORM pg_notify('chat_turn', 'reader ' || reader); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER notify_reader AFTER DELETE OR UPDATE OF expires_at ON entities_token
  FOR EACH ROW EXECUTE FUNCTION app_notify_reader();
CREATE TRIGGER notify_reader AFTER DELETE ON entities_membership
  FOR EACH ROW EXECUTE FUNCTION app_notify_reader();
CREATE TRIGGER notify_reader AFTER DELETE ON entities_user_groups
  FOR EACH ROW EXECUTE FUNCTION app_notify_reader();
CREATE TRIGGER notify_reader AFTER UPDATE OF is_active, password, password_by_other ON entities_user
  FOR EACH ROW EXECUTE FUNCTION app_notify_reader();

CREATE FUNCTION app_notify_sign_in() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('chat_turn', 'sign_in ' || encode(sha256(convert_to(OLD.session_key, 'UTF8')), 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER notify_sign_in AFTER DELETE ON django_session FOR EACH ROW EXECUTE FUNCTION app_notify_sign_in();

-- The list of records that stand in the numbers of an answer hangs on a record. Where a conversation is about none, that
-- is one of the list; when it is deleted the list goes over to another. Without it the answer would be shown to readers
-- who may not see the others. Triggers fire in the order of their names: this one before `forget_messages`, which deletes
-- the answers of every source that stands at the record, and so the answer whose list nobody is left to carry.
CREATE FUNCTION app_carry_counted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE listing record; other uuid;
BEGIN
  FOR listing IN SELECT s.id, s.counted FROM entities_source s
    WHERE s.workspace_id = OLD.workspace_id AND s.entity_id = OLD.id AND s.counted IS NOT NULL ORDER BY s.id
  LOOP
    SELECT e.id INTO other FROM entities_entity e
    WHERE e.workspace_id = OLD.workspace_id AND e.id = ANY(listing.counted) AND e.id <> OLD.id
    ORDER BY e.id LIMIT 1 FOR KEY SHARE;
    IF other IS NOT NULL THEN UPDATE entities_source s SET entity_id = other WHERE s.id = listing.id; END IF;
  END LOOP;
  RETURN OLD;
END $$;
CREATE TRIGGER carry_counted BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_carry_counted();
"""
UNDO = [f"DROP FUNCTION {name}() CASCADE" for name in ("app_notify_reader", "app_notify_sign_in", "app_carry_counted")]
LOOK_IN = [
    ("record", "This record"),
    ("linked", "With linked ones"),
    ("files", "Its files"),
    ("workspace", "Everything"),
]


class Migration(migrations.Migration):
    """Conversations about the workspace; and streams that nothing happens in are told when their reader may not follow
    them any more.
    """

    dependencies = [("chat", "0004_bin"), ("entities", "0027_profile"), ("sessions", "0001_initial")]

    operations = [
        migrations.AlterField(
            "session", "entity", entities.fields.WorkspaceForeignKey(null=True, related_name="+", to="entities.entity")
        ),
        migrations.AddField(
            "turn", "look_in", models.CharField(blank=True, choices=LOOK_IN, db_default="", default="", max_length=9)
        ),
        migrations.AddField("turn", "rating", models.SmallIntegerField(db_default=0, default=0)),
        migrations.RunSQL([SQL], UNDO),
    ]

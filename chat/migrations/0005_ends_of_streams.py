from django.db import migrations

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
"""


class Migration(migrations.Migration):
    """Streams that nothing happens in are told when their reader may not follow them any more."""

    dependencies = [("chat", "0004_bin"), ("entities", "0027_profile"), ("sessions", "0001_initial")]

    operations = [
        migrations.RunSQL(
            [SQL], ["DROP FUNCTION app_notify_reader() CASCADE", "DROP FUNCTION app_notify_sign_in() CASCADE"]
        )
    ]

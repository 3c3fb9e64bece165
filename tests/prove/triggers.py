"""The triggers of the database: without one, words would stay where their record went, or a row would enter the audit
unsealed.

A new one fails the proof until it stands here, in PostgreSQL's own words.
"""

from collections.abc import Iterator

import psycopg

from entities.registry import list_entity_types

EXPECTED = """
guard BEFORE INSERT ON entities_auditentry FOR EACH ROW EXECUTE FUNCTION app_audit_guard()
label BEFORE INSERT ON entities_audittext FOR EACH ROW EXECUTE FUNCTION app_audit_label()
digest AFTER INSERT ON entities_auditentry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
 EXECUTE FUNCTION app_audit_digest()
seal AFTER INSERT ON entities_auditlink DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app_audit_seal()

forget_allowed AFTER INSERT OR DELETE OR UPDATE ON entities_classification FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
forget_allowed AFTER INSERT OR DELETE OR UPDATE ON entities_classificationgrant FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
forget_allowed AFTER INSERT OR DELETE OR UPDATE ON entities_labelgrant FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
check_label_grant BEFORE INSERT OR UPDATE ON entities_labelgrant FOR EACH ROW
 EXECUTE FUNCTION app_check_label_grant()
check_text_grant BEFORE INSERT OR UPDATE ON ingestion_textgrant FOR EACH ROW
 EXECUTE FUNCTION app_check_label_grant()
forget_allowed AFTER INSERT OR DELETE OR UPDATE ON entities_role FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
forget_allowed AFTER INSERT OR DELETE OR UPDATE ON entities_membership FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
forget_allowed AFTER INSERT OR DELETE OR UPDATE ON entities_user_groups FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
forget_allowed AFTER DELETE OR UPDATE OF is_active ON entities_user FOR EACH STATEMENT
 EXECUTE FUNCTION app_forget_allowed()
end_clearance AFTER DELETE ON ingestion_accessrequest FOR EACH ROW EXECUTE FUNCTION app_end_clearance()
own_key BEFORE INSERT ON entities_classification FOR EACH ROW EXECUTE FUNCTION app_classification_key()
delete_compounds AFTER DELETE ON entities_classification FOR EACH ROW EXECUTE FUNCTION app_delete_compounds()
forget_asked AFTER DELETE ON entities_classification FOR EACH ROW EXECUTE FUNCTION app_forget_asked()
delete_group AFTER DELETE ON entities_role FOR EACH ROW EXECUTE FUNCTION app_delete_group()
replace_expired BEFORE INSERT ON entities_entityrolegrant FOR EACH ROW EXECUTE FUNCTION app_replace_expired()
replace_expired BEFORE INSERT ON entities_entityusergrant FOR EACH ROW EXECUTE FUNCTION app_replace_expired()

forget_messages BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_forget_answers()
forget_titles BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_forget_derived('chat_title')
forget_pulses BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_forget_pulses()
forget_references BEFORE DELETE ON entities_entity FOR EACH ROW
 EXECUTE FUNCTION app_forget_derived('references_reference')
withdraw_closed AFTER UPDATE ON entities_entity REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
 FOR EACH STATEMENT EXECUTE FUNCTION app_withdraw_closed()
unindex_drawn_from BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_unindex_drawn_from()
forget_pulse AFTER DELETE ON pulse_pulse FOR EACH ROW EXECUTE FUNCTION app_forget_pulse()
forget_sources AFTER DELETE ON pulse_pulse FOR EACH ROW EXECUTE FUNCTION app_forget_sources()
forget_sources AFTER DELETE ON chat_turn FOR EACH ROW EXECUTE FUNCTION app_forget_sources()
forget_sources AFTER DELETE ON chat_title FOR EACH ROW EXECUTE FUNCTION app_forget_sources()
forget_sources AFTER DELETE ON references_reference FOR EACH ROW EXECUTE FUNCTION app_forget_sources()
raise_citations AFTER UPDATE OF data_classification ON pulse_pulse FOR EACH ROW EXECUTE FUNCTION app_raise_citations()

mark_drawn AFTER INSERT ON entities_source REFERENCING NEW TABLE AS added FOR EACH STATEMENT
 EXECUTE FUNCTION app_mark_drawn()
mark_drawn_again AFTER UPDATE ON entities_source REFERENCING NEW TABLE AS added FOR EACH STATEMENT
 EXECUTE FUNCTION app_mark_drawn()
words_drawn AFTER INSERT ON entities_source REFERENCING NEW TABLE AS touched FOR EACH STATEMENT
 EXECUTE FUNCTION app_words_are_drawn()
words_drawn_again AFTER UPDATE ON entities_source REFERENCING NEW TABLE AS touched FOR EACH STATEMENT
 EXECUTE FUNCTION app_words_are_drawn()

bin_files AFTER UPDATE OF deleted_at ON entities_entity FOR EACH ROW
 WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION app_bin_files()
bin_rows AFTER UPDATE OF deleted_at ON ingestion_file FOR EACH ROW
 WHEN ((((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)) AND (old.deleted_with IS NULL)
 AND (new.deleted_with IS NULL))) EXECUTE FUNCTION app_bin_rows()
forget_passages BEFORE DELETE ON ingestion_file FOR EACH ROW EXECUTE FUNCTION app_forget_passages()
forget_passages_of_titles BEFORE DELETE ON ingestion_file FOR EACH ROW
 EXECUTE FUNCTION app_forget_passages_of_titles()

label_links AFTER UPDATE OF data_classification, floor ON ingestion_paragraph FOR EACH ROW
 WHEN (((old.data_classification IS DISTINCT FROM new.data_classification) OR (old.floor IS DISTINCT FROM new.floor)))
 EXECUTE FUNCTION app_label_links()
forget_linked AFTER DELETE ON ingestion_documentlink FOR EACH ROW EXECUTE FUNCTION app_forget_linked()
forget_leading AFTER DELETE ON ingestion_file FOR EACH ROW EXECUTE FUNCTION app_forget_leading()

index_rows AFTER INSERT ON ingestion_contextrow REFERENCING NEW TABLE AS added FOR EACH STATEMENT
 EXECUTE FUNCTION app_index_rows()
relabel_rows AFTER UPDATE ON ingestion_contextrow REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
 EXECUTE FUNCTION app_relabel_rows()
unindex_rows AFTER DELETE ON ingestion_contextrow REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
 EXECUTE FUNCTION app_unindex_rows()
hold AFTER INSERT ON ingestion_contextrow REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION app_hold()
hold_again AFTER UPDATE ON ingestion_contextrow REFERENCING NEW TABLE AS added FOR EACH STATEMENT
 EXECUTE FUNCTION app_hold()
let_go AFTER DELETE ON entities_entity REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION app_let_go()
words_come AFTER INSERT ON ingestion_contextrow REFERENCING NEW TABLE AS added FOR EACH STATEMENT
 EXECUTE FUNCTION app_words_come()
words_change AFTER UPDATE ON ingestion_contextrow REFERENCING OLD TABLE AS before NEW TABLE AS changed
 FOR EACH STATEMENT EXECUTE FUNCTION app_words_change()
words_go AFTER DELETE ON ingestion_contextrow REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
 EXECUTE FUNCTION app_words_go()
text_is_final BEFORE UPDATE OF text, heading_path, number, entity_id, file_id, kind ON ingestion_contextrow
 FOR EACH ROW WHEN (((old.text IS DISTINCT FROM new.text) OR (old.heading_path IS DISTINCT FROM new.heading_path)
 OR (old.number IS DISTINCT FROM new.number) OR (old.entity_id IS DISTINCT FROM new.entity_id)
 OR (old.file_id IS DISTINCT FROM new.file_id) OR (old.kind IS DISTINCT FROM new.kind)))
 EXECUTE FUNCTION app_text_is_final()

relabel_events AFTER UPDATE OF data_classification ON chat_message FOR EACH ROW EXECUTE FUNCTION app_relabel_events()
delete_message AFTER DELETE ON chat_message FOR EACH ROW EXECUTE FUNCTION app_delete_message()
index_message AFTER INSERT OR DELETE OR UPDATE OF content, data_classification, audience ON chat_message
 FOR EACH ROW EXECUTE FUNCTION app_index_message()
forget_summaries AFTER DELETE ON chat_message FOR EACH ROW EXECUTE FUNCTION app_forget_summaries_of_message()
forget_risen_summaries AFTER UPDATE OF data_classification ON chat_message FOR EACH ROW
 WHEN ((old.data_classification IS DISTINCT FROM new.data_classification))
 EXECUTE FUNCTION app_forget_summaries_of_message()
service_writes BEFORE INSERT OR UPDATE ON chat_summary FOR EACH ROW WHEN ((NOT app_service()))
 EXECUTE FUNCTION app_keep_readers()
service_writes BEFORE INSERT OR UPDATE ON chat_summarylease FOR EACH ROW WHEN ((NOT app_service()))
 EXECUTE FUNCTION app_keep_readers()
delete_session AFTER DELETE ON chat_session FOR EACH ROW EXECUTE FUNCTION app_delete_session()
forget_role AFTER DELETE ON entities_role FOR EACH ROW EXECUTE FUNCTION app_forget_role()
keep_readers BEFORE UPDATE OF workspace_id, audience, owner, entity_id ON chat_session FOR EACH ROW WHEN
 ((((old.workspace_id <> new.workspace_id) OR (old.audience <> new.audience) OR (old.owner <> new.owner)) OR
 (old.entity_id IS DISTINCT FROM new.entity_id))) EXECUTE FUNCTION app_keep_readers()
keep_readers BEFORE UPDATE OF workspace_id, audience, owner, session_id, data_classification, text ON chat_title FOR
 EACH ROW WHEN ((((old.workspace_id <> new.workspace_id) OR (old.audience <> new.audience) OR (old.owner <>
 new.owner) OR (old.session_id <> new.session_id)) OR (((old.data_classification IS DISTINCT FROM
 new.data_classification) OR ((old.text)::text <> (new.text)::text)) AND (NOT app_service())))) EXECUTE FUNCTION
 app_keep_readers()
service_labels BEFORE INSERT ON chat_title FOR EACH ROW WHEN (((new.data_classification IS NOT NULL) AND (NOT
 app_service()))) EXECUTE FUNCTION app_keep_readers()
service_labels BEFORE INSERT ON chat_message FOR EACH ROW WHEN (((new.data_classification IS NOT NULL) AND (NOT
 app_service()))) EXECUTE FUNCTION app_keep_readers()
keep_readers BEFORE UPDATE OF workspace_id, audience, owner, session_id, question, answer ON chat_turn FOR EACH ROW
 WHEN (((old.workspace_id <> new.workspace_id) OR (old.audience <> new.audience) OR (old.owner <> new.owner) OR
 (old.session_id <> new.session_id) OR (old.question <> new.question) OR (old.answer <> new.answer))) EXECUTE FUNCTION
 app_keep_readers()
keep_numbers BEFORE INSERT ON entities_source FOR EACH ROW
 WHEN (((new.number IS NOT NULL) AND (NOT app_service()))) EXECUTE FUNCTION app_keep_numbers()
keep_drawn BEFORE UPDATE OF question_from, answer_from ON chat_turn FOR EACH ROW
 WHEN (((NOT (new.question_from @> old.question_from)) OR (NOT (new.answer_from @> old.answer_from)) OR
 (((new.answer_from <> old.answer_from) OR ((new.question_from <> old.question_from) AND (old.question_from <>
 '{}'::int8multirange))) AND (NOT app_service())))) EXECUTE FUNCTION app_keep_readers()
keep_readers BEFORE UPDATE OF workspace_id, audience, owner, session_id, turn_id, data_classification, content ON
 chat_message FOR EACH ROW WHEN ((((old.workspace_id <> new.workspace_id) OR (old.audience <> new.audience) OR
 (old.owner <> new.owner) OR (old.session_id <> new.session_id) OR (old.turn_id <> new.turn_id)) OR
 (((old.data_classification IS DISTINCT FROM new.data_classification) OR (old.content <> new.content)) AND (NOT
 app_service())))) EXECUTE FUNCTION app_keep_readers()
service_writes BEFORE INSERT ON chat_event FOR EACH ROW WHEN ((NOT app_service())) EXECUTE FUNCTION app_keep_readers()
notify_turn AFTER INSERT ON chat_event FOR EACH ROW EXECUTE FUNCTION app_notify_turn()
keep_attached BEFORE UPDATE OF workspace_id, attached_to, created_by ON entities_entity FOR EACH ROW
 WHEN (((old.attached_to IS DISTINCT FROM new.attached_to) OR ((old.attached_to IS NOT NULL)
 AND ((old.workspace_id <> new.workspace_id) OR (old.created_by <> new.created_by)))))
 EXECUTE FUNCTION app_keep_attached()
carry_counted BEFORE DELETE ON entities_entity FOR EACH ROW EXECUTE FUNCTION app_carry_counted()
notify_reader AFTER DELETE OR UPDATE OF expires_at ON entities_token FOR EACH ROW EXECUTE FUNCTION app_notify_reader()
notify_reader AFTER DELETE ON entities_membership FOR EACH ROW EXECUTE FUNCTION app_notify_reader()
notify_reader AFTER DELETE ON entities_user_groups FOR EACH ROW EXECUTE FUNCTION app_notify_reader()
notify_reader AFTER UPDATE OF is_active, password, password_by_other ON entities_user FOR EACH ROW
 EXECUTE FUNCTION app_notify_reader()
notify_sign_in AFTER DELETE ON django_session FOR EACH ROW EXECUTE FUNCTION app_notify_sign_in()
"""
OF_A_TYPE = (
    "delete_base AFTER DELETE ON {} FOR EACH ROW EXECUTE FUNCTION app_delete_base()",
    "count_below AFTER DELETE OR UPDATE ON {} FOR EACH ROW EXECUTE FUNCTION app_withdraw_moved()",
)


def triggers(database: psycopg.Connection) -> Iterator[str]:
    """Those of tables are the listed ones, to the letter; none is switched off: keys are triggers too."""
    expected = set(EXPECTED.replace("\n ", " ").split("\n")) - {""}
    expected |= {each.format(kind._meta.db_table) for kind in list_entity_types().values() for each in OF_A_TYPE}
    found = set()
    for table, name, fires, of_a_key, definition in database.execute(
        "SELECT relname, tgname, tgenabled = 'O', tgisinternal, pg_get_triggerdef(t.oid)"
        " FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = 'public'::regnamespace"
    ):
        if not fires:
            yield f"the trigger {name} of {table} does not fire"
        if not of_a_key:
            found.add(definition.split("TRIGGER ", 1)[1].replace(" ON public.", " ON ", 1))
    for definition in sorted(found ^ expected):
        yield f"{'a trigger is not listed' if definition in found else 'a trigger is not there'}: {definition}"

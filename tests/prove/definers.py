"""The functions that run as the owner of the tables, above row-level security, and why each must.

A new one fails the proof until it stands here: read it for what it answers to whom, then list it.
"""

POLICY = "what the policies ask, from rows that no scope may see by itself; for the open workspace only"
ENTRY = "before any scope is open: membership and tokens of the caller"
CASCADE = "a trigger: what hangs on a row goes with it or follows its label, whoever may see it"
PLACE = "places and labels, never text, of what is hidden and acknowledged, on one thing that the caller sees"
WHETHER = "one yes or no, or a number never shown, about text that the caller may not see"

LISTED = {
    POLICY: "app_roles_of app_is_principal app_atoms_of app_allowed_now app_acknowledged app_unlabelled app_audiences"
    " app_allowed_until app_grantable app_administers"
    " app_binned_files",
    "ids of files' versions that the caller sent and of passages that rest in them, which the policies give to them"
    " alone; to nobody who is narrowed": "app_sent_revisions app_sent_rows",
    ENTRY: "app_open_scope app_workspaces_of app_open_token app_use_token app_workspace_ids",
    CASCADE: "app_delete_base app_delete_group app_delete_compounds app_replace_expired app_forget_sources"
    " app_forget_derived app_forget_pulse app_forget_pulses app_raise_citations app_relabel_events app_delete_message"
    " app_delete_session"
    " app_index_rows app_relabel_rows app_unindex_rows app_unindex_drawn_from app_mark_drawn app_hold app_let_go"
    " app_words_come app_words_change app_words_go app_words_are_drawn app_audit_label app_audit_digest app_audit_seal"
    " app_label_links app_forget_linked app_forget_leading app_end_clearance app_forget_asked"
    " app_bin_files app_bin_rows app_forget_passages app_carry_counted app_notify_reader app_notify_sign_in"
    " app_index_message app_withdraw_closed app_withdraw_moved"
    " app_forget_answers app_forget_role app_forget_passages_of_titles app_forget_summaries_of_message",
    "writes words of index rows again, from the rows; shows nothing": "app_add_words app_renew_words",
    "the door of the audit: refuses all but administrators and the service, and is written in the chain": (
        "app_audit_door app_redact_audit app_redact_audit_of app_remove_audit"
    ),
    PLACE: "app_hidden_field_paragraphs app_hidden_paragraphs app_hidden_messages app_hidden_pulse app_file_outlines"
    " app_hidden_boxes",
    "their own typed text to its author alone, without a label as far as its floor is theirs, afterwards the rules'"
    " reasons; to nobody who is narrowed": "app_own_paragraphs",
    "text that one person was granted without its level, to that person alone while it lasts, on a thing that they see,"
    " and no text that needs more by now; to nobody who is narrowed": "app_granted_texts",
    "a trigger: refuses a clearance that is not the caller's to grant": "app_check_label_grant",
    "numbers of versions that changed something which the caller may read or know of": "app_known_versions",
    WHETHER: "app_cleared_for_file app_file_concealed app_hidden_positions app_pulse_covers app_cleared_since"
    " app_cleared_for_unread app_any_binned app_is_binned",
    "makes a compound label of the open workspace, which no reader may write": "app_combine",
    "makes the group of a role of the open workspace before a policy can show it": "app_make_group",
    "raises the events of a turn; refuses all but the service": "app_raise_events",
    "ids of what holds the attachments of conversations about a record, and goes where that goes; never shown": (
        "app_attached_below"
    ),
    "locks records and files that a text of the open workspace repeats; answers nothing": "app_hold_records",
}
DEFINERS = {name: why for why, names in LISTED.items() for name in names.split()}
OF_THE_OWNER_ONLY = {"app_audit_door"}
"""A step that the others take, and nobody by itself: it writes of the audit in the audit."""

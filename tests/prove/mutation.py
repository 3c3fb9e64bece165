"""Mutants: builds that differ from this one in one place of what decides, in Python or in SQL."""

import psycopg

from tests.prove.mutant import Mutant
from tests.prove.mutation_of_code import of_module
from tests.prove.mutation_of_sql import of_function, of_template

MODULES = [
    "retrieval.gate",
    "entities.access.objects",
    "entities.access.statements",
    "entities.access.compiled_condition",
    "entities.access.scope",
    "entities.access.labels",
    "entities.access.routes",
    "entities.access.grants",
]
FUNCTIONS = [
    "app_workspace", "app_principal", "app_service", "app_roles_of", "app_is_principal", "app_atoms_of", "app_allowed",
    "app_allowed_now", "app_settings", "app_attachments",
    "app_acknowledged", "app_unlabelled", "app_audiences", "app_open_scope", "app_open_token",
    "app_administers", "app_hidden_field_paragraphs", "app_hidden_paragraphs", "app_cleared_for_file",
    "app_cleared_for_unread", "app_cleared_since", "app_file_concealed", "app_file_outlines", "app_hidden_boxes",
    "app_allowed_until", "app_grantable", "app_check_label_grant", "app_end_clearance",
    "app_granted_texts", "app_sent_revisions", "app_sent_rows",
]  # fmt: skip
"""What the policies and the gate ask of the database, and what decides on clearances of one person."""
OF_STEWARDS = {
    "ingestion.access": ["get_file_or_404", "get_record_for", "is_disclosed_file", "select_readable_files",
        "select_visible_files", "is_own"],
    "ingestion.requests": [
        "ask_for_access", "find_wanted_atoms", "select_requests", "select_to_decide", "get_request_or_404",
        "decide_access",
        "check_end", "recall_request", "find_spot",
    ],
    "ingestion.request_messages": ["check_reason"],
    "ingestion.grants": ["grant", "find_opened_labels", "find_asked_passages", "list_offers", "withdraw_grants"],
    "ingestion.desk": ["select_paragraphs", "select_field_paragraphs", "find_unchanged_items",
        "accept_proposals", "load_places"],
}  # fmt: skip
"""Functions of modules that decide who gets at files, requests and proposals."""
OF_CONVERSATIONS = {
    "chat.access": ["select_readable_messages", "may_know_removed", "find_removed"],
    "chat.message_sources": [
        "build_message_visible_q",
        "build_sourced_visible_q",
        "_build_visible_q",
        "_build_hidden_q",
    ],
    "chat.memory": ["_select_candidates", "_read_turns"],
}
"""Functions that decide what comes back of a conversation, and who is told why an answer is gone."""


def mutants(owner: psycopg.Connection) -> list[Mutant]:
    found = [*of_template(), *(mutant for name in FUNCTIONS for mutant in of_function(owner, name))]
    found += [mutant for name in MODULES for mutant in of_module(name)]
    named = [*OF_STEWARDS.items(), *OF_CONVERSATIONS.items()]
    return [*found, *(mutant for name, functions in named for mutant in of_module(name, functions))]

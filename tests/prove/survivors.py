"""Mutants that live, and why that is no hole. A name that is no mutant any more makes the proof fail."""

NO_PRINCIPAL_IS_0 = "0 is the service, which is answered before, and never given grants"
ADDRESSES_ARE_LOADED = "asked when the addresses are loaded, before the mutant is there"
KEYS = "`__in` of a query that names no column is about its key"
EMPTIED = "settings end with their transaction, so they may be emptied before; in a broken one only the error differs"
EVERY_FILE_IS_ASKED = (
    "the database is asked of every file whether it is concealed, not only where nothing is read: it costs time"
)
MORE_IS_LOOKED_UP = "rows are taken from what is looked up by their keys: it costs time"
OWN_ROWS_ARE_ASKED = "a text that has no rows of its own has none that is hidden: asking costs time, and hides nothing"
NO_SENT_FILE_IN_BIN = "no file of this world is in the bin: `tests/ingestion/test_sent.py` finds it"
NO_JUDGED_HEADING = "nothing that rests here stands under a judged heading: `tests/ingestion/test_sent.py` finds it"
SURVIVORS: dict[str, str] = {
    "app_sent_revisions: = -> <> in “ace_id AND f.revision_id = r.id AND f.deleted_at IS” (2)": NO_SENT_FILE_IN_BIN,
    "app_sent_revisions: AND -> OR in “AND f.revision_id = r.id AND f.deleted_at IS NULL W” (2)": NO_SENT_FILE_IN_BIN,
    "app_sent_rows: = -> <> in “tion_paragraph h ON h.id = ANY(p.headings || coales” (8)": NO_JUDGED_HEADING,
    "app_sent_rows: OR -> AND in “_id = c.id AND (p.judged OR h.judged OR p.floor <> A” (1)": NO_JUDGED_HEADING,
    "entities.access.scope looking_into_bin: cursor.execute(\"SELECT set_config('app.bin', '', true)\") -> pass": (
        "no file is in the bin of this world: `tests/ingestion/test_bin.py` finds it"
    ),
    "entities.access.scope list_workspace_ids: 0 -> 1": (
        "periodic work alone asks it, outside of any scope: every test of that work finds it"
    ),
    "entities.access.objects load_roles.load: principal < 0 -> principal <= 0": NO_PRINCIPAL_IS_0,
    "entities.access.objects load_roles.load: 0 -> 1": NO_PRINCIPAL_IS_0,
    "entities.access.objects _list_grant_conditions: principal > 0 -> principal >= 0": NO_PRINCIPAL_IS_0,
    "entities.access.objects _list_grant_conditions: principal > 0 -> principal >= 0 (2)": NO_PRINCIPAL_IS_0,
    "entities.access.objects _list_grant_conditions: principal > 0 -> principal >= 0 (3)": NO_PRINCIPAL_IS_0,
    "entities.access.objects _list_grant_conditions: Q(IsAttachedHere(F('attached_to')), visibility=ATTACHED, created_"
    "by=principal) -> Q(IsAttachedHere(F('attached_to')), created_by=principal)": (
        "what is attached to something has that visibility, and nothing else has: the database keeps them together"
    ),
    "entities.access.routes declare_attachment_views: _attachments.update(views) -> pass": ADDRESSES_ARE_LOADED,
    "entities.access.routes declare_sender_views: _senders.update(views) -> pass": ADDRESSES_ARE_LOADED,
    "entities.access.objects _list_grant_conditions: [Q(Exists(EntityUserGrant.objects.filter(granted"
    ", user=principal)))] if principal > 0 else -> [Q(Exists(EntityUserGrant.objects.filter(granted, "
    "user=principal)))] if True else []": ("a role has a negative number, and no user has: it costs time"),
    "entities.access.objects _list_grant_conditions: Q(created_by=principal) -> Q()": (
        "their own private records are given to people before, and a role makes no records"
    ),
    "entities.access.objects _list_grant_conditions: if issubclass(kind, model) or issubclass(model, "
    "kind): for rule in kind.access().rules: if -> if True: for rule in kind.access().rules: if rule."
    "verb == verb and roles.names & set(rule.": (
        "a rule says of which type it is: no row of another type satisfies it"
    ),
    "entities.access.objects get_permission_number: Permission.objects.only('pk').get(content_type=co"
    "ntent_type, codename=f'{verb}_entity') -> Permission.objects.only('pk').get(codename=f'{verb}_en"
    "tity')": ("one model is named Entity, so one content type has these codenames; a second would raise, not grant"),
    "entities.access.objects _list_grant_conditions: kind._base_manager.filter(rule.rows).values('pk'"
    ") -> kind._base_manager.filter(rule.rows).values()": KEYS,
    "entities.access.objects select_readable: if queryset.model._meta.get_parent_list(): hidden |= {n"
    "ame for name in list_declared_field -> if True: hidden |= {name for name in list_declared_fields"
    "(queryset.model) if not is_field_": (
        "no column of the base type needs a clearance but the name, which is left out already"
    ),
    "entities.access.objects select_readable: True -> False": "whether the title may be null is never asked of it",
    "entities.access.objects list_hidden_source_conditions: Entity.objects.filter(build_visibility_q(scop"
    "e, Entity)).values('pk') -> Entity.objects.filter(build_visibility_q(scope, Entity)).values()": KEYS,
    "entities.access.objects list_hidden_source_conditions: Q(counted__isnull=False) -> Q()": (
        "no record is in a list that is not there: it costs time"
    ),
    "entities.access.objects list_hidden_source_conditions: False -> True (2)": (
        "no file is in the bin of this world: `tests/ingestion/test_bin_derived.py` finds it"
    ),
    "chat.message_sources _build_visible_q: if scope.is_service: return Q() -> if False: return Q()": (
        "the service sees every record: it costs time, and shows no more"
    ),
    "chat.message_sources _build_visible_q: Q(~own) -> Q()": OWN_ROWS_ARE_ASKED,
    "chat.message_sources _build_visible_q: Source.objects.filter(derived=OuterRef(column), number=None) -> "
    "Source.objects.filter(number=None)": OWN_ROWS_ARE_ASKED,
    "chat.message_sources _build_visible_q: Source.objects.filter(derived=OuterRef(column), number=None) -> "
    "Source.objects.filter(derived=OuterRef(column))": OWN_ROWS_ARE_ASKED,
    "chat.message_sources _build_visible_q: if not isinstance(session, OuterRef): apart = Case(When(session=session, "
    "then=apart), defa -> if True: apart = Case(When(session=session, then=apart), default=Value(False), "
    "output_fiel": ("a row's own session is the row's own session: it costs time"),
    "entities.access.statements _name_params: True -> False": (
        "a place is made for each parameter just before: there are as many"
    ),
    "entities.access.compiled_condition CompiledCondition.__init__: 'pk' if name == 'id' else name -> "
    "'pk' if False else name": ("the key of a type is that of its record: it costs a look at another table"),
    "entities.access.compiled_condition CompiledCondition.as_sql: True -> False": ("there is a column for each name"),
    "entities.access.scope Scope.open: if not outermost and (not connection.needs_rollback): "
    "_apply_settings('', '', '', '', '') -> if True: _apply_settings('', '', '', '', '')": EMPTIED,
    "entities.access.scope Scope.open: not outermost and (not connection.needs_rollback) -> not "
    "outermost or not connection.needs_rollback": EMPTIED,
    "entities.access.labels load_granted_atoms: for a in known.get(label, ()) if len(known[label]) =="
    " 1 -> for a in known.get(label, ())": (
        "who is cleared for a compound is cleared for its atoms, and each allowed label is known"
    ),
    "entities.access.labels load_granted_atoms: known.get(label, ()) -> known.get(label)": (
        "who is cleared for a compound is cleared for its atoms, and each allowed label is known"
    ),
    "entities.access.grants _load_permission_ids: Permission.objects.filter(content_type__app_label='"
    "entities', content_type__model='entity' -> Permission.objects.filter(content_type__model='entity"
    "', codename__in=codenames)": ("one model is named Entity, so one content type has these codenames"),
    "entities.access.grants _load_permission_ids: Permission.objects.filter(content_type__app_label='"
    "entities', content_type__model='entity' -> Permission.objects.filter(content_type__app_label='en"
    "tities', codename__in=codenames)": ("one model is named Entity, so one content type has these codenames"),
    "entities.access.grants grant_entity: principal > 0 -> principal >= 0": NO_PRINCIPAL_IS_0,
    "entities.access.grants grant_entity: principal > 0 -> principal >= 0 (2)": NO_PRINCIPAL_IS_0,
    "entities.access.grants revoke_entity: principal > 0 -> principal >= 0": NO_PRINCIPAL_IS_0,
    "ingestion.access select_visible_files: Entity.objects.visible_to(scope, verb).values('pk') -> En"
    "tity.objects.visible_to(scope, verb).values()": KEYS,
    "ingestion.access is_disclosed_file: 0 -> 1": (
        "of a file of which one paragraph shows, not all is concealed, which is asked next"
    ),
    "ingestion.access is_disclosed_file: for pk in (file.pending_revision_id or file.revision_id,) if"
    " pk -> for pk in (file.pending_revision_id or file.revision_id,)": ("no revision has no key"),
    "ingestion.access select_readable_files: Paragraph.objects.filter(file=OuterRef('pk'), data_class"
    "ification__isnull=False) -> Paragraph.objects.filter(file=OuterRef('pk'))": (
        "text without a label is read by stewards, who are answered before"
    ),
    "ingestion.access select_readable_files: False -> True": EVERY_FILE_IS_ASKED,
    "ingestion.access select_readable_files: files.filter(~Exists(readable)) -> files.filter()": EVERY_FILE_IS_ASKED,
    "ingestion.access select_readable_files: split_label(declared.classification) <= known -> split_l"
    "abel(declared.classification) < known": (
        "what is known has Public besides, which no collection declares: the two are never the same"
    ),
    "ingestion.access select_readable_files: scope.principal > 0 -> scope.principal >= 0": NO_PRINCIPAL_IS_0,
    "ingestion.access is_own: scope.principal > 0 -> scope.principal >= 0": NO_PRINCIPAL_IS_0,
    "ingestion.requests select_requests: Entity.objects.visible_to(scope).values('pk') -> "
    "Entity.objects.visible_to(scope).values()": KEYS,
    "ingestion.requests select_to_decide: if not is_steward(scope): return AccessRequest.objects.none"
    "() -> if False: return AccessRequest.objects.none()": (
        "whoever is no steward has their own requests only, which are left out below"
    ),
    "ingestion.desk select_paragraphs: select_visible_files(scope).values('pk') -> select_visible_fil"
    "es(scope).values()": KEYS,
    "ingestion.desk select_field_paragraphs: Entity.objects.visible_to(scope).values('pk') -> "
    "Entity.objects.visible_to(scope).values()": KEYS,
    "ingestion.desk load_places: File.objects.filter(pk__in={p.file_id for p in paragraphs if isinstance(p,"
    " Paragraph)}) -> File.objects.filter()": MORE_IS_LOOKED_UP,
    "ingestion.desk load_places: Entity.objects.readable_by(scope).filter(pk__in=set(of.values())) -> "
    "Entity.objects.readable_by(scope).filter()": MORE_IS_LOOKED_UP,
    "ingestion.desk find_unchanged_items: for row in same if row.pk in places -> for row in same": (
        "what the caller may not see was left out before; what is closed in between ends in an error, and is not told"
    ),
    "chat.access find_removed: for turn in turns if turn.removed_label is not None -> for turn in turns": (
        "no label is among those that are allowed: it costs time"
    ),
    "chat.access find_removed: if not noted: return set() -> if False: return set()": (
        "of no turns none is found: it costs time"
    ),
    "chat.memory _select_candidates: select_readable_messages(scope, session.pk).filter(IS_CANDIDATE, "
    "turn__number__lt=before) -> select_readable_messages(scope, session.pk).filter(turn__number__lt=before)": (
        MORE_IS_LOOKED_UP
    ),
    "chat.memory _read_turns: Turn.objects.filter(session=session.pk, number__in=numbers) -> "
    "Turn.objects.filter(session=session.pk)": MORE_IS_LOOKED_UP,
    "chat.memory _read_turns: Turn.objects.filter(session=session.pk, number__in=numbers) -> "
    "Turn.objects.filter(number__in=numbers)": "of another conversation no message may be read: it costs time",
    "chat.memory _read_turns: select_readable_messages(scope, session.pk).filter(pk__in=list(of)).exclude(content='') "
    "-> select_readable_messages(scope, session.pk).filter(pk__in=list(of)).exclude()": "an empty message says nothing",
    "retrieval.gate TOLD_AT: = -> <> in “n_filerevision s ON s.id = f.revision_id WHERE s.nu” (7)": (
        "a revision of any other file puts a file among those that are asked: it costs time"
    ),
}

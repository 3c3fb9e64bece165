"""Mutants that live, and why that is no hole. A name that is no mutant any more makes the proof fail."""

EITHER_FORM = "both forms of the gate let the same rows through, which is asked of each; this chooses the faster"
NO_PRINCIPAL_IS_0 = "0 is the service, which is answered before roles and grants are asked for"
ONLY_REMEMBERED = "the text of a statement follows from the key it is kept under: it is only written down again"
KEYS = "`__in` of a query that names no column is about its key"
EMPTIED = "settings end with their transaction, so they may be emptied before; in a broken one only the error differs"
NO_ROLES = "nobody has no roles: the key of a text is longer, and the text is the same"
SURVIVORS: dict[str, str] = {
    "retrieval.gate Gates.cheaper: self.all if sizes().records <= IN_A_SET * rows else self.each"
    " -> self.all if True else self.each": EITHER_FORM,
    "retrieval.gate Gates.cheaper: self.all if sizes().records <= IN_A_SET * rows else self.each"
    " -> self.all if False else self.each": EITHER_FORM,
    "retrieval.gate Gates.cheaper: sizes().records <= IN_A_SET * rows"
    " -> sizes().records < IN_A_SET * rows": EITHER_FORM,
    "retrieval.gate gate: if not scope.is_service: conditions.append(OF_SEEN_SOURCES.format(visible=visible.text))"
    " -> if True: conditions.append(OF_SEEN_SOURCES.format(visible=visible.text))": (
        "the service sees every record, so every source is seen: it costs time"
    ),
    "entities.access.objects roles_of.load: principal < 0 -> principal <= 0": NO_PRINCIPAL_IS_0,
    "entities.access.objects roles_of.load: 0 -> 1": NO_PRINCIPAL_IS_0,
    "entities.access.objects _visible_as: principal > 0 -> principal >= 0": NO_PRINCIPAL_IS_0,
    "entities.access.objects _visible_as: Q(visibility=Visibility.PRIVATE, created_by=principal)"
    " -> Q(visibility=Visibility.PRIVATE)": "the last condition asks once more who made a private record",
    "entities.access.objects _visible_as: if issubclass(kind, model) or issubclass(model, kind)"
    ": for rule in kind.access().rules: if"
    " -> if True: for rule in kind.access().rules: if rule.verb == verb and roles.names & set(r"
    "ule.": ("a rule says of which type it is: no row of another type satisfies it"),
    "entities.access.objects permission_number: Permission.objects.only('pk').get(content_type=content_type,"
    " codename=f'{verb}_entity') -> Permission.objects.only('pk').get(codename=f'{verb}_entity')": (
        "one model is named Entity, so one content type has these codenames; a second would raise, not grant"
    ),
    "entities.access.objects _visible_as: kind._base_manager.filter(rule.rows).values('pk')"
    " -> kind._base_manager.filter(rule.rows).values()": KEYS,
    "entities.access.objects select_readable: if queryset.model._meta.get_parent_list(): hidden |= {name for name in"
    " declared_fields(que -> if True: hidden |= {name for name in declared_fields(queryset.model) if not"
    " field_is_reada": "no column of the base type needs a clearance but the name, which is left out already",
    "entities.access.objects select_readable: True -> False": "whether the title may be null is never asked of it",
    "entities.access.objects lock_or_404: True -> False": (
        "a stronger lock holds what the weaker one holds; it also waits for those who name the record"
    ),
    "entities.access.objects sources_visible: Q() if scope.is_service else ~Q(Exists(hidden)) -> Q() if "
    "False else ~Q(Exists(hidden))": "the service sees every record, so no source is hidden from it: it costs time",
    "entities.access.objects sources_visible: Entity.objects.filter(visible(scope, Entity)).values('pk') "
    "-> Entity.objects.filter(visible(scope, Entity)).values()": KEYS,
    "entities.access.statements _remembered: for principal in (scope.principal, scope.narrowed_to) if "
    "principal -> for principal in (scope.principal, scope.narrowed_to)": NO_ROLES,
    "entities.access.statements _remembered: if known is None: if len(COMPILED) >= MOST: "
    "COMPILED.clear() known = COMPILED[key] = _comp -> if True: if len(COMPILED) >= MOST: "
    "COMPILED.clear() known = COMPILED[key] = _compiled(scop": ONLY_REMEMBERED,
    "entities.access.statements _remembered: if len(COMPILED) >= MOST: COMPILED.clear() -> if True: "
    "COMPILED.clear()": ONLY_REMEMBERED,
    "entities.access.statements _remembered: if len(COMPILED) >= MOST: COMPILED.clear() -> if "
    "False: COMPILED.clear()": ONLY_REMEMBERED,
    "entities.access.statements _remembered: len(COMPILED) >= MOST -> len(COMPILED) > MOST": ONLY_REMEMBERED,
    "entities.access.statements _remembered: COMPILED.clear() -> pass": ONLY_REMEMBERED,
    "entities.access.statements _compiled: True -> False": (
        "a place is made for each parameter just before: there are as many"
    ),
    "entities.access.scope Scope.open: if not outermost and (not connection.needs_rollback): "
    "_set('', '', '', '', '') -> if True: _set('', '', '', '', '')": EMPTIED,
    "entities.access.scope Scope.open: not outermost and (not connection.needs_rollback) -> not "
    "outermost or not connection.needs_rollback": EMPTIED,
    "entities.access.labels atoms_of: if label not in known: from entities.models import "
    "Classification known[label] = tuple(Cla -> if True: from entities.models import Classification "
    "known[label] = tuple(Classification.ob": ("what is known of a label is looked up again"),
    "entities.access.labels held_atoms: for a in known.get(label, ()) if len(known[label]) == 1 -> "
    "for a in known.get(label, ())": (
        "who is cleared for a compound is cleared for its atoms, and each allowed label is known"
    ),
    "entities.access.labels held_atoms: known.get(label, ()) -> known.get(label)": (
        "who is cleared for a compound is cleared for its atoms, and each allowed label is known"
    ),
    "entities.access.labels combine_many: if not values: return 0 -> if False: return 0": (
        "the database combines none, or one, to the same"
    ),
    "entities.access.labels combine_many: if len(values) == 1: return values[0] -> if False: return values[0]": (
        "the database combines none, or one, to the same"
    ),
    "entities.access.labels raise_labels: model._default_manager.filter(pk__in=derived, "
    "data_classification__isnull=False) -> model._default_manager.filter(pk__in=derived)": (
        "rows without a label are left out once more, below"
    ),
    "entities.access.routes password_first: request.get_full_path() if request.method == 'GET' else "
    "'/' -> request.get_full_path() if True else '/'": (
        "where somebody goes on to after choosing a password: each page asks anew"
    ),
    "entities.access.routes password_first: request.get_full_path() if request.method == 'GET' else "
    "'/' -> request.get_full_path() if False else '/'": (
        "where somebody goes on to after choosing a password: each page asks anew"
    ),
    "entities.access.routes password_first: request.method == 'GET' -> request.method != 'GET'": (
        "where somebody goes on to after choosing a password: each page asks anew"
    ),
    "entities.access.grants _permissions: "
    "Permission.objects.filter(content_type__app_label='entities', content_type__model='entity' -> "
    "Permission.objects.filter(content_type__model='entity', codename__in=codenames)": (
        "one model is named Entity, so one content type has these codenames"
    ),
    "entities.access.grants _permissions: "
    "Permission.objects.filter(content_type__app_label='entities', content_type__model='entity' -> "
    "Permission.objects.filter(content_type__app_label='entities', codename__in=codenames)": (
        "one model is named Entity, so one content type has these codenames"
    ),
    "entities.access.grants grant_entity: principal > 0 -> principal >= 0": NO_PRINCIPAL_IS_0,
    "entities.access.grants grant_entity: principal > 0 -> principal >= 0 (2)": NO_PRINCIPAL_IS_0,
    "entities.access.grants revoke_entity: principal > 0 -> principal >= 0": NO_PRINCIPAL_IS_0,
}

"""Builds that are broken on purpose, at least two for each path: one that shows too much and one that keeps back.

The checks of tests/oracle/paths.py must find every one of them in the world `RICH`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from django.core.paginator import Paginator
from django.db.models import Q, Value

from chat.access import select_dated_sessions
from chat.models import Message
from entities.access import Scope, is_readable, select_readable
from entities.models import Entity, FieldParagraph
from entities.models.entity import EntityQuerySet
from ingestion import reader, versions
from ingestion.access import Outline, load_outlines
from ingestion.models import ContextRow, DocumentLink, File
from pulse.models import Pulse
from references.models import ReferenceQuerySet
from retrieval import facets
from retrieval.facets import _count_values as original_counts
from tests.oracle.breaking import Break, changed, on, put, reworded, several


def without_last(found: Sequence[Any]) -> Sequence[Any]:
    return found[:-1]


def anybody(*args: Any, **kwargs: Any) -> Q:
    return Q()


def any_way(*args: Any, **kwargs: Any) -> list[Q]:
    return [Q(name__isnull=False)]


def all_roles(roles: Any) -> Any:
    return replace(roles, names=frozenset({"Editor", "HR", "Red", "Admin"}))


def counts_of_all(scope: Scope, rows: Sequence[int]) -> Any:
    asked_for, facets.build_visibility_q = facets.build_visibility_q, anybody
    try:
        return original_counts(scope, list(ContextRow.objects.values_list("number", flat=True)))
    finally:
        facets.build_visibility_q = asked_for


def one_less(counts: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    return {name: Counter({value: n - 1 for value, n in c.items() if n > 1}) for name, c in counts.items()}


def all_references(self: ReferenceQuerySet, scope: object) -> ReferenceQuerySet:
    return self.all()


def public_only(self: ReferenceQuerySet, scope: object) -> ReferenceQuerySet:
    return original_references(self, scope).filter(data_classification=0)


def all_records(self: EntityQuerySet, scope: Scope) -> EntityQuerySet:
    return cast(EntityQuerySet, select_readable(self, scope))


def cleared_for_paragraphs(file: File) -> bool:
    outline = load_outlines([file.pk]).get(file.pk, Outline())
    return outline.whole and all(is_readable(label) for label in outline.labels)


original_references = ReferenceQuerySet.readable_by
NO_SOURCES = reworded("retrieval.gate.OF_SEEN_SOURCES", "NOT p.drawn OR", "true OR")
# Twice: a list of references loads only the records that are seen, and breaks off where one is missing.
ENDS_ARE_NOT_ASKED_FOR = several(
    on(ReferenceQuerySet, "readable_by", all_references), on(EntityQuerySet, "readable_by", all_records)
)
NO_PERMISSION = put("entities.access.objects._list_grant_conditions", value=any_way)


def all_files(scope: Scope, files: Any = None) -> Any:
    return File.objects.all()


def sent_by_anybody(scope: Scope, entity: Entity, batch: Any) -> Any:
    return File.objects.filter(entity=entity.pk).annotate(told=Value(True))


def no_typed_text(scope: Scope) -> Any:
    return FieldParagraph.objects.none()


def lead_nowhere(scope: Scope, rows: Sequence[DocumentLink]) -> dict[Any, list[Any]]:
    return {row.pk: [] for row in rows}


def even_of_nothing(scope: Scope, file: File) -> Any:
    return reader.list_blocks(scope, file, tells=True)


def find_sessions_of_anyone(scope: Scope, words: str) -> Any:
    return select_dated_sessions(scope).filter(
        pk__in=Message.objects.filter(content__icontains=words).values("session")
    )


# Twice: a PDF of which no paragraph is cleared is refused too, whatever file it is.
CONCEALED_FILES_ARE_VIEWED = several(
    put("ingestion.access.is_disclosed_file", value=lambda *args: True),
    put("ingestion.pdf_views.list_blocks", value=even_of_nothing),
)
# In both of the forms in which a search asks.
RECORDS_ARE_NOT_ASKED_FOR = several(
    put("entities.access.statements.build_visibility_q", value=anybody),
    put("entities.access.statements.build_visibility_parts", value=any_way),
)
BREAKS = [
    Break("lexical", "records are not asked for", RECORDS_ARE_NOT_ASKED_FOR),
    Break("lexical", "a branch loses a row", changed("retrieval.search.search_words", without_last)),
    Break("vector", "sources are not asked for", NO_SOURCES),
    Break("vector", "a branch loses a row", changed("retrieval.search.search_meaning", without_last)),
    Break("results", "sources are not asked for", NO_SOURCES),
    Break("results", "variety comes before completeness", changed("retrieval.search.skip_copies", without_last)),
    Break("hybrid", "object permission is gone", NO_PERMISSION),
    Break(
        "hybrid",
        "a filter is dropped",
        put("retrieval.gate._build_collection_condition", value=lambda within, params: ""),
    ),
    Break("hybrid", "days are not asked", put("retrieval.gate._build_day_condition", value=lambda within, params: "")),
    Break(
        "hybrid", "places are not asked", put("retrieval.gate._build_place_condition", value=lambda within, params: "")
    ),
    Break(
        "hybrid",
        "rows of roles are not read",
        reworded("retrieval.gate.CLEARED", "p.audience = ANY", "false AND p.audience = ANY"),
        finder="ben",
    ),
    Break(
        "neighbour",
        "across a label",
        reworded("retrieval.neighbours.BESIDE", "n.data_classification = h.data_classification", "true"),
    ),
    Break(
        "neighbour",
        "only what follows",
        reworded("retrieval.neighbours.SIDE", "c.kind = h.kind", "c.kind = h.kind AND c.position >= h.position"),
    ),
    Break("walk", "references to hidden records lead on", on(ReferenceQuerySet, "readable_by", all_references)),
    Break("walk", "one hop is not taken", put("references.graph.DEEPEST", value=1)),
    Break(
        "expansion",
        "references to hidden records lead on",
        on(ReferenceQuerySet, "readable_by", all_references),
        finder="cas",
    ),
    Break(
        "expansion",
        "references are not followed",
        changed("retrieval.search.walk_links", lambda walked: replace(walked, depths={}, edges=[])),
    ),
    Break("references", "the ends are not asked for", ENDS_ARE_NOT_ASKED_FOR),
    Break("references", "labelled ones are left out", on(ReferenceQuerySet, "readable_by", public_only)),
    Break("verbs", "every role is held", changed("entities.access.objects.load_roles", all_roles)),
    Break(
        "verbs",
        "grants to roles do not hold",
        changed("entities.access.objects.load_roles", lambda roles: replace(roles, groups=())),
        finder="cas",
    ),
    Break(
        "autocomplete",
        "files of hidden records",
        put("retrieval.suggest.select_visible_files", value=lambda scope: File.objects.all()),
    ),
    Break("autocomplete", "no files", put("retrieval.suggest._suggest_files", value=lambda *args: [])),
    Break(
        "autocomplete",
        "words of hidden records",
        reworded("retrieval.completions.NEXT", "{condition}", "true"),
    ),
    Break("related", "object permission is gone", NO_PERMISSION),
    Break(
        "related",
        "far ones are left out",
        reworded("retrieval.related.RELATED", "near.distance <= %(furthest)s", "near.distance < 0 * %(furthest)s"),
    ),
    Break("facets", "counted before permission", put("retrieval.facets._count_values", value=counts_of_all)),
    Break("facets", "one too few", changed("retrieval.facets._count_values", one_less)),
    Break("citation", "sources are not asked for", put("retrieval.locate.build_sources_visible_q", value=anybody)),
    Break(
        "citation",
        "rows are not looked for",
        put("retrieval.locate._locate_by_row", value=lambda scope, cited: {}),
        finder="ben",
    ),
    Break(
        "reader",
        "a file that is concealed exists",
        put("ingestion.access.is_disclosed_file", value=lambda *args: True),
        finder="cas",
    ),
    Break("reader", "the last paragraph is lost", changed("ingestion.api.list_blocks", without_last)),
    Break(
        "file list",
        "a file that is concealed is listed",
        put("ingestion.listing.is_disclosed_file", value=lambda *args: True),
        finder="ben",
    ),
    Break("file list", "one file is lost", changed("ingestion.api.list_files", lambda found: list(found)[:-1])),
    Break(
        "download",
        "what has no label is given",
        put("ingestion.downloads.is_cleared_for_all", value=cleared_for_paragraphs),
        finder="cas",
    ),
    Break(
        "download",
        "what the reader does not show does not matter",
        put("ingestion.downloads.is_cleared_for_all", value=cleared_for_paragraphs),
        finder="ben",
    ),
    Break("download", "everybody sent it", put("ingestion.downloads.is_sender", value=lambda *args: True)),
    Break("download", "some levels are all", put("ingestion.downloads.holds_every_level", value=lambda: True)),
    Break(
        "download",
        "a hidden paragraph does not matter",
        put("ingestion.downloads.is_cleared_for_all", value=lambda file: True),
    ),
    Break("download", "refused to all", put("ingestion.downloads.is_allowed", value=lambda *args: False)),
    Break(
        "view",
        "a hidden paragraph does not matter",
        put("ingestion.downloads.is_cleared_for_all", value=lambda file: True),
    ),
    Break("view", "a file that is concealed exists", CONCEALED_FILES_ARE_VIEWED, finder="ben"),
    Break(
        "view",
        "what is set anew loses the last",
        changed("ingestion.visible_pdf.typeset_blocks", without_last),
        finder="ben",
    ),
    Break("view", "words are lost", changed("ingestion.visible_pdf.split_at_boxes", lambda found: list(found)[1:])),
    Break(
        "pulse",
        "what is concealed is named",
        changed("pulse.reader.get_ladder", lambda ladder: replace(ladder, general=(1, 2, 5))),
        finder="ben",
    ),
    Break("pulse", "none is shown", put("pulse.reader.select_readable", value=lambda scope: Pulse.objects.none())),
    Break("chat", "sources are not asked for", put("chat.access.build_message_visible_q", value=anybody)),
    Break(
        "chat",
        "what a conversation has in common is not asked for",
        put("chat.message_sources.IsApart.template", value="(NOT (%(expressions)s) OR true)"),
    ),
    Break(
        "chat",
        "what others were drawn from hides it",
        put("chat.message_sources.RangeOf.template", value="int8range(NULL, NULL)"),
    ),
    Break(
        "chat",
        "records in its numbers are not asked for",
        put("entities.access.objects.IsIn.template", value="%(expressions)s) AND false"),
        finder="dee",
    ),
    Break(
        "chat",
        "a conversation outlives the record",
        on(EntityQuerySet, "visible_to", lambda self, scope, verb="view": self),
    ),
    Break("chat", "its search asks for no sources", put("chat.api.find_sessions", value=find_sessions_of_anyone)),
    Break("chat", "its search finds none", changed("chat.api.find_sessions", lambda found: found.none()), finder="ben"),
    Break("chat", "an exchange is not exported", changed("chat.export.list_exchanges", without_last)),
    Break("chat", "the prompt forgets", put("chat.context.find_first_turn", value=lambda number: number)),
    Break("chat search", "records are not asked for", RECORDS_ARE_NOT_ASKED_FOR),
    Break("chat search", "a choice is a wish", put("chat.places.resolve_place", value=lambda *args: None)),
    Break("chat search", "a passage is lost", changed("chat.tools.choose_results", without_last)),
    Break(
        "chat reading",
        "records are not asked for",
        several(RECORDS_ARE_NOT_ASKED_FOR, put("chat.document_overviews.build_visibility_q", value=anybody)),
    ),
    Break("chat reading", "a passage is lost", changed("chat.document_overviews.load_results", without_last)),
    Break("desk", "records are not asked for", put("ingestion.desk.select_visible_files", value=all_files)),
    Break(
        "desk",
        "typed text is lost",
        put("ingestion.desk.select_field_paragraphs", value=lambda scope: FieldParagraph.objects.none()),
    ),
    Break("requests", "records are not asked for", NO_PERMISSION),
    Break("requests", "messages are lost", put("ingestion.request_presenter.load_messages", value=lambda rows: {})),
    Break("versions", "originals of all versions", on(versions._Rules, "may_download", lambda self, revision: True)),
    Break("versions", "changes are not counted", put("ingestion.versions.count_changes", value=lambda file: {})),
    Break("links", "targets are not asked for", put("ingestion.link_views.select_readable_files", value=all_files)),
    Break("links", "they lead nowhere", put("ingestion.link_views.load_targets", value=lead_nowhere)),
    Break("quarantine", "records are not asked for", put("ingestion.quarantine.select_visible_files", value=all_files)),
    Break("quarantine", "a file is lost", changed("ingestion.quarantine.build_file_views", without_last)),
    Break("batches", "whoever sent it", put("ingestion.batches.select_files_of_batch", value=sent_by_anybody)),
    Break("batches", "none is shown", put("ingestion.batches._build_batch", value=lambda *args: None)),
    Break("lists", "object permission is gone", NO_PERMISSION),
    Break(
        "lists",
        "a count of more than is shown",
        on(Paginator, "count", property(lambda self: len(self.object_list) + 1)),
    ),
    Break(
        "lists",
        "a record is lost",
        changed(
            "entities.api.views.list_records", lambda found: replace(found, rows=found.rows.exclude(name="record0"))
        ),
    ),
    Break(
        "records", "every field is shown", put("entities.access.objects.is_field_readable", value=lambda *args: True)
    ),
    Break(
        "records",
        "classified fields are shown to nobody",
        put("entities.access.objects.load_granted_atoms", value=lambda *args: frozenset()),
    ),
]

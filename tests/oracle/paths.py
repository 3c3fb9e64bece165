"""Every path by which something is read, compared with the reference monitor: no extra row, no missing row.

A check asks as one person and raises `Differs`. `PATHS` is the whole list; tests/oracle/breaks.py shows that each check
sees what it is there for.
"""

from tests.oracle import chat_paths, desk_paths, file_paths, record_paths, search_paths, upload_paths
from tests.oracle.asked import Check

IN_A_SCOPE: dict[str, Check] = {
    "lexical": search_paths.lexical,
    "vector": search_paths.vector,
    "results": search_paths.results,
    "neighbour": search_paths.neighbour,
    "walk": record_paths.walk,
    "verbs": record_paths.verbs,
    "desk": desk_paths.desk,
    "requests": desk_paths.requests,
    "versions": desk_paths.versions,
    "links": desk_paths.links,
    "quarantine": upload_paths.quarantine,
    "batches": upload_paths.batches,
}
"""Paths that can be asked in a scope that is narrowed to a role; the others need a sign-in."""

PATHS: dict[str, Check] = {
    **IN_A_SCOPE,
    "hybrid": search_paths.hybrid,
    "expansion": search_paths.expansion,
    "references": record_paths.references,
    "autocomplete": search_paths.autocomplete,
    "related": search_paths.related,
    "facets": search_paths.facets,
    "citation": file_paths.citation,
    "reader": file_paths.reader,
    "file list": file_paths.file_list,
    "download": file_paths.download,
    "view": file_paths.view,
    "pulse": record_paths.pulse,
    "chat": chat_paths.chat,
    "chat search": chat_paths.chat_search,
    "chat reading": chat_paths.chat_reading,
    "lists": record_paths.lists,
    "records": record_paths.records,
}

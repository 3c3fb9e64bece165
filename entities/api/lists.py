"""Lists and labels as the API shows them."""

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.utils.translation import gettext
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from entities.access import list_atoms
from entities.access.labels import load_levels
from entities.access.scope import load_once
from entities.models import Classification
from entities.models.classification import FIRST_COMPOUND

SIZE = re.compile(r"0{0,9}[1-9][0-9]{0,8}")
DELETED = "Deleted classification"


class Pagination(PageNumberPagination):
    """{"count", "next", "previous", "results"}; `?page=` and `?page_size=` (at most 200)."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int | None:
        """More than `max_page_size` is cut to it. Raises: ValidationError where it is no number from 1."""
        given = request.query_params.get("page_size", "1")
        if not SIZE.fullmatch(given):
            raise ValidationError({"page_size": [gettext("Give a number from 1 to 200.")]})
        return super().get_page_size(request)

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Raises: ValidationError about the page; a 404 would say that the record is not there."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except NotFound:
            sentence = gettext("There is no such page. Pages are numbered from 1; `next` of the page before leads on.")
            raise ValidationError({"page": [sentence]}) from None


def paginate(request: Request, rows: Any, serialize: Callable[[Any], Any]) -> Response:
    """One page of `rows` (queryset or sequence), which are what the caller may see: the count is a count of those."""
    paginator = Pagination()
    page: list[Any] | None = paginator.paginate_queryset(rows, request)
    return paginator.get_paginated_response([serialize(row) for row in page or []])


def load_atom_chips() -> dict[int, Classification]:
    """The atoms of the open scope's workspace by value, with their names, icons and colours."""
    return load_once(  # type: ignore[no-any-return]
        "chips", lambda: {value: level for value, level in load_levels().items() if value < FIRST_COMPOUND}
    )


def list_chips(label: int | None) -> list[Classification] | None:
    """The atoms of a label for the label_chips component; None for unlabelled."""
    return None if label is None else list_atom_chips(list_atoms(label))


def list_atom_chips(values: Iterable[int]) -> list[Classification]:
    """Of one that was deleted, which votes may still name, a stand-in."""
    known = load_atom_chips()
    return [known.get(value) or Classification(value=value, label=DELETED) for value in sorted(values)]


def list_atom_labels(values: Iterable[int]) -> list[dict[str, Any]]:
    return [{"value": c.value, "label": c.label} for c in list_atom_chips(values)]


def build_redacted_json(field: str, requires: Collection[int]) -> list[dict[str, Any]]:
    """The line of `redacted` about a value that is null; none where nothing can be named."""
    return [{"field": field, "requires": list_atom_labels(requires)}] if requires else []


def label_list(label: int) -> list[dict[str, Any]]:
    """A label as people and the API see it: the list of its atoms, [] for Public (design §11)."""
    return list_atom_labels(list_atoms(label))

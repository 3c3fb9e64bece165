"""What pages of files say of requests for access, and of the bin."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.template.context import Context

from entities.bin import BIN_DAYS
from entities.formats import format_count
from ingestion.models import AccessRequest
from ingestion.request_states import find_request_on

register = template.Library()


@register.simple_tag
def bin_days() -> str:
    """For how long the bin keeps what is deleted: "30 days"."""
    return format_count(BIN_DAYS, "day")


@register.simple_tag(takes_context=True)
def request_on(
    context: Context, entity: Any, requires: Sequence[Any], block: Any, file: Any = None, field: str = ""
) -> AccessRequest | None:
    """The reader's own request about a placeholder: `requires` are its missing atoms, `block` has its positions. file:
    the `File` that it stands in; field: else the text of the record.
    """
    scope = getattr(context.get("request"), "access_scope", None)
    if scope is None or scope.principal <= 0:
        return None
    return find_request_on(
        scope,
        entity.pk,
        [label.value for label in requires],
        block.positions,
        file=file.pk if file else None,
        revision=file.revision_id if file else None,
        field=field,
    )

"""Template filters of the prompts. Every value that did not come from this program passes one of them."""

from typing import Any

from django import template

from llm import fences

register = template.Library()


@register.filter
def fenced(value: Any) -> str:
    """Text inside an element."""
    return fences.fence(str(value))


@register.filter
def passage(value: Any) -> str:
    """Text of a passage: fenced, with no citation numbers of its own."""
    return fences.fence(fences.replace_markers(str(value)))


@register.filter
def attribute(value: Any) -> str:
    """Text inside a quoted attribute."""
    return fences.quote_attribute(str(value))

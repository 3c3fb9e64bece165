"""What administrators are told of the process that opens files."""

from django import template

from ingestion.sandbox import ProcessKilled, Quarantined
from ingestion.sandbox.strength import Strength, list_lacking, measure_strength

register = template.Library()


@register.inclusion_tag("ingestion/sandbox_notice.html")
def describe_sandbox() -> dict[str, object]:
    """Nothing where it is fully bounded, or where that cannot be found out just now."""
    try:
        strength = measure_strength()
    except (Quarantined, ProcessKilled, OSError):
        return {}
    return {"strength": "" if strength == Strength.FULL else strength, "lacking": ", ".join(list_lacking())}

"""Lines of the result of `list_records`, which `chat` writes and the quoting engine reads."""

ADDRESS = "In the lists: "
"""Before the address of the same list, in the tool's result."""
UNCITED = "- "
"""Before a record without a number."""
APART = "Of the records below, what their numbers do not stand for:"
"""Before lines, each with a number, of fields that the passage with this number does not have."""


def write_apart(n: int) -> str:
    """Before a record's fields that its number does not stand for."""
    return f"Of [{n}]: "

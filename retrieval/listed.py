"""Records in a table that the quoting engine copied from a list: what of a row its number stands for."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ListedRecord:
    """fields: by title, as the table has them, those of linked records too."""

    name: str
    fields: Mapping[str, str]

    def write_claim(self, passage: str) -> str:
        """The name, and the fields that the passage, a snapshot of the record, has a line for: what it bears out."""
        titles = {line.partition(": ")[0] for line in passage.splitlines()[1:]}
        return " | ".join([self.name, *(value for title, value in self.fields.items() if title in titles)])

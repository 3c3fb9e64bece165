"""What a type declares: `Rag` (what is retrievable, and how it is labelled) and `Access` (who may do what)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from django.db.models import Q

Label = int | tuple[int, ...]
"""An atom, or several: text that needs more than one clearance."""

Strategy = Literal["auto", "text", "layout", "ocr", "vision"]
Tier = Literal["fast", "standard", "deep"]
Propagation = Literal["parent", "none"]
RemainderPolicy = Literal["default", "inherit", "strict"]

VERBS = ("view", "change", "delete", "upload", "share")


def split_label(label: Label | None) -> frozenset[int]:
    """The atoms of a declared label; Public has none, nor has what is not declared."""
    if label is None:
        return frozenset()
    return frozenset({label} if isinstance(label, int) else label) - {0}


@dataclass(frozen=True)
class Collection:
    """A named set of files on a record.

    classification: floor of every paragraph in it; 0 declares that its text is Public where nothing is found in it, and
    None says nothing: such text has the resting label of its workspace until somebody judges it. name_classification:
    label of the files' names.
    strategy: how text is taken from files (docs/ocr.md); "auto" looks for tables where strokes suggest one, and reads
    by OCR what says too little itself. Who uploads may choose another.
    classify: may be off only where a classification is declared.
    remainder: the label of what is in a file and no reader shows (pictures that nobody has read, embedded files).
    "inherit": that of the file. "strict": none, and so no original, until a steward decides, unless the paragraphs
    prove to say all of the file. "default": each kind its own way (docs/ingestion.md).
    addresses: where the root of its files' paths lives elsewhere, "https://…/tree/main/": links there lead to them.
    """

    label: str = ""
    classification: Label | None = None
    name_classification: Label = 0
    strategy: Strategy = "auto"
    classify: bool = True
    remainder: RemainderPolicy = "default"
    addresses: Sequence[str] = ()

    @property
    def is_public(self) -> bool:
        """Whether its text is declared to be Public."""
        return self.classification is not None and not split_label(self.classification)


@dataclass(frozen=True)
class Allow:
    """`roles` may do `verb` on the rows of the type that match `rows` (all when None)."""

    verb: str
    roles: Sequence[str]
    rows: Q | None = None


class Access:
    """Who may see and do what. Rules only ever add; the absence of a rule is a refusal."""

    default: ClassVar[Literal["workspace", "restricted", "private"]] = "workspace"
    rules: ClassVar[Sequence[Allow]] = (
        Allow("change", roles=["Editor", "Admin"]),
        Allow("upload", roles=["Editor", "Admin"]),
        Allow("delete", roles=["Admin"]),
        Allow("share", roles=["Admin"]),
    )


class Rag:
    """Options of a type, each checked by `manage.py check` (`entities.E001` …) and listed in docs/entity-types.md."""

    semantic: ClassVar[str] = "{name}"
    fields: ClassVar[Sequence[str] | None] = None
    default: ClassVar[Label] = 0
    classified: ClassVar[Mapping[str, Label]] = {}
    collections: ClassVar[Mapping[str, Collection]] = {"documents": Collection("Documents")}
    children: ClassVar[Sequence[str]] = ()
    pulse: ClassVar[bool] = False
    pulse_prompt: ClassVar[str] = ""
    pulse_model: ClassVar[Tier] = "fast"
    pulse_tracked_fields: ClassVar[Sequence[str] | None] = None
    pulse_refresh_after: ClassVar[int | None] = None
    status_fields: ClassVar[Sequence[str]] = ()
    due: ClassVar[str] = ""
    finished: ClassVar[Mapping[str, Sequence[str]]] = {}
    coalesce: ClassVar[int] = 30
    propagation: ClassVar[Propagation | int] = "parent"
    pulse_references: ClassVar[bool] = True
    chat_references: ClassVar[bool] = True
    chat_visibility: ClassVar[str] = "private"
    icon: ClassVar[str] = "file"
    color: ClassVar[str] = "slate"

    @classmethod
    def get_field_label(cls, name: str) -> frozenset[int]:
        """Atoms needed to read field `name`."""
        return split_label(cls.classified.get(name, cls.default))

    @classmethod
    def name_label(cls, workspace: int) -> int:
        """The label, as one integer of `workspace`, of this type's names."""
        from entities.access import combine_for_workspace

        return combine_for_workspace(workspace, *cls.get_field_label("name"))


@dataclass(frozen=True)
class RedactedField:
    """A field that exists but is not shown, and the atoms that would show it (acknowledged form, design §2.2)."""

    name: str
    requires: tuple[int, ...] = field(default_factory=tuple)


def list_option_names(cls: type[Any]) -> set[str]:
    """The public options that a declaration sets or inherits."""
    return {name for name in dir(cls) if not name.startswith("_") and not callable(getattr(cls, name))}

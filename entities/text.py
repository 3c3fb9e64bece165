"""Long texts of records: written as paragraphs without a label, read as what the scope may see (docs/adr/0002)."""

import difflib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import connection
from django.utils.translation import gettext

from entities.access import Scope, combine_many, hold_rows, list_missing_atoms
from entities.models import Entity, FieldParagraph

MOST_CHARACTERS = 200_000
MOST_PARAGRAPHS = 2_000
WORD = re.compile(r"\w+")
DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class FieldBlock:
    """A paragraph as a reader gets it: text with its label, or (text None) a placeholder naming the missing atoms.

    own: the reader typed it. reasons: why it needs `requires`, of the reader's own text. granted: the reader was
    granted it without its label, for good or until `until`. run: the number of a placeholder among those of its field.
    positions: of the paragraphs behind a placeholder, which nobody is told.
    """

    field: str
    position: int
    text: str | None
    label: int | None
    requires: tuple[int, ...] = ()
    paragraph: UUID | None = None
    own: bool = False
    reasons: tuple[str, ...] = ()
    granted: bool = False
    until: datetime | None = None
    run: int = 0
    positions: tuple[int, ...] = ()


@dataclass(frozen=True)
class GrantedText:
    """A paragraph that its reader was granted without its label. until: when that ends; None for never."""

    passage: UUID
    field: str
    position: int
    page: int | None
    kind: str
    text: str
    label: int
    until: datetime | None


def find_granted_texts(scope: Scope, entity: UUID, file: UUID | None = None) -> list[GrantedText]:
    """What the caller was granted of a record's long texts, or of one file of it (docs/adr/0051). Whether they may see
    the record is asked in the same statement.
    """
    record = Entity.objects.visible_to(scope).filter(pk=entity).order_by().values("pk")
    visible, parameters = record.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT g.id, g.field, g."position", g.page, g.kind, g.body, g.label, g.until'  # noqa: S608
            f" FROM ({visible}) e (id), LATERAL app_granted_texts(e.id, %s) g",
            [*parameters, file],
        )
        return [GrantedText(*row) for row in cursor.fetchall()]


def compute_digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def split_paragraphs(text: str) -> list[str]:
    """Paragraphs of typed text: runs between blank lines, with line ends normalised and NUL removed."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return [block.strip("\n").rstrip() for block in clean.split("\n\n") if block.strip()]


def read_texts(scope: Scope, entity: Entity, *, own: bool = False) -> dict[str, list[FieldBlock]]:
    """Every long text of `entity`, which the caller got from an access function, in order, one placeholder a hidden
    run. own: with `read_own_texts` and `find_granted_texts`, for the record's page.
    """
    blocks = [
        FieldBlock(p.field, p.position, p.text, p.data_classification, paragraph=p.pk)
        for p in FieldParagraph.objects.filter(entity=entity.pk)
    ]
    typed = read_own_texts(entity) if own else {}
    granted = {(text.field, text.position): text for text in find_granted_texts(scope, entity.pk)} if own else {}
    blocks += [
        FieldBlock(g.field, g.position, g.text, g.label, paragraph=g.passage, granted=True, until=g.until)
        for g in granted.values()
    ]
    with connection.cursor() as cursor:
        cursor.execute("SELECT field, position, label FROM app_hidden_field_paragraphs(%s)", [entity.pk])
        for field, position, label in cursor.fetchall():
            if (field, position) in granted:
                continue
            mine = typed.get((field, position), FieldBlock(field, position, None, None))
            blocks.append(replace(mine, label=label, requires=list_missing_atoms(label), positions=(position,)))
    blocks += [block for block in typed.values() if block.text is not None]
    result: dict[str, list[FieldBlock]] = {name: [] for name in entity.type_class.long_texts}
    for block in sorted(blocks, key=lambda b: b.position):
        run = result.setdefault(block.field, [])
        last = run[-1] if run else None
        if last and last.text is block.text is None and (last.requires, last.own) == (block.requires, block.own):
            reasons = tuple(dict.fromkeys(last.reasons + block.reasons))
            run[-1] = replace(last, reasons=reasons, positions=last.positions + block.positions)
        else:
            run.append(replace(block, run=sum(before.text is None for before in run)) if block.text is None else block)
    return result


def read_own_texts(entity: Entity) -> dict[tuple[str, int], FieldBlock]:
    """(field, position) -> what the caller typed into `entity` and may not read otherwise: text that has no label yet,
    and placeholders of what needs more than they hold, with the reasons. In an open scope.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT field, position, body, votes FROM app_own_paragraphs(%s)", [entity.pk])
        rows = cursor.fetchall()
    found = {}
    for field, position, text, votes in rows:
        given = json.loads(votes) if isinstance(votes, str) else votes
        reasons = dict.fromkeys(v.get("reason") for v in given if v.get("source") == "rules" and v.get("labels"))
        found[field, position] = FieldBlock(field, position, text, None, own=True, reasons=tuple(filter(None, reasons)))
    return found


def join_readable_text(entity: Entity, field: str) -> str:
    """The paragraphs of one long text that the open scope may read, as a form shows them."""
    return "\n\n".join(list_readable_paragraphs(entity, field))


def list_readable_paragraphs(entity: Entity, field: str) -> list[str]:
    return list(FieldParagraph.objects.filter(entity=entity.pk, field=field).values_list("text", flat=True))


class TextTooLong(ValueError):
    """More than `MOST_CHARACTERS` or `MOST_PARAGRAPHS`; the message is for the person who typed it."""


def validate_text(text: str) -> str:
    """`text`, if it fits. Raises: TextTooLong."""
    if len(text) > MOST_CHARACTERS:
        raise TextTooLong(
            gettext("At most %(most_characters)s characters; put longer text into a file.")
            % {"most_characters": format(MOST_CHARACTERS, ",")}
        )
    if len(split_paragraphs(text)) > MOST_PARAGRAPHS:
        raise TextTooLong(
            gettext("At most %(most_paragraphs)s paragraphs; put longer text into a file.")
            % {"most_paragraphs": format(MOST_PARAGRAPHS, ",")}
        )
    return text


def validate_one_line(text: str) -> None:
    """Validator of names and other short texts. Raises: django's ValidationError.

    Control characters and line ends break what shows one line; a change of direction makes a name read as another.
    """
    if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in DIRECTIONS for c in text):
        raise ValidationError(gettext("One line of text, without control characters."), code="control_characters")


DECLARED_PUBLIC = {"source": "inherited", "labels": [], "reason": "declared by who typed it", "public": True}
"""The vote of who typed a paragraph, where they say that it is Public if nothing is found in it."""


def write_text(
    scope: Scope,
    entity: Entity,
    field: str,
    text: str,
    may_replace: Callable[[FieldParagraph], bool] | None = None,
    *,
    public: bool = False,
) -> frozenset[int | None] | None:
    """Replace what `scope` sees of a long text. Paragraphs it does not see stay where they are, and so do those that
    may not be replaced, because the writer was not shown them.

    Unchanged paragraphs keep their row, label and votes. New ones enter unlabelled, hidden from all but stewards until
    the service has labelled them. public: as the writer declares of them (`DECLARED_PUBLIC`). What an edit removes
    lives on as the floor of what it became: its label and floor, so that no edit lowers anything by itself (design
    §2.2). Returns None where nothing changed, else the labels of the
    paragraphs that are gone. Raises: TextTooLong.
    """
    new = split_paragraphs(validate_text(text))
    # Two editors of one text take turns: the second compares with what the first has written.
    list(Entity.objects.select_for_update(no_key=True).filter(pk=entity.pk).order_by().values_list("pk"))
    # And whoever raises one of these paragraphs takes turns with them: its label is the floor of what replaces it.
    there = FieldParagraph.objects.filter(entity=entity.pk, field=field).order_by("position", "pk")
    held = list(hold_rows(there, to_change=True))
    old = [p for p in held if may_replace is None or may_replace(p)]
    if [p.text for p in old] == new:
        return None
    matcher = difflib.SequenceMatcher(a=[p.digest for p in old], b=[compute_digest(t) for t in new], autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    removed = {p.pk: p for _, a0, a1, _, _ in changes for p in old[a0:a1]}
    FieldParagraph.objects.filter(pk__in=removed).delete()
    order: list[FieldParagraph] = []
    made: dict[UUID, FieldParagraph] = {}
    author = max(scope.principal, 0)
    for op, a0, a1, b0, b1 in matcher.get_opcodes():
        if op == "equal":
            order.extend(old[a0:a1])
            continue
        for body in new[b0:b1]:
            row = FieldParagraph(
                workspace_id=entity.workspace_id,
                entity_id=entity.pk,
                field=field,
                text=body,
                digest=compute_digest(body),
                author=author,
                votes=[DECLARED_PUBLIC] if public else [],
                floor=_compute_floor(body, old[a0:a1], removed.values(), author),
                position=0,
            )
            made[row.pk] = row
            order.append(row)
    staying = {p.position for p in held} - {p.position for p in old}
    _assign_positions(order, made, _list_used_positions(entity, field) | staying)
    FieldParagraph.objects.bulk_create(made.values())
    FieldParagraph.objects.bulk_update([row for row in order if row.pk not in made], ["position"])
    return frozenset(p.data_classification for p in removed.values())


def _compute_floor(body: str, block: Sequence[FieldParagraph], removed: Iterable[FieldParagraph], author: int) -> int:
    """The label below which new text may not fall: of all it stands in the place of, and of what moved into it. A label
    that the author's own text rested as is not among them; of somebody else's it is: what may repeat that is not for
    its author for having typed it.
    """
    words = _split_words(body)
    before = {p.pk: p for p in block} | {p.pk: p for p in removed if _share_most_words(words, _split_words(p.text))}
    binding = (p.data_classification for p in before.values() if p.judged or author not in (0, p.author))
    return combine_many([*(p.floor for p in before.values()), *(label or 0 for label in binding)])


def _split_words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))


def _share_most_words(new: frozenset[str], old: frozenset[str]) -> bool:
    """Whether one holds most of the other's words."""
    return bool(new and old) and len(new & old) >= 0.6 * min(len(new), len(old))


def _assign_positions(order: Sequence[FieldParagraph], made: Mapping[UUID, object], taken: set[int]) -> None:
    """Hidden paragraphs keep the numbers they have; ours are numbered around them, a thousand apart."""
    position = 0
    for row in order:
        position = max(position + 1000, 0 if row.pk in made else row.position)
        while position in taken:
            position += 1
        row.position = position


def _list_used_positions(entity: Entity, field: str) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_hidden_positions(%s, %s)", [entity.pk, field])
        return {row[0] for row in cursor.fetchall()}

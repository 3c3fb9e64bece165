"""Long texts of records: written as paragraphs without a label, read as what the scope may see (docs/adr/0002)."""

import difflib
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from django.db import connection

from entities.access import Scope, missing_atoms
from entities.models import Entity, FieldParagraph


@dataclass(frozen=True)
class Block:
    """A paragraph as a reader gets it: text with its label, or (text None) a placeholder naming the missing atoms."""

    field: str
    position: int
    text: str | None
    label: int | None
    requires: tuple[int, ...] = ()
    paragraph: UUID | None = None


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def split_paragraphs(text: str) -> list[str]:
    """Paragraphs of typed text: runs between blank lines, with line ends normalised and NUL removed."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return [block.strip("\n").rstrip() for block in clean.split("\n\n") if block.strip()]


def read_texts(scope: Scope, entity: Entity) -> dict[str, list[Block]]:
    """Every long text of `entity`, which the caller got from an access function, in order, one placeholder a hidden
    run.
    """
    blocks = [
        Block(p.field, p.position, p.text, p.data_classification, paragraph=p.pk)
        for p in FieldParagraph.objects.filter(entity=entity.pk)
    ]
    with connection.cursor() as cursor:
        cursor.execute("SELECT field, position, label FROM app_hidden_field_paragraphs(%s)", [entity.pk])
        hidden = [Block(f, p, None, label, missing_atoms(label)) for f, p, label in cursor.fetchall()]
    result: dict[str, list[Block]] = {name: [] for name in entity.type_class.long_texts}
    for block in sorted([*blocks, *hidden], key=lambda b: b.position):
        run = result.setdefault(block.field, [])
        if block.text is None and run and run[-1].text is None and run[-1].requires == block.requires:
            continue
        run.append(block)
    return result


def editable_text(entity: Entity, field: str) -> str:
    """The paragraphs of one long text that the open scope may read, as a form shows them."""
    return "\n\n".join(FieldParagraph.objects.filter(entity=entity.pk, field=field).values_list("text", flat=True))


def write_text(scope: Scope, entity: Entity, field: str, text: str) -> bool:
    """Replace what `scope` sees of a long text. Paragraphs it does not see stay where they are.

    Unchanged paragraphs keep their row, label and votes. New ones enter unlabelled, hidden from all but stewards until
    the service has labelled them; one that replaces another keeps that one's manual floor. Returns whether anything
    changed.
    """
    new = split_paragraphs(text)
    old = list(FieldParagraph.objects.filter(entity=entity.pk, field=field).order_by("position"))
    if [p.text for p in old] == new:
        return False
    taken = _positions_taken(entity, field)
    matcher = difflib.SequenceMatcher(a=[p.digest for p in old], b=[digest_of(t) for t in new], autojunk=False)
    position = 0
    kept_order: list[FieldParagraph] = []
    made: list[FieldParagraph] = []
    for op, a0, a1, b0, b1 in matcher.get_opcodes():
        if op == "equal":
            kept_order.extend(old[a0:a1])
            continue
        replaced = old[a0:a1]
        FieldParagraph.objects.filter(pk__in=[p.pk for p in replaced]).delete()
        for offset, body in enumerate(new[b0:b1]):
            before = replaced[min(offset, len(replaced) - 1)] if replaced else None
            row = FieldParagraph(
                workspace_id=entity.workspace_id,
                entity_id=entity.pk,
                field=field,
                text=body,
                digest=digest_of(body),
                floor=before.floor if before else 0,
                position=0,
            )
            made.append(row)
            kept_order.append(row)
    # Hidden paragraphs keep the numbers they have; ours are numbered around them, a thousand apart.
    for row in kept_order:
        position = max(position + 1000, row.position if row not in made else 0)
        while position in taken:
            position += 1
        row.position = position
    made_ids = {row.pk for row in made}
    FieldParagraph.objects.bulk_create(made)
    FieldParagraph.objects.bulk_update([r for r in kept_order if r.pk not in made_ids], ["position"])
    return True


def _positions_taken(entity: Entity, field: str) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_hidden_positions(%s, %s)", [entity.pk, field])
        return {row[0] for row in cursor.fetchall()}

"""The resting label: who may read text that nobody has judged yet, neither a steward nor a finding.

It belongs to the workspace. A change moves all text that rests, in one transaction: labels, those of names, of earlier
versions and of what is in the bin as well, what was drawn from it, and the index rows, which go out and are made again
by workers.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import BooleanField, F, Func, Model, Q, QuerySet, UUIDField
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from entities.access import (
    Scope,
    combine_many,
    list_atoms,
    list_workspace_ids,
    load_atoms_by_label,
    load_atoms_of_people,
    load_concealed_atoms,
    load_granted_atoms,
    looking_into_bin,
    raise_labels,
)
from entities.actions import record_action
from entities.language import translate_level
from entities.models import Classification, Entity, FieldParagraph, Role, Source, User, WorkspaceSettings
from entities.models.classification import PUBLIC, STEWARDS
from entities.models.text import Labelled
from entities.stewards_level import make_stewards_level
from ingestion.desk import select_field_paragraphs, select_paragraphs
from ingestion.desk_groups import MoveCounts, Sight, prepare_moves
from ingestion.drawn import lock_paragraphs
from ingestion.errors import BadUpload
from ingestion.index import delete_rows
from ingestion.models import File, Paragraph, PastParagraph, RowParagraph
from ingestion.name_labels import NameLabel
from ingestion.queueing import publish_again
from ingestion.records import mark_stale
from ingestion.votes import Vote, build_votes, collect_automatic, decide_atoms, release_findings
from ingestion.work import load_workspace_atoms


def list_resting_choices() -> list[Classification]:
    """What text may rest as, beside stewards and its sender alone: Public first, for everybody, then each level. In an
    open scope.
    """
    return list(Classification.objects.filter(value__lt=STEWARDS).order_by("value"))


def load_resting_label() -> int:
    """In an open scope."""
    return WorkspaceSettings.objects.values_list("resting", flat=True).get()


def list_sending_choices() -> list[tuple[str, str]]:
    """(labels of an upload, words): as text rests here, Public where the caller may declare it, and each level that
    they hold. In an open scope.
    """
    levels = {level.value: translate_level(level.label) for level in list_resting_choices()}
    held, resting = load_granted_atoms(), load_resting_label()
    cleared = gettext("People cleared for %(level)s")
    everybody = gettext("Everybody")
    if resting == STEWARDS:
        readers = gettext("Stewards and you")
    elif resting in load_concealed_atoms():
        readers = gettext("People cleared for new text")
    else:
        readers = cleared % {"level": levels[resting]} if resting else everybody
    choices = [("", gettext("%(readers)s, until it is judged") % {"readers": readers})]
    if resting and resting in held:
        choices.append((str(PUBLIC), gettext("Everybody, where nothing is found in it")))
    own = {value: name for value, name in levels.items() if value and value in held}
    return choices + [(str(value), cleared % {"level": name}) for value, name in own.items()]


def prepare_resting(scope: Scope, label: int) -> Sight:
    """Who gains and who loses by another resting label, counted over what the open scope may read."""
    to = frozenset(list_atoms(label))
    by_record: dict[UUID, MoveCounts] = {}
    paragraphs: tuple[tuple[QuerySet[Any], str], ...] = (
        (select_paragraphs(scope), "file__entity"),
        (select_field_paragraphs(scope), "entity"),
    )
    for rows, record in paragraphs:
        resting = rows.filter(judged=False, data_classification__isnull=False).order_by()
        held, columns = Q(votes__contains=[HELD]), (record, "data_classification")
        for entity, now in resting.exclude(held).exclude(data_classification=label).values_list(*columns):
            by_record.setdefault(entity, MoveCounts())[frozenset(list_atoms(now)), to] += 1
        for entity, now, votes in resting.filter(held).values_list(*columns, "votes"):
            if (before := frozenset(list_atoms(now))) != (after := settle_resting(votes, to)[1]):
                by_record.setdefault(entity, MoveCounts())[before, after] += 1
    return prepare_moves(scope, by_record)


def settle_resting(votes: Sequence[Mapping[str, Any]], resting: frozenset[int]) -> tuple[list[Vote], frozenset[int]]:
    """(votes, atoms) of a text that rests, with another resting label: findings that were held label it, where that is
    not stewards' alone.
    """
    known = build_votes(votes)
    known = known if STEWARDS in resting else release_findings(known)
    atoms = decide_atoms(known, model_needed=False, resting=resting)
    assert atoms is not None
    return known, atoms


def change_resting(*, scope: Scope, label: int) -> None:
    """For administrators. It is carried out when this transaction commits, before the caller gets an answer. Raises:
    BadUpload for what is no level, or one that no steward holds: nobody could ever judge what rests.
    """
    if label == STEWARDS:
        make_stewards_level()
    elif label not in {level.value for level in list_resting_choices()}:
        raise BadUpload(gettext("Choose one of the levels."), "unknown_label")
    stewards = _load_stewards()
    if label != PUBLIC and not any(label in held for held in stewards.values()):
        names = ", ".join(sorted(stewards)) or gettext("nobody is a steward yet")
        raise BadUpload(
            gettext(
                "No steward is cleared for %(level)s, so nobody could judge such text. Give it to one of: %(names)s."
            )
            % {"level": translate_level(Classification.objects.get(value=label).label), "names": names},
            "no_steward",
        )
    before = WorkspaceSettings.objects.select_for_update().values_list("resting", flat=True).get()
    if before != label:
        WorkspaceSettings.objects.update(resting=label)
        record_action(scope, "resting.changed", "workspace", scope.workspace, before=before, after=label)
    transaction.on_commit(partial(apply_resting, scope.workspace))


def apply_resting_everywhere() -> None:
    """Text that a release before this one left open rests from its first start on. Needs no scope open."""
    for workspace in list_workspace_ids():
        apply_resting(workspace)


def apply_resting(workspace: int) -> None:
    """Give all text that rests the label of now. Needs no scope open."""
    with Scope.for_service(workspace).open(), looking_into_bin():
        label = load_resting_label()
        models = (Paragraph, FieldParagraph, PastParagraph, File)
        if not any(select_misplaced(model, label).exists() for model in models):
            return
        files = {*Paragraph.objects.filter(judged=False).order_by().values_list("file", flat=True).distinct()}
        # What an attachment came in says who may read its name.
        files |= {
            *select_misplaced(File, label).values_list(Coalesce("origin_id", "pk", output_field=UUIDField()), flat=True)
        }
        held = list(File.objects.select_for_update().filter(pk__in=files).order_by("pk").values_list("pk", flat=True))
        moved: list[Labelled] = []
        for model in (Paragraph, FieldParagraph):
            ids = list(select_misplaced(model, label).values_list("pk", flat=True))
            lock_paragraphs(ids, to_change=True)
            moved += select_misplaced(model, label).filter(pk__in=ids).defer("text")
        gone = list(select_misplaced(PastParagraph, label))
        names = list(select_misplaced(File, label).filter(pk__in=files))
        pks = [paragraph.pk for paragraph in moved]
        above = Q(headings__overlap=pks) | Q(under__overlap=pks)  # a heading stands in the rows below it
        below = Paragraph.objects.filter(above, file__in=held).values_list("pk", flat=True)
        shown = Q(paragraph__in=[*pks, *below]) | Q(field_paragraph__in=pks)
        delete_rows({*RowParagraph.objects.filter(shown).values_list("row", flat=True)})
        now = _settle_texts([*moved, *gone], label)
        now |= _settle_names(names, label, now)
        drawn = Source.objects.filter(passage__in=list(now)).values_list("passage", flat=True).distinct()
        raise_labels({pk: now[pk] for pk in drawn if pk is not None})
        for file in held:
            publish_again(file)
        typed = [paragraph.entity_id for paragraph in moved if isinstance(paragraph, FieldParagraph)]
        there = Entity.objects.filter(pk__in=typed, deleted_at=None)  # others when they come back
        mark_stale(workspace, sorted(there.values_list("pk", flat=True)))


def _settle_texts(texts: Sequence[Labelled | PastParagraph], label: int) -> dict[UUID, int]:
    """Returns what each paragraph needs now, by its id. One without a label gets a floor of what was found."""
    resting, now, found = frozenset(list_atoms(label)), {}, []
    for text in texts:
        votes, atoms = settle_resting(text.votes, resting)
        if text.data_classification is None:
            text.floor = combine_many([text.floor, *collect_automatic(votes)])
        else:
            text.data_classification = now[_get_paragraph_id(text)] = combine_many(atoms)
        if any(vote.get("held") for vote in text.votes):
            text.votes = [vote.to_json() for vote in votes]
            found.append(text)
    for model in (Paragraph, FieldParagraph, PastParagraph):
        rows: list[Any] = [text for text in found if isinstance(text, model)]
        model._default_manager.bulk_update(rows, ["votes", "floor", "data_classification"], batch_size=500)
        others: set[Any] = {text.pk for text in texts if isinstance(text, model)} - {row.pk for row in rows}
        model._default_manager.filter(pk__in=others).update(data_classification=label)
    return now


def _get_paragraph_id(text: Labelled | PastParagraph) -> UUID:
    pk: UUID = text.paragraph if isinstance(text, PastParagraph) else text.pk
    return pk


def _settle_names(files: Sequence[File], label: int, texts: Mapping[UUID, int]) -> dict[UUID, int]:
    """The same of names. What rules found in one that rested with stewards alone labels it, also in the text that names
    an attachment. One that was not read in time needs every level still.
    """
    now, every = {}, load_workspace_atoms()
    for file in files:
        had = frozenset(list_atoms(file.name_classification))
        found = had - {STEWARDS} if STEWARDS in had else frozenset()
        named = texts.get(file.named_by, label) if file.named_by else label
        if STEWARDS in had and named != label:
            found |= frozenset(list_atoms(named))
        name = NameLabel(combine_many(found or [label]), judged=bool(found) and found != every)
        File.objects.filter(pk=file.pk).update(**name.columns)
        now[file.pk] = name.label
    return now


HELD = {"held": True}


def select_misplaced(model: type[Model], label: int) -> QuerySet[Any]:
    """Text that rests with another label than this one; of files, their names. One that needs every level waits for
    somebody to read it. What is kept up beside the level of stewards alone rests where it should; where it rests with
    others, what is held is to be released.
    """
    labels = load_atoms_by_label() if label == STEWARDS else {}
    right = [label, *(one for one, atoms in labels.items() if STEWARDS in atoms)]
    rows = model._default_manager.all()
    if model is File:
        unread = combine_many([*load_workspace_atoms(), *([STEWARDS] if label == STEWARDS else [])])
        return rows.filter(name_judged=False).exclude(name_classification__in=[*right, unread])
    if model is PastParagraph:
        rows = rows.alias(judged=Func(F("votes"), function="app_is_judged", output_field=BooleanField()))
    elsewhere = Q(judged=False, data_classification__isnull=False) & ~Q(data_classification__in=right)
    return rows.filter(elsewhere if label == STEWARDS else elsewhere | Q(judged=False, votes__contains=[HELD]))


def _load_stewards() -> dict[str, frozenset[int]]:
    """User name of each steward who is active -> the atoms that they hold."""
    group = Role.objects.filter(is_steward=True).values_list("group__user", flat=True)
    active = User.objects.filter(pk__in=list(group), is_active=True)
    names = dict(active.values_list("pk", "username"))
    return {names[member]: atoms for member, atoms in load_atoms_of_people(names).items()}

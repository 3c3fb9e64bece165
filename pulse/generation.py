"""Making one Pulse: read, close, ask the model, write (design §8).

    generate:  begin → read_anchor → gather → (unchanged: done) → number → model → write

Each database step is a scope of its own, and no scope is open while anything is embedded or a model answers. What is
written is what the inputs still say: rows, labels and permissions are locked and compared once more, in the transaction
that writes, so a label raised meanwhile is never lost.
"""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import Http404
from django.utils import timezone

from entities.access import Scope, combine_many, get_entity_or_404, list_atoms
from entities.audit import AuditedQuery, record_question
from entities.models import Entity, Source, Weight
from llm import client, prompts
from llm.errors import ModelError
from llm.models_catalogue import Tier
from pulse import claims
from pulse.claims import VariantClaim
from pulse.input_locks import collect_atoms, is_still_current
from pulse.inputs import PulseInputs, PulsePassage, gather_inputs, read_anchor
from pulse.models import Pulse, Variant
from pulse.variants import build_role_scope, get_service_role
from references.actions import CitationTarget, replace_citations
from references.kinds import LocationType
from references.locations import Location
from references.models import Reference
from retrieval.citation_stream import normalise_citations
from retrieval.citations import Owner, register_sources
from retrieval.models import OwnerKind
from retrieval.passages import build_prompt_documents
from retrieval.query import prepare_query
from retrieval.support import find_bearing_sentence, list_sentences_citing

logger = logging.getLogger(__name__)

PAUSE = 30
"""Seconds until the first new attempt after a failure."""


@dataclass(frozen=True)
class Job:
    """A variant that this worker has begun, and what it needs to go on. fingerprint: of the text there is, or empty;
    held: the clearances that all who are shown that text hold.
    """

    workspace: int
    claim: VariantClaim
    entity: UUID
    scope: Scope
    fingerprint: str
    held: frozenset[int]
    references: bool
    tier: Tier
    window: int


def update_variant(workspace: int, claim: VariantClaim) -> bool:
    """Bring a claimed variant up to date. Needs no scope open. Returns whether a model was asked."""
    job = begin_job(workspace, claim)
    if job is None:
        return False
    inputs = read_inputs(job)
    if inputs is None:
        delete_unreadable(job)
        return False
    if inputs.fingerprint == job.fingerprint:
        with Scope.for_service(workspace).open():
            claims.finish_claim(job.claim)
        return False
    prompt, numbers = number_passages(job, inputs)
    if prompt is None:
        return False
    started = time.monotonic()
    try:
        reply = client.complete(client.Call(workspace, job.scope.principal, "pulse", job.tier), **prompt.request)
    except ModelError as problem:
        with Scope.for_service(workspace).open():
            claims.give_back(job.claim, str(problem), pause=PAUSE)
        return True
    taken = round((time.monotonic() - started) * 1000)
    save_pulse(job, inputs, numbers, reply, prompt.injections, taken)
    return True


def begin_job(workspace: int, claim: VariantClaim) -> Job | None:
    """Take the claim. None when another did, the record is gone or archived, or the variant is not one any more."""
    with Scope.for_service(workspace).open():
        mine = claims.begin_claim(claim)
        if mine is None:
            return None
        variant = Variant.objects.get(pk=mine.variant)
        entity = Entity.objects.get(pk=variant.entity_id)
        service = get_service_role()
        if service is None or not set(variant.atoms) <= service.atoms or not entity.type_class.rag().pulse:
            # The role has lost a clearance: its variants with it go, text and all.
            variant.delete()
            return None
        if entity.archived_at is not None:
            claims.finish_claim(mine)
            return None
        text = Pulse.objects.filter(pk=variant.pk).first()
        held = frozenset(list_atoms((text.data_classification if text else None) or 0))
        known = text.fingerprint if text else ""
        scope, rag = build_role_scope(service, tuple(variant.atoms)), entity.type_class.rag()
        return Job(workspace, mine, entity.pk, scope, known, held, rag.pulse_references, rag.pulse_model, rag.coalesce)


def read_inputs(job: Job) -> PulseInputs | None:
    """The inputs as the role reads them; None when it may not see the record."""
    try:
        with job.scope.open():
            anchor = read_anchor(job.scope, get_entity_or_404(job.scope, job.entity))
        query = prepare_query(anchor.query, job.scope)
        with job.scope.open():
            return gather_inputs(job.scope, get_entity_or_404(job.scope, job.entity), anchor, query)
    except Http404:
        return None


def delete_unreadable(job: Job) -> None:
    """The role may not see the record: what it wrote about it before goes too."""
    with Scope.for_service(job.workspace).open():
        if claims.finish_claim(job.claim):
            Pulse.objects.filter(pk=job.claim.variant).delete()


def number_passages(job: Job, inputs: PulseInputs) -> tuple[prompts.Prompt | None, list[int]]:
    """The prompt, with a number of the Pulse's registry on each passage; None when the claim is lost."""
    owner = Owner(OwnerKind.PULSE, job.claim.variant)
    with job.scope.open():
        # What is new may need more than the text that is shown meanwhile: then its readers are told nothing.
        told = collect_atoms(inputs.labels) <= job.held
        if not (claims.show_stale(job.claim) if told else claims.is_claimed(job.claim)):
            return None, []
        numbers = register_sources(job.scope, owner, inputs.results)
    documents = build_prompt_documents(inputs.results, numbers)
    return prompts.build_pulse_prompt(inputs.anchor.record, documents, focus=inputs.anchor.focus), numbers


def save_pulse(
    job: Job,
    inputs: PulseInputs,
    numbers: Sequence[int],
    reply: client.Reply,
    injections: Sequence[str],
    taken: int = 0,
) -> bool:
    """Put the text in the place of the old one, with its label, sources and citations. Returns whether it was.

    taken: milliseconds that the model took.
    """
    by_number = dict(zip(numbers, inputs.pieces, strict=True))
    by_src = {piece.result.src: n for n, piece in by_number.items()}
    text = normalise_citations(reply.text, by_number.__contains__, by_src.get)
    with Scope.for_service(job.workspace).open():
        if not text.text.strip():
            claims.give_back(job.claim, "The model gave no text.", pause=PAUSE)
            return False
        # First the variant, with nothing else locked: who flags it now is waited for.
        if not claims.lock_claim(job.claim):
            return False
        if not is_still_current(job, inputs):
            claims.give_back(job.claim, pause=job.window)
            return False
        claims.finish_claim(job.claim, quiet=not job.held <= collect_atoms(inputs.labels))
        pulse = save(job, inputs, text.text.strip(), reply)
        label = pulse.data_classification or 0
        cited = [build_citation(by_number[n], n, text.text, label) for n in text.cited] if job.references else []
        replace_citations(
            owner=pulse.pk,
            source=job.entity,
            origin=Reference.Origin.PULSE,
            origin_principal=job.scope.principal,
            cited=cited,
        )
        record_generation(job, inputs, reply, taken, dropped=text.dropped, injections=injections)
        return True


def record_generation(
    job: Job, inputs: PulseInputs, reply: client.Reply, taken: int, *, dropped: int, injections: Sequence[str]
) -> None:
    """The audit's row: nobody asked in words, so it has the ids of what went in alone, with their labels."""
    more: dict[str, object] = {"dropped_citations": dropped} if dropped else {}
    if injections:
        more["injections"] = list(injections)
    given = tuple((result.id, result.entity.id) for result in inputs.results)
    record_question(
        job.scope,
        "pulse.generated",
        AuditedQuery("", collect_atoms(inputs.labels), given),
        "entity",
        job.entity,
        atoms=sorted(job.scope.atoms or ()),
        model=reply.model,
        tokens={"input": reply.usage.input, "output": reply.usage.output, "cached": reply.usage.cached},
        cost=str(reply.usage.cost),
        latency_ms=taken,
        **more,
    )


def save(job: Job, inputs: PulseInputs, text: str, reply: client.Reply) -> Pulse:
    """The row, with its sources: every passage in the prompt, cited or not, every record named in it, and the record
    itself once more where the text counts what is below it.
    """
    pulse, _ = Pulse.objects.update_or_create(
        pk=job.claim.variant,
        defaults={
            "workspace_id": job.workspace,
            "variant_id": job.claim.variant,
            "entity_id": job.entity,
            "text": text,
            "data_classification": combine_many(inputs.labels),
            "generated_at": timezone.now(),
            "fingerprint": inputs.fingerprint,
            "model": reply.model,
            "offline": reply.offline,
            "cost": reply.usage.cost,
            "generated_by": job.scope.principal,
        },
    )
    sources = list(weigh_sources(job.entity, inputs).items())
    if inputs.anchor.counted:
        sources.append(((job.entity, None), Weight.COUNT))
    Source.objects.filter(derived=pulse.pk).delete()
    Source.objects.bulk_create(
        Source(workspace_id=job.workspace, derived=pulse.pk, entity_id=entity, passage=passage, weight=weight)
        for (entity, passage), weight in sources
    )
    return pulse


def weigh_sources(entity: UUID, inputs: PulseInputs) -> dict[tuple[UUID, UUID | None], Weight]:
    """(record, passage) behind a text -> the most that went into it, numbers apart: text above name."""
    found: dict[tuple[UUID, UUID | None], Weight] = {(pk, None): Weight.NAME for pk in inputs.anchor.named}
    found |= {source: Weight.TEXT for piece in inputs.pieces for source in piece.sources}
    return found | {(entity, None): Weight.TEXT}


def build_citation(piece: PulsePassage, n: int, text: str, label: int) -> CitationTarget:
    """A passage as a reference: its name, and the place of what `text` cites as `[n]`; no words of the model. What a
    Pulse cites is told to its readers only, so it has the Pulse's label, which covers the passage's; a trigger keeps it
    so when that one rises.
    """
    result = piece.result
    name = result.file.title if result.file else result.entity.title
    words = find_bearing_sentence(list_sentences_citing(text, n), result.text)
    part = result.find_part_at(words[0] if words else None)
    page = part.page if part else result.page
    place = {
        "row": str(result.id),
        "file": str(result.file.id) if result.file else None,
        "page": page,
        "passage": str(part.paragraph) if part else None,
    }
    return CitationTarget(
        entity=result.entity.id,
        passage=result.id,
        label=label,
        name=f"{name}, p. {page}" if page else name,
        location=Location(LocationType.CHUNK, {key: value for key, value in place.items() if value is not None}),
        paragraphs=[passage for entity, passage in piece.sources if passage],
    )

"""What derived rows are made from: the witness (design §4).

H(blob digest, policy epoch, schema version, rules version, model, prompt hash, …), kept by name so that a change of one
input tells which rows it concerns: only what was made from that input is stale.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from entities.rag import Collection, split_label
from llm import prompts, rules, vision
from llm.client import get_labeller_name, get_model_name
from llm.endpoints import get_current_endpoint
from llm.prompts import Level

SCHEMA = 8
"""Raised by a change of extraction, chunking or the form of the rows, so that older witnesses do not match."""
OF_LABELS = ("policy", "rules", "model", "prompt")
"""The inputs that decide about labels; a change of the others concerns the text."""


OF_THE_MODEL = frozenset({"policy", "model", "prompt"})
"""The inputs whose change asks the model again."""
CONCEALED = "concealed"
"""The input that decides how passages are cut, and about nothing else."""
NAMES = ("extraction", "policy", "rules", "model", "prompt", "summaries", CONCEALED)
OMITTED = ("summaries", CONCEALED)
"""Not written where they are empty."""


@dataclass(frozen=True)
class RevisionInputs:
    """What a revision's rows are made from beside its bytes. Digests or names, of things that hold no text of files.

    extraction: how text is taken out and cut, and by which model and prompt where one reads the pages. policy: the
    workspace's levels, guidance and epoch, and what the collection declares. model, prompt: of labels and summaries;
    empty where the collection is not classified by a model, and then summaries: the model and prompt of those alone.
    concealed: the atoms that show no placeholder, as "6 9"; no part of the witness, for votes and vectors are the same.
    """

    extraction: str
    policy: str
    rules: str
    model: str
    prompt: str
    summaries: str = ""
    concealed: str = ""

    @property
    def concealed_atoms(self) -> frozenset[int]:
        return frozenset(map(int, self.concealed.split()))

    @classmethod
    def from_json(cls, given: Mapping[str, str]) -> "RevisionInputs":
        """What is not known is empty, as of what was made before inputs were kept."""
        return cls(*(given.get(name, "") for name in NAMES))

    def to_json(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value or name not in OMITTED}

    def drop_concealment(self) -> dict[str, str]:
        return replace(self, concealed="").to_json()

    def witness(self, sha256: str) -> str:
        return hash_parts(sha256, self.drop_concealment())

    def list_changed_since(self, given: Mapping[str, str]) -> tuple[str, ...]:
        """Names of the inputs that are not what they were when rows were made with `given`."""
        return tuple(name for name in NAMES if given.get(name, "") != getattr(self, name))


def collect_inputs(
    collection: Collection,
    strategy: str,
    levels: Sequence[Level],
    guidance: str,
    concealed: Iterable[int],
    epoch: int | None,
) -> RevisionInputs:
    """As they are now for files of a collection that are read by `strategy`, under the policy of this epoch. In an open
    scope."""
    hidden = " ".join(map(str, sorted(concealed)))
    declared: list[Any] = sorted(split_label(collection.classification))
    if collection.is_public:
        declared.append("public")
    eyes = [get_model_name("standard"), prompts.hash_templates(*vision.TEMPLATES)] if strategy == "vision" else []
    extraction = hash_parts(SCHEMA, strategy, *eyes)
    labeller = get_labeller_name(get_model_name("fast"))
    if not collection.classify:
        summaries = hash_parts(labeller, prompts.hash_templates(*prompts.SUMMARISE_TEMPLATES))
        return RevisionInputs(extraction, hash_parts(declared), str(rules.VERSION), "", "", summaries, hidden)
    in_json = get_current_endpoint().labels == "json"
    asked = prompts.CLASSIFY_JSON_TEMPLATES if in_json else prompts.CLASSIFY_TEMPLATES
    told = [[level.value, level.label, level.description] for level in levels]
    return RevisionInputs(
        extraction=extraction,
        policy=hash_parts(epoch, told, guidance, declared),
        rules=str(rules.VERSION),
        model=labeller,
        prompt=prompts.hash_templates(*asked, *prompts.SUMMARISE_TEMPLATES),
        concealed=hidden,
    )


def hash_parts(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

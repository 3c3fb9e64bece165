"""The encoders that a workspace's administrators choose from, and the price of changing, told before (docs/adr/0068).

How many rows an index has is everybody's. Who administers is told of the rows that they may see, and of all of them
only a duration, or a number of tokens for a service that takes money, rounded to 1, 2, 5, 10 …
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ImproperlyConfigured
from django.db.models import Sum
from django.db.models.functions import Greatest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy, ngettext

from entities.access import Scope
from ingestion.embed import INCLUDED, get_embedder, is_remote, list_configured
from ingestion.embedders import EmbeddingFailed
from ingestion.models import ContextRow, WorkspaceModel
from ingestion.vector_models import State, count_visible_missing, get_current_model
from ingestion.vector_switch import FORMER_STAYS

MULTILINGUAL = INCLUDED["e5"][0]
READS = {
    MULTILINGUAL: gettext_lazy("About a hundred languages."),
    INCLUDED["minilm"][0]: gettext_lazy("English."),
}
UNKNOWN = gettext_lazy("This installation does not know in which languages it reads.")
FEWEST_TOKENS = 16
"""Of a row: short ones take as long as this."""
SAMPLE = [
    "The ferry leaves the northern quay at half past seven and returns in the evening, unless the harbour master closes"
    " the inner basin because of wind or ice. Tickets that were bought for a closed day are valid for a month.",
    "The tenant keeps the roof, the gutters and the outer doors in good repair at their own cost. What was damaged by"
    " a storm is repaired by the landlord, who has to be told of it within ten days in writing.",
]
_speeds: dict[str, float] = {}


@dataclass(frozen=True)
class Encoder:
    """A model as the page describes it. state: as of `WorkspaceModel`, or "" for one that this workspace does not have.

    passages: that have to be read for it, of those that the administrator may see. percent: of them, that were read.
    duration: of reading all that is missing on this machine. tokens: about as many a service is sent. ends_at: when
    a former one goes by itself.
    """

    model_id: str
    reads: str
    is_remote: bool
    is_configured: bool
    state: str = ""
    passages: int = 0
    percent: int = 100
    duration: str = ""
    tokens: int = 0
    switches: bool = False
    ends_at: datetime | None = None
    error: str = ""


def measure_speeds() -> Mapping[str, float]:
    """Model -> tokens a second, of the models that run here; each is measured once a process. Needs no scope open."""
    for model_id in list_configured():
        if model_id not in _speeds and not is_remote(model_id):
            try:
                embedder = get_embedder(model_id)
                embedder.embed_documents(SAMPLE[:1])
                began = time.perf_counter()
                embedder.embed_documents(SAMPLE)
                took = max(time.perf_counter() - began, 1e-4)
                _speeds[model_id] = sum(map(embedder.count_tokens, SAMPLE)) / took
            except (EmbeddingFailed, ImproperlyConfigured, OSError):
                continue
    return _speeds


def estimate_all_tokens(workspace: int) -> float:
    """Of all rows of a workspace, hidden ones too: never shown but as `round_coarsely`. Opens the service's scope."""
    with Scope.for_service(workspace).open():
        return float(ContextRow.objects.aggregate(all=Sum(Greatest("tokens", FEWEST_TOKENS)))["all"] or 0)


def list_encoders(scope: Scope, tokens: float, speeds: Mapping[str, float]) -> list[Encoder]:
    """The one in use first, in the open scope of an administrator. tokens: `estimate_all_tokens`."""
    configured, current = list_configured(), get_current_model()
    rows = {row.model.model_id: row for row in WorkspaceModel.objects.select_related("model")}
    others = {name: row for name, row in rows.items() if row.state == State.BESIDE}
    counts = {name: count_visible_missing(scope, row.model_id) for name, row in others.items()}
    known = next(iter(counts.values()), None) or count_visible_missing(scope, 0)
    is_limited = current in rows and rows[current].switch_asked_by is not None
    made = []
    for name in dict.fromkeys([current, *rows, *configured]):
        row = rows.get(name)
        passages, missing = counts.get(name, (known[0], known[0]))
        ends_at = row.switched_at + FORMER_STAYS if row and row.switched_at and name in others and is_limited else None
        made.append(
            Encoder(
                model_id=name,
                reads=str(READS.get(name, UNKNOWN)),
                is_remote=is_remote(name),
                is_configured=name in configured,
                state=row.state if row else "",
                passages=missing,
                percent=100 * (passages - missing) // passages if passages else 100,
                duration=describe_duration(tokens / speeds[name], scope.workspace) if name in speeds else "",
                tokens=round_coarsely(tokens / 1000, scope.workspace) * 1000,
                switches=name in others and others[name].switch_asked_by is not None,
                ends_at=ends_at,
                error=row.error if row else "",
            )
        )
    return made


def round_coarsely(number: float, workspace: int) -> int:
    """To the next of 1, 2, 5, 10, 20, 50 …: an exact number would be of rows that are hidden.

    Each step begins up to a quarter off, by a secret of the workspace and the step: who adds text until the number
    jumps, once or several times, would otherwise know how much is hidden.
    """
    steps = (times * 10**power for power in range(20) for times in (1, 2, 5))
    return next(step for step in steps if number <= step * draw_factor(workspace, step))


def draw_factor(workspace: int, step: int) -> float:
    """0.8 to 1.25; the next step is twice as high, so they stay in order."""
    drawn = int(salted_hmac("clearance.encoders", f"{workspace} {step}").hexdigest()[:8], 16) / 2**32
    return 0.8 + 0.45 * drawn


def describe_duration(seconds: float, workspace: int) -> str:
    minutes = round_coarsely(seconds / 60, workspace)
    if minutes <= 50:
        return ngettext("about %(n)d minute", "about %(n)d minutes", minutes) % {"n": minutes}
    hours = round_coarsely(seconds / 3600, workspace)
    return ngettext("about %(n)d hour", "about %(n)d hours", hours) % {"n": hours}

"""The embedder of this installation: made once a process, on first use, by configuration.

Settings (all optional), here with their defaults:

    CLEARANCE_HOME = "var"
    CLEARANCE_EMBEDDER = {"kind": "minilm", "threads": 2}
    CLEARANCE_EMBEDDER = {"kind": "openai", "url": "http://localhost:11434/v1", "model": "…", "dim": 768, "key": "…"}
    CLEARANCE_EMBEDDER = {"kind": "voyage", "model": "voyage-3.5", "dim": 1024, "key": "…"}

`max_tokens` may be given for the last two. Vectors of different models are never compared: each row names its model.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ingestion.embedders import Embedder

_lock = threading.Lock()
_made: dict[str, Embedder] = {}


def get_embedder() -> Embedder:
    """The configured embedder; loading the default one takes a quarter of a second, building its graph the first time
    a few seconds. Raises ImproperlyConfigured."""
    with _lock:
        if "embedder" not in _made:
            configured = getattr(settings, "CLEARANCE_EMBEDDER", None) or {"kind": "minilm"}
            _made["embedder"] = make_embedder(configured, Path(getattr(settings, "CLEARANCE_HOME", "var")))
        return _made["embedder"]


def make_embedder(configured: Mapping[str, Any], home: Path) -> Embedder:
    """An embedder by its settings; `home` is where the default model keeps its graph. Raises ImproperlyConfigured."""
    options = dict(configured)
    kind = options.pop("kind", None)
    try:
        if kind == "minilm":
            from ingestion.embedders.minilm import MiniLM

            return MiniLM(home, **options)
        from ingestion.embedders import remote

        if kind == "openai":
            return remote.openai(**options)
        if kind == "voyage":
            return remote.voyage(**options)
    except TypeError as error:
        raise ImproperlyConfigured(f"CLEARANCE_EMBEDDER for {kind!r}: {error}") from None
    raise ImproperlyConfigured(f"CLEARANCE_EMBEDDER: kind is minilm, openai or voyage, not {kind!r}")

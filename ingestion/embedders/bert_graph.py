"""BERT (Devlin et al. 2018, arXiv:1810.04805) as an ONNX graph, with the mean over tokens and scaling to length 1 in it
(Reimers and Gurevych 2019, arXiv:1908.10084).

    input_ids, attention_mask: int64 (batch, tokens)   →   embeddings: float32 (batch, width)

Weights have the names of the published models. `QuantisedBertGraph` keeps matrices in 8 bits and words in 4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 21  # 20 is the first with Gelu, 21 the first with 4-bit integers
IR_VERSION = 10
ONNXRUNTIME = "com.microsoft"
"""The domain of operators that onnxruntime adds to the standard."""
MAX_WEIGHT = 63
"""Matrices use 7 of 8 bits: with all of them, sums of two products overflow on processors without VNNI, and a vector
would depend on the machine that made it."""

Weights = npt.NDArray[Any]


class BertGraph:
    """Nodes are appended in order; every method returns the name of its result.

    load: a weight by its published name.
    """

    def __init__(self, load: Callable[[str], Weights], *, layers: int, heads: int, epsilon: float) -> None:
        self._load = load
        self._layers, self._heads, self._epsilon = layers, heads, epsilon
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def build_model(self, name: str) -> onnx.ModelProto:
        hidden = self._add_embeddings()
        mask = self._add_attention_mask()
        for layer in range(self._layers):
            hidden = self._add_layer(f"encoder.layer.{layer}", hidden, mask)
        self._add_pooling(hidden)
        inputs = [
            helper.make_tensor_value_info(given, TensorProto.INT64, ["batch", "tokens"])
            for given in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, ["batch", self._width])
        graph = helper.make_graph(self._nodes, name, inputs, [output], self._constants)
        domains = [helper.make_opsetid("", OPSET), helper.make_opsetid(ONNXRUNTIME, 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=IR_VERSION)

    def _add_embeddings(self) -> str:
        words = self._add_words()
        # Positions are the first rows of their table. (onnxruntime 1.31.1 goes wrong on Shape → Gather → Range.)
        shape = self._add_node("Shape", "input_ids")
        tokens = self._add_node("Slice", shape, self._add_ints(1), self._add_ints(2), self._add_ints(0))
        positions = self._load("embeddings.position_embeddings.weight")
        self._width = int(positions.shape[-1])
        places = self._add_node("Slice", self._add_constant(positions), self._add_ints(0), tokens, self._add_ints(0))
        sort = self._add_constant(self._load("embeddings.token_type_embeddings.weight")[0])
        total = self._add_node("Add", self._add_node("Add", words, places), sort)
        return self._add_norm("embeddings.LayerNorm", total)

    def _add_words(self) -> str:
        return self._add_node("Gather", self._add_weight("embeddings.word_embeddings.weight"), "input_ids")

    def _add_attention_mask(self) -> str:
        """0 for tokens, a very low number for padding, of shape (batch, 1, 1, tokens)."""
        mask = self._add_node("Cast", "attention_mask", to=TensorProto.FLOAT)
        self._mask = self._add_node("Unsqueeze", mask, self._add_ints(2))
        wide = self._add_node("Unsqueeze", mask, self._add_ints(1, 2))
        return self._add_node("Mul", self._add_node("Sub", wide, self._add_float(1.0)), self._add_float(1e9))

    def _add_layer(self, name: str, hidden: str, mask: str) -> str:
        attended = self._add_attention(f"{name}.attention", hidden, mask)
        hidden = self._add_norm(f"{name}.attention.output.LayerNorm", self._add_node("Add", hidden, attended))
        wide = self._add_node("Gelu", self._add_dense(hidden, f"{name}.intermediate.dense"))
        back = self._add_dense(wide, f"{name}.output.dense")
        return self._add_norm(f"{name}.output.LayerNorm", self._add_node("Add", hidden, back))

    def _add_attention(self, name: str, hidden: str, mask: str) -> str:
        width = self._width // self._heads
        shape = self._add_ints(0, 0, self._heads, width)
        together = self._add_dense(hidden, *(f"{name}.self.{which}" for which in ("query", "key", "value")))
        thirds = self._add_nodes("Split", 3, together, axis=-1, num_outputs=3)

        def part(third: str, *order: int) -> str:
            return self._add_node("Transpose", self._add_node("Reshape", third, shape), perm=list(order))

        query, key, value = part(thirds[0], 0, 2, 1, 3), part(thirds[1], 0, 2, 3, 1), part(thirds[2], 0, 2, 1, 3)
        scores = self._add_node("Mul", self._add_node("MatMul", query, key), self._add_float(width**-0.5))
        weights = self._add_node("Softmax", self._add_node("Add", scores, mask), axis=-1)
        mixed = self._add_node("Transpose", self._add_node("MatMul", weights, value), perm=[0, 2, 1, 3])
        joined = self._add_node("Reshape", mixed, self._add_ints(0, 0, self._width))
        return self._add_dense(joined, f"{name}.output.dense")

    def _add_pooling(self, hidden: str) -> None:
        """The mean of the tokens that are not padding, scaled to length 1."""
        total = self._add_node("ReduceSum", self._add_node("Mul", hidden, self._mask), self._add_ints(1), keepdims=0)
        count = self._add_node("ReduceSum", self._mask, self._add_ints(1), keepdims=0)
        mean = self._add_node("Div", total, self._add_node("Max", count, self._add_float(1e-9)))
        length = self._add_node("ReduceL2", mean, self._add_ints(1), keepdims=1)
        longest = self._add_node("Max", length, self._add_float(1e-12))
        self._nodes.append(helper.make_node("Div", [mean, longest], ["embeddings"]))

    def _add_dense(self, value: str, *names: str) -> str:
        """`value` times the matrices of `names` beside each other, plus their biases."""
        weight = np.concatenate([self._load(f"{name}.weight") for name in names])
        bias = np.concatenate([self._load(f"{name}.bias") for name in names])
        return self._add_product(value, weight.T, bias, *names)

    def _add_product(self, value: str, weight: Weights, bias: Weights, *names: str) -> str:
        product = self._add_node("MatMul", value, self._add_constant(np.ascontiguousarray(weight)))
        return self._add_node("Add", product, self._add_constant(bias))

    def _add_norm(self, name: str, value: str) -> str:
        scale, bias = self._add_weight(f"{name}.weight"), self._add_weight(f"{name}.bias")
        return self._add_node("LayerNormalization", value, scale, bias, axis=-1, epsilon=self._epsilon)

    def _add_node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self._add_nodes(operator, 1, *inputs, **attributes)[0]

    def _add_nodes(self, operator: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        results = [f"{operator}_{len(self._nodes)}_{output}" for output in range(outputs)]
        self._nodes.append(helper.make_node(operator, list(inputs), results, **attributes))
        return results

    def _add_weight(self, name: str) -> str:
        return self._add_constant(self._load(name))

    def _add_constant(self, value: Any) -> str:
        return self._add_tensor(numpy_helper.from_array(np.asarray(value)))

    def _add_tensor(self, tensor: onnx.TensorProto) -> str:
        tensor.name = f"constant_{len(self._constants)}"
        self._constants.append(tensor)
        return str(tensor.name)

    def _add_ints(self, *values: int) -> str:
        return self._add_constant(np.array(values, dtype=np.int64))

    def _add_float(self, value: float) -> str:
        return self._add_constant(np.array(value, dtype=np.float32))


class QuantisedBertGraph(BertGraph):
    """The same with matrices in 8 bits, one scale a column, by what a batch needs (dynamic quantisation, as of
    `onnxruntime.quantization`), and words in blocks of 4 bits, as the file has them.

    words: (nibbles, scales): uint8 (words, width / 2), the lower half of a byte first, each 8 above its value; float16
    (words, width / block). exact: names of matrices that are kept in float32.
    """

    def __init__(
        self, load: Callable[[str], Weights], words: tuple[Weights, Weights], exact: frozenset[str], **shape: Any
    ) -> None:
        super().__init__(load, **shape)
        self._words, self._exact = words, exact

    def _add_words(self) -> str:
        nibbles, scales = self._words
        width = 2 * nibbles.shape[1]
        signed = (nibbles ^ 0x88).tobytes()  # from 8 above its value to two's complement
        table = self._add_tensor(helper.make_tensor("", TensorProto.INT4, [len(nibbles), width], signed, raw=True))
        block = width // scales.shape[1]
        words = self._add_node(
            "GatherBlockQuantized",
            table,
            "input_ids",
            self._add_constant(scales),
            domain=ONNXRUNTIME,
            gather_axis=0,
            quantize_axis=1,
            block_size=block,
        )
        return self._add_node("Cast", words, to=TensorProto.FLOAT)

    def _add_product(self, value: str, weight: Weights, bias: Weights, *names: str) -> str:
        if self._exact & {*names}:
            return super()._add_product(value, weight, bias, *names)
        scale = np.maximum(np.abs(weight).max(axis=0), 1e-12) / MAX_WEIGHT
        rounded = np.round(weight / scale).astype(np.int8)
        quantised, quantised_scale, zero = self._add_nodes("DynamicQuantizeLinear", 3, value)
        return self._add_node(
            "MatMulIntegerToFloat",
            quantised,
            self._add_constant(np.ascontiguousarray(rounded)),
            quantised_scale,
            self._add_constant(scale.astype(np.float32)),
            zero,
            self._add_constant(np.zeros(len(bias), dtype=np.int8)),
            self._add_constant(bias),
            domain=ONNXRUNTIME,
        )

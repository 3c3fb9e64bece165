"""all-MiniLM-L6-v2 as an ONNX graph, from its published weights: BERT (Devlin et al. 2018, arXiv:1810.04805) with six
layers, the mean over tokens and scaling to length 1 inside (Reimers and Gurevych 2019, arXiv:1908.10084).

    input_ids, attention_mask: int64 (batch, tokens)   →   embeddings: float32 (batch, 384)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors import safe_open

OPSET = 20  # the first with Gelu
IR_VERSION = 10


def build(folder: Path) -> onnx.ModelProto:
    """The model in `folder` (config.json, model.safetensors) as ONNX."""
    graph = _Graph(folder)
    return graph.model()


class _Graph:
    """Nodes are appended in order; every method returns the name of its result."""

    def __init__(self, folder: Path) -> None:
        self._config = json.loads((folder / "config.json").read_text())
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._folder = folder

    def model(self) -> onnx.ModelProto:
        with safe_open(self._folder / "model.safetensors", "numpy") as weights:
            self._weights = weights
            hidden = self._embed()
            mask = self._add_attention_mask()
            for layer in range(self._config["num_hidden_layers"]):
                hidden = self._add_layer(f"encoder.layer.{layer}", hidden, mask)
            self._add_pooling(hidden)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        width = self._config["hidden_size"]
        output = helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, ["batch", width])
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", inputs, [output], self._constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        return model

    def _embed(self) -> str:
        words = self._add_node("Gather", self._add_weight("embeddings.word_embeddings.weight"), "input_ids")
        # Positions are the first rows of their table. (onnxruntime 1.31.1 goes wrong on Shape → Gather → Range.)
        shape = self._add_node("Shape", "input_ids")
        tokens = self._add_node("Slice", shape, self._add_ints(1), self._add_ints(2), self._add_ints(0))
        table = self._add_weight("embeddings.position_embeddings.weight")
        places = self._add_node("Slice", table, self._add_ints(0), tokens, self._add_ints(0))
        sort = self._add_constant(self._weights.get_tensor("embeddings.token_type_embeddings.weight")[0])
        total = self._add_node("Add", self._add_node("Add", words, places), sort)
        return self._add_norm("embeddings.LayerNorm", total)

    def _add_attention_mask(self) -> str:
        """0 for tokens, a very low number for padding, of shape (batch, 1, 1, tokens)."""
        mask = self._add_node("Cast", "attention_mask", to=TensorProto.FLOAT)
        self._mask = self._add_node("Unsqueeze", mask, self._add_ints(2))
        wide = self._add_node("Unsqueeze", mask, self._add_ints(1, 2))
        return self._add_node("Mul", self._add_node("Sub", wide, self._add_float(1.0)), self._add_float(1e9))

    def _add_layer(self, name: str, hidden: str, mask: str) -> str:
        attended = self._add_attention(f"{name}.attention", hidden, mask)
        hidden = self._add_norm(f"{name}.attention.output.LayerNorm", self._add_node("Add", hidden, attended))
        wide = self._add_node("Gelu", self._add_dense(f"{name}.intermediate.dense", hidden))
        back = self._add_dense(f"{name}.output.dense", wide)
        return self._add_norm(f"{name}.output.LayerNorm", self._add_node("Add", hidden, back))

    def _add_attention(self, name: str, hidden: str, mask: str) -> str:
        heads = self._config["num_attention_heads"]
        width = self._config["hidden_size"] // heads
        split = self._add_ints(0, 0, heads, width)

        def part(which: str, *order: int) -> str:
            dense = self._add_dense(f"{name}.self.{which}", hidden)
            return self._add_node("Transpose", self._add_node("Reshape", dense, split), perm=list(order))

        query, key, value = part("query", 0, 2, 1, 3), part("key", 0, 2, 3, 1), part("value", 0, 2, 1, 3)
        scores = self._add_node("Mul", self._add_node("MatMul", query, key), self._add_float(width**-0.5))
        weights = self._add_node("Softmax", self._add_node("Add", scores, mask), axis=-1)
        mixed = self._add_node("Transpose", self._add_node("MatMul", weights, value), perm=[0, 2, 1, 3])
        joined = self._add_node("Reshape", mixed, self._add_ints(0, 0, heads * width))
        return self._add_dense(f"{name}.output.dense", joined)

    def _add_pooling(self, hidden: str) -> None:
        """The mean of the tokens that are not padding, scaled to length 1."""
        total = self._add_node("ReduceSum", self._add_node("Mul", hidden, self._mask), self._add_ints(1), keepdims=0)
        count = self._add_node("ReduceSum", self._mask, self._add_ints(1), keepdims=0)
        mean = self._add_node("Div", total, self._add_node("Max", count, self._add_float(1e-9)))
        length = self._add_node("ReduceL2", mean, self._add_ints(1), keepdims=1)
        self._add_node("Div", mean, self._add_node("Max", length, self._add_float(1e-12)), result="embeddings")

    def _add_dense(self, name: str, value: str) -> str:
        weight = self._add_constant(np.ascontiguousarray(self._weights.get_tensor(f"{name}.weight").T))
        return self._add_node("Add", self._add_node("MatMul", value, weight), self._add_weight(f"{name}.bias"))

    def _add_norm(self, name: str, value: str) -> str:
        scale, bias = self._add_weight(f"{name}.weight"), self._add_weight(f"{name}.bias")
        return self._add_node(
            "LayerNormalization", value, scale, bias, axis=-1, epsilon=float(self._config["layer_norm_eps"])
        )

    def _add_node(self, operator: str, *inputs: str, result: str = "", **attributes: Any) -> str:
        result = result or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [result], **attributes))
        return result

    def _add_weight(self, name: str) -> str:
        return self._add_constant(self._weights.get_tensor(name))

    def _add_constant(self, value: Any) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def _add_ints(self, *values: int) -> str:
        return self._add_constant(np.array(values, dtype=np.int64))

    def _add_float(self, value: float) -> str:
        return self._add_constant(np.array(value, dtype=np.float32))

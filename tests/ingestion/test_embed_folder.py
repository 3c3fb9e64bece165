"""An embedding model by folder: what it gives, and what is said of a folder that holds none."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from django.core.exceptions import ImproperlyConfigured
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers

from ingestion.embed import build_model_id, make_embedder

WORDS = {"[UNK]": 0, "ship": 1, "boat": 2, "tea": 3, "query:": 4}
TABLE = np.array([[1, 1], [1, 0], [3, 0], [0, 2], [0, 5]], dtype=np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vector a word, and no more."""
    tokenizer = Tokenizer(models.WordLevel(WORDS, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    out = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", 2])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "words", [ids], [out], [numpy_helper.from_array(TABLE, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(tmp_path / "model.onnx"))
    return tmp_path


def test_vectors_are_the_mean_of_the_tokens_and_padding_is_none(folder: Path, tmp_path: Path) -> None:
    options = {"kind": "onnx", "path": str(folder), "model": "words"}
    assert build_model_id(options) == "words"
    embedder = make_embedder(options, tmp_path)
    assert (embedder.model_id, embedder.dim) == ("words", 2)
    assert embedder.count_tokens("ship and tea") == 3
    found = embedder.embed_documents(["ship tea", "boat"])
    assert np.allclose(found, [[1 / 5**0.5, 2 / 5**0.5], [1, 0]], atol=1e-6)
    assert np.allclose(embedder.embed_query("boat"), [1, 0])


def test_a_question_may_have_its_own_beginning(folder: Path, tmp_path: Path) -> None:
    options = {"kind": "onnx", "path": str(folder), "model": "words", "query": "query: ", "pooling": "cls"}
    embedder = make_embedder(options, tmp_path)
    assert np.allclose(embedder.embed_query("boat"), [0, 1])
    assert np.allclose(embedder.embed_documents(["boat tea"]), [[1, 0]])


@pytest.mark.parametrize("wrong", [{"path": "/nowhere"}, {"pooling": "max"}, {"colour": "red"}])
def test_a_folder_without_a_model_is_named(folder: Path, tmp_path: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured):
        make_embedder({"kind": "onnx", "path": str(folder), "model": "words", **wrong}, tmp_path)

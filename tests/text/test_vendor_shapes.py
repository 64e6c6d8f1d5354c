"""Tokens that only their form gives away: found in prose and code, whatever was drawn for them."""

import hashlib
import random
import re
import string
import sys
import zipfile
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

from knowwhy.text.secrets.redact import redact
from knowwhy.text.secrets.secret_shapes import NO_LONGER, TO_ITS_END, vendor_shapes
from pace import assert_linear

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import vendor_shapes as writer  # noqa: E402  # from docs/, which is no package

SENTENCES = [
    "We still call the endpoint with {} from the old laptop.",
    "Yesterday {} turned up in the build log, please rotate it.",
    "(see `{}`)",
    "client = Client('{}')",
    "{}",
]
DRAWS = 6  # tokens of each shape
URL = string.ascii_letters + string.digits + "-_"


def drawn(items, lot):
    """Draws a text that a pattern matches."""
    parts = []
    for op, argument in items:
        if op is sre.LITERAL:
            parts.append(chr(argument))
        elif op is sre.IN:
            ranges = [a if o is sre.RANGE else (a, a) for o, a in argument]
            parts.append(lot.choice([chr(c) for a, b in ranges for c in range(a, b + 1)]))
        elif op in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, inner = argument
            times = lot.randint(least, min(int(most), least + 8))
            parts += [drawn(inner, lot) for _ in range(times)]
        elif op is sre.SUBPATTERN:
            parts.append(drawn(argument[3], lot))
        elif op is sre.BRANCH:
            parts.append(drawn(lot.choice(argument[1]), lot))
    return "".join(parts)


@pytest.mark.parametrize("shape", vendor_shapes(), ids=lambda shape: shape.pattern.pattern[:24])
def test_a_token_of_a_known_shape_is_found_in_a_sentence(shape):
    lot = random.Random(shape.anchors[0])
    form = parser.parse(shape.pattern.pattern.removesuffix(TO_ITS_END).removesuffix(NO_LONGER))
    for _ in range(DRAWS):
        token = drawn(form, lot)
        for sentence in SENTENCES:
            assert token not in redact(sentence.format(token)), sentence


@pytest.mark.parametrize("lead", ["glpat-", "gldt-", "glft-", "GOCSPX-", "hvs.", "figd_", "CFPAT-"])
def test_dashes_in_a_drawn_body_hide_no_token(lead):
    lot = random.Random(lead)
    size = {"hvs.": 92, "figd_": 40, "CFPAT-": 43, "GOCSPX-": 28}.get(lead, 20)
    left = []
    for edge in ("", "-", "_", "--", "-_-"):
        for _ in range(60):
            body = "".join(lot.choices(URL, k=size - 2 * len(edge)))
            token = f"{lead}{edge}{body}{edge}"
            left += [token] if token in redact(f"the job used {token} again") else []

    assert [] == left


@pytest.mark.parametrize(
    "text",
    [
        "glpat-my-own-name-of-a-token-here",
        "see npm_config_registry_of_the_whole_company_and_more",
        "pplx-and-other-long-words-with-dashes-in-them-all-the-way-down",
        "figd_some_long_identifier_of_the_figure_drawer_thing",
        "patterns.of.words and hf_requiredCharacteristicTypesForDisplay",
    ],
)
def test_words_behind_a_known_beginning_stay(text):
    assert text == redact(text)


@pytest.mark.parametrize("shape", vendor_shapes(), ids=lambda shape: shape.pattern.pattern[:24])
def test_no_shape_reads_a_text_again_and_again(shape):
    lead = shape.anchors[0]

    for piece in (lead, f"{lead}aB3xK9fQ-", f"{lead}{'aB3-' * 40} "):
        assert_linear(redact, piece, small=5_000, large=40_000)


def rules(tmp_path, text):
    wheel = tmp_path / "credsweeper-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr(writer.RULES, text)
        packed.writestr("credsweeper-9.9.9.dist-info/licenses/LICENSE", "Do as you like.\n")
    return wheel


RULES = r"""
- {name: Plain, type: pattern, values: ['(?:^|x)(?P<value>ab(c|d)_[0-9a-f]{28})(?![0-9a-f])']}
- {name: Wide, type: pattern, values: ['(?P<value>wide-[a-z0-9]{20,8000})']}
- {name: Short, type: pattern, values: ['(?P<value>ab-[0-9]{4})']}
- {name: Without lead, type: pattern, values: ['(?P<value>[0-9a-f]{40})']}
- {name: Unbounded, type: pattern, values: ['(?P<value>abc-[a-z]{9,8000}abc[a-z]{9,8000})']}
- {name: By name, type: keyword, values: ['secret']}
"""


def test_rules_become_shapes_with_their_leads_and_a_bound(tmp_path, monkeypatch):
    out = tmp_path / "shapes.json"
    monkeypatch.setattr(writer, "OUT", out)
    wheel = rules(tmp_path, RULES)
    writer.main(str(wheel))

    kept = writer.json.loads(out.read_text("utf-8"))

    assert "Do as you like." == kept["licence"][0]
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == kept["sha256"]
    plain, wide = kept["shapes"]
    assert ("Plain", ["abc_", "abd_"], True) == (plain["of"], plain["leads"], plain["exact"])
    assert re.fullmatch(plain["pattern"], "abd_" + "0a" * 14)
    assert {"of": "Wide", "leads": ["wide-"], "exact": False} == {
        key: wide[key] for key in ("of", "leads", "exact")
    }
    assert r"wide\-[a-z0-9]{20,}+" == wide["pattern"]


def test_the_kept_shapes_name_their_source_and_its_licence():
    kept = writer.json.loads(writer.OUT.read_text("utf-8"))

    assert re.fullmatch(r"credsweeper-[\d.]+-py3-none-any\.whl", kept["source"])
    assert "Permission is hereby granted, free of charge" in " ".join(kept["licence"])
    assert len(kept["shapes"]) <= len(vendor_shapes())

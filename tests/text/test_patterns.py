import gc
import importlib
import pkgutil
import re

import pytest

from knowwhy import text
from knowwhy.text.patterns import Later, regex


def test_it_does_what_a_compiled_pattern_does():
    word = regex(r"\b(a\w+)", re.IGNORECASE)

    assert ["Ada", "at"] == word.findall("Ada is at home")
    assert "<Ada> is <at> home" == word.sub(r"<\1>", "Ada is at home")
    assert r"\b(a\w+)" == word.pattern
    assert 1 == word.groups


def test_what_is_no_pattern_says_so_when_it_is_asked():
    with pytest.raises(re.error):
        regex("(").search("a")


def test_every_pattern_of_the_room_can_be_compiled():
    for module in pkgutil.iter_modules(text.__path__, f"{text.__name__}."):
        importlib.import_module(module.name)

    every = [found for found in gc.get_objects() if type(found) is Later]

    assert 300 < len(every)
    assert all(isinstance(found.groups, int) for found in every if found.pattern != "(")

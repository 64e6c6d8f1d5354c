import re

import pytest

from pace import assert_linear

TO_A_STOP = re.compile(r"a+\.")  # from each of n letters it looks at all that follow


def test_what_is_quadratic_is_seen():
    with pytest.raises(AssertionError, match="times as much"):
        assert_linear(TO_A_STOP.findall, "a", small=2_500, large=20_000)


def test_what_is_linear_passes():
    assert_linear(list, lambda length: "b" * length + ".")

"""One repository has one name, however it is reached."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.session.identity import normal_url

HERE = Path("/srv/work/shop/.git")
SAME = "github.com/acme/Shop"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/Shop.git",
        "https://github.com/acme/Shop",
        "https://github.com/acme/Shop/",
        "https://ann:s3cret@github.com/acme/Shop.git",
        "https://x-access-token:ghp_abc@GitHub.com:443/acme/Shop.git?x=1#y",
        "http://github.com:80/acme/Shop.git",
        "git://github.com/acme/Shop.git",
        "ssh://git@github.com/acme/Shop.git",
        "ssh://git@github.com:2222/acme/Shop.git",
        "git+ssh://git@github.com/acme/Shop.git",
        "git@github.com:acme/Shop.git",
        "git@github.com:/acme/Shop",
        "github.com:acme/Shop.git",
    ],
)
def test_the_forms_of_a_url_are_one_name(url):
    assert SAME == normal_url(url, HERE)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://git.acme.org:8443/a/b.git", "git.acme.org:8443/a/b"),
        ("ssh://[::1]:22/a/b.git", "::1/a/b"),
        ("/srv/git/shop.git", "git:/srv/git/shop.git"),
        ("file:///srv/git/shop.git", "git:/srv/git/shop.git"),
        ("../origin", "git:/srv/work/origin"),
        ("https://dev.azure.com/a/My%20Project/_git/shop", "dev.azure.com/a/My Project/_git/shop"),
    ],
)  # fmt: skip
def test_other_urls_keep_what_tells_them_apart(url, name):
    assert name == normal_url(url, HERE)


@given(st.text(max_size=60))
def test_anything_that_git_may_be_told_gives_a_name(url):
    assert isinstance(normal_url(url.replace("\0", ""), HERE), str)


@given(st.text("abcdef0123456789", min_size=8, max_size=20))
def test_a_password_is_never_part_of_the_name(password):
    assert password not in normal_url(f"https://ann:{password}@host.org/x/y.git", HERE)

"""Secrets in patches."""

from hypothesis import given
from hypothesis import strategies as st

from knowwhy.session.patches import redact_patch

KEY = "MIIEpAIBAAKCAQEA7bqK2v9dJ1x5wQe8"


def test_a_key_of_many_lines_is_taken_out_behind_any_signs():
    patch = "\n".join((
        "diff --git a/k b/k", "--- a/k", "+++ b/k", "@@ -1,4 +1,4 @@", " before = 1",
        "+-----BEGIN RSA PRIVATE KEY-----", f"+{KEY}", f"-{KEY}", f" {KEY}",
        "+-----END RSA PRIVATE KEY-----", "-after = 2", " end",
    ))  # fmt: skip

    told = redact_patch(patch)

    assert KEY not in told
    assert " before = 1\n+[redacted: " in told
    assert told.endswith("\n-after = 2\n end")


def test_a_secret_on_one_line_leaves_the_others_alone():
    patch = "@@ -1 +1,2 @@\n-password: hunter2secret99x\n+x = 1\n\\ No newline at end of file"

    told = redact_patch(patch)

    assert "hunter2secret99x" not in told
    assert told.startswith("@@ -1 +1,2 @@\n-password: [redacted: password]\n+x = 1\n\\ No newline")


@given(
    st.lists(st.sampled_from(["+a = 1", "-b", " c", "@@ -1 +1 @@", "diff --git a/x b/x", "", "\\"]))
)
def test_a_patch_without_secrets_stays_as_it_is(lines):
    patch = "\n".join(lines)

    assert patch == redact_patch(patch)

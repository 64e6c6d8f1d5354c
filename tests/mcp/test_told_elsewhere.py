"""What an assistant in a repository recalls once its user has told otherwise for all of them."""

from wire import over_stdio

from knowwhy.cli import run


def texts(answer):
    return [hit["text"] for hit in answer.data["hits"] if hit["is"] == "memory"]


def test_what_a_user_has_left_everywhere_is_recalled_in_no_repository(emptied, capsys):
    with over_stdio("--user", "bea", "--project", "git.example/shop") as bea:
        bea.ok("remember", text="We send mail with Resend.", said_by="user")
        assert 0 == run(["remember", "We moved from Resend to Bento.", "--user", "bea"])
        found = texts(bea.ok("recall", query="With what do we send mail, Resend or Bento?"))

    assert "We moved from Resend to Bento." in found[0]
    assert not any("We send mail with Resend." in text for text in found)

"""Reasons as people give them, told to a server: what might happen is why something is done."""

from wire import over_stdio


def test_a_reason_with_a_modal_verb_is_kept_and_a_guess_is_not(store):
    reason = "We chose Kafka because RabbitMQ might lose messages."
    guess = "The deploy failed because the token might have expired."
    with over_stdio("--user", "ann") as assistant:
        kept = assistant.ok("remember", text=reason, said_by="user")
        refused = assistant.ok("remember", text=guess, said_by="user")
        recalled = assistant.ok("recall", query="Why did we choose Kafka?")

    assert "active" == kept.data["status"]
    assert "refused" == refused.data["status"]
    assert reason in recalled.text
    assert "token" not in recalled.text

"""What an assistant is told where a question names what nothing speaks of."""

QUESTION = "Why did we move from RabbitMQ to Pulsar?"
SAID = "Nothing that is stored answers this question: nothing here speaks of Pulsar."
NEAREST = "The nearest, which say nothing of Pulsar: "


def test_searches_and_contexts_say_alike_that_a_name_is_unknown_and_what_is_nearest(assistant):
    for tool in ("semantic_search", "get_context"):
        asked = assistant.call(tool, query=QUESTION)

        assert (False, ["Pulsar"]) == (asked.data["knows"], asked.data["unknown"]), tool
        assert SAID in asked.text
        assert NEAREST in asked.text
        assert "docs/adr/0004-use-rabbitmq-for-messaging.md]" in asked.text
        paths = [hit["path"] for hit in asked.data["hits"]]
        assert any(path.endswith("adr/0004-use-rabbitmq-for-messaging.md") for path in paths)


def test_what_a_model_is_shown_says_it_too(assistant):
    shown = assistant.shown("semantic_search", query=QUESTION)

    assert not shown.data["knows"]
    assert SAID in shown.data["text"]


def test_the_same_question_about_what_is_known_is_answered(assistant):
    asked = assistant.call("semantic_search", query="Why did we move from RabbitMQ to Kafka?")

    assert (True, []) == (asked.data["knows"], asked.data["unknown"])
    assert "Nothing that is stored" not in asked.text

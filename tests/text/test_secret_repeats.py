"""What a document tells as a secret is one wherever it stands in it; common words are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowwhy.text.secrets.redact import redact, redact_json
from knowwhy.text.secrets.secret_repeats import MOST_MENTIONS, MOST_SOUGHT
from pace import assert_linear

DRAWN = "q8Zr1LmT4vXc" + "7Wn2Kp5Yb9Hd"
WEAK = "hunt" + "er2x"
TOLD = [
    "DB_PASSWORD={}\n",
    'password: "{}"\n',
    "The password of the relay is {}.\n",
    "app.connect(password='{}')\n",
    "postgres://app:{}@db.internal/prod\n",
]
AGAIN = [
    "Later the job printed {} again.",
    'connect("app", "{}")',
    "| app | {} |",
    "> {}",
    "(see `{}`)",
    "log\\n{}\\n",
    "a={}&b=1",
    "{}",
]
CHOSEN = [DRAWN, WEAK, "Winter2024" + "!", "b7-Falcon" + "+77", "zaq1" + "XSW2"]


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("secret", CHOSEN)
def test_a_secret_goes_where_it_stands_without_its_name(told, again, secret):
    for text in (told + again, again + "\n" + told):
        redacted = redact(text.replace("{}", secret))

        assert secret not in redacted
        assert 2 == redacted.count("[redacted: ")


def test_the_end_of_a_sentence_hides_no_repeat():
    redacted = redact(f"We open the relay with {DRAWN}: its token is {DRAWN}.")

    assert "We open the relay with [redacted: token]: its" in redacted


def test_a_secret_goes_as_an_address_writes_it():
    assert "p4ss%40word" not in redact(
        "password = 'p4ss@word9'\nhttps://x.example/?p=p4ss%40word9\n"
    )


def test_letters_that_mix_as_in_no_word_go_too():
    mixed = "vydNbuRsBa" + "Gjywzf"

    assert mixed not in redact(f"API_TOKEN={mixed}\nthe job used {mixed} again")


def test_the_same_letters_inside_another_word_stay():
    text = f"password = '{WEAK}'\n{WEAK}y and my{WEAK} are other words, {WEAK} is not"

    assert f"{WEAK}y and my{WEAK} are other words, [redacted: password] is not" in redact(text)


def test_what_was_drawn_goes_from_inside_another_word_too():
    assert "pre[redacted: token]" in redact(f"api_token = '{DRAWN}'\npre{DRAWN}")


@pytest.mark.parametrize(
    "word", ["admin", "postgres", "redis7", "test12", "5432", "2024", "p4ssw0rd"]
)
def test_a_common_word_that_is_a_password_once_stays_elsewhere(word):
    around = f"The {word} service of {word} uses {word}."

    assert redact(f"{around}\nDB_PASSWORD={word}\n").startswith(around)


def test_a_lone_word_goes_between_quotes_only():
    redacted = redact("DB_PASSWORD=swordfish\nA swordfish swims; log in with 'swordfish'.")

    assert "A swordfish swims; log in with '[redacted: password]'." in redacted


OF_WORDS = [
    "parcels-api",
    "orders_db",
    "Billing-Portal",
    "RELAY_STORE",
    "default-value",
    "app-db-2",
]


@pytest.mark.parametrize("word", OF_WORDS)
def test_words_that_signs_join_go_between_quotes_only(word):
    redacted = redact(f"DB_PASSWORD={word}\nThe {word} of {word}.items; log in with '{word}'.")

    assert f"The {word} of {word}.items; log in with '[redacted: password]'." in redacted


@pytest.mark.parametrize("word", ["parcels-api", "orders_db", "parcelsorders"])
@pytest.mark.parametrize(
    "told",
    [
        "POSTGRES_USER={}\n",
        "POSTGRES_DB: {}\n",
        "container_name: '{}'\n",
        '"image" = "{}"\n',
        "# Why {} keeps its rows\n",
        "title: {}\n",
        "It is at https://git.example.org/shop/{}/tree.\n",
        "See ./services/{} for more.\n",
        "docker run --name {} shop\n",
        "services:\n  {}:\n    restart: always\n",
    ],
)
def test_what_a_document_calls_something_else_stays_elsewhere(told, word):
    around = told.replace("{}", word) + f"The service is called '{word}', or {word}.\n"

    for text in (f"{around}DB_PASSWORD={word}\n", f"DB_PASSWORD={word}\n{around}"):
        assert around in redact(text)
        assert "DB_PASSWORD=[redacted: password]\n" in redact(text)


def test_what_a_json_value_calls_a_user_stays_elsewhere():
    value = {"why": "parcelsorders runs", "password": "parcelsorders", "user": "parcelsorders"}

    assert value | {"password": "[redacted: password]"} == redact_json(value)


@pytest.mark.parametrize(
    "told", ["DB_PASSWORD={}\n", "password: '{}'\n", "curl -u app:{} https://h\n", TOLD[4]]
)
@pytest.mark.parametrize("several", ["correcthorse" + "battery", "TRUSTNOBODY" + "PLEASE"])
def test_several_words_in_one_go_where_they_stand_alone(told, several):
    redacted = redact(told.replace("{}", several) + f"mysql shows {several} now\n")

    assert "mysql shows [redacted: password] now" in redacted


@pytest.mark.parametrize("word", ["authentication", "infrastructure", "Donaudampfschiff"])
def test_one_long_word_goes_between_quotes_only(word):
    around = f"The {word} of the {word}."

    assert redact(f"{around}\nDB_PASSWORD='{word}'\n").startswith(around)


def test_letters_that_were_drawn_go_however_often_they_stand():
    mixed = "vydNbuRsBa" + "Gjywzf"

    redacted = redact(f"API_TOKEN={mixed}\n" + f"it used {mixed} again, " * (2 * MOST_MENTIONS))

    assert mixed not in redacted


def test_a_long_word_that_a_text_has_often_stays():
    around = "parcelsorders are sent, " * (MOST_MENTIONS + 2)

    assert redact(f"We say: {around}\nDB_PASSWORD=parcelsorders\n").startswith(f"We say: {around}")


def test_the_end_of_an_address_makes_no_name_of_several_words():
    several = "correcthorse" + "battery"

    assert several not in redact(f"DB_PASSWORD={several}\nOpen https://h.example/reset/{several}\n")


def test_a_secret_goes_as_it_is_where_an_address_has_told_it():
    redacted = redact("postgres://app:p4ss%40word9@db/prod\nIt shows p4ss@word9 now.")

    assert "It shows [redacted: password] now." in redacted


def test_what_is_passed_on_is_no_secret_elsewhere():
    secret = "Zx81" + "kQ0v"

    assert f"The {secret} runs." in redact(f"The {secret} runs.\nPass '{secret}' to it.")


def test_names_in_a_manifest_of_secrets_stay_elsewhere():
    text = (
        "kind: Secret\nstringData:\n  host: db.billing.internal\n  user: billing\n---\n"
        "The host db.billing.internal has the user 'billing'."
    )

    assert "The host db.billing.internal has the user 'billing'." in redact(text)


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        (
            {"password": "[redacted: password]", "log": ["used [redacted: password] twice"]},
            {"password": WEAK, "log": [f"used {WEAK} twice"]},
        ),
        (
            ["the log had [redacted: password]", "the password is [redacted: password]"],
            [f"the log had {DRAWN}", f"the password is {DRAWN}"],
        ),
        (
            {"env": {"[redacted: password]": 1}, "why": "password: [redacted: password]"},
            {"env": {DRAWN: 1}, "why": f"password: {DRAWN}"},
        ),
    ],
)
def test_the_strings_of_a_json_value_are_of_one_document(expected, value):
    assert expected == redact_json(value)


def test_two_documents_know_nothing_of_each_other():
    redact(f"password = '{WEAK}'")

    assert f"the word {WEAK}" == redact(f"the word {WEAK}")


def test_beyond_the_secrets_that_are_sought_one_by_one_whole_words_go():
    secrets = [f"{DRAWN[:18]}{number:06}" for number in range(MOST_SOUGHT + 50)]
    told = "".join(f"API_TOKEN_{number}={secret}\n" for number, secret in enumerate(secrets))

    assert secrets[-1] not in redact(f"{told}\nIt used '{secrets[-1]}', then stopped.")


@pytest.mark.parametrize("piece", ["DB_PASSWORD=a1b2c3d4\na1b2c3d4 ", f"{DRAWN} ", "a1b2c3d"])
def test_a_text_of_repeats_is_read_once(piece):
    assert_linear(lambda text: redact(f"DB_PASSWORD=a1b2c3d4\n{text}"), piece)


def test_many_secrets_cost_in_proportion_to_the_text():
    def lines(length):
        return "".join(
            f"DB_PASSWORD=k{number:05}Zq9x\n" for number in range(length, length + length // 24)
        )

    assert_linear(redact, lines)


WORDS = st.sampled_from(
    [DRAWN, WEAK, "admin", "swordfish", "'", '"', " ", "\n", "password = ", "="]
)


@given(st.lists(WORDS, max_size=12).map("".join))
def test_redacting_twice_changes_nothing_more(text):
    once = redact(text)

    assert once == redact(once)

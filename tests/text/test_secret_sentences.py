"""Secrets that a sentence tells, and sentences that only speak of secrets."""

import pytest

from knowwhy.text.secrets.redact import redact
from pace import assert_linear

WORD, OTHER = "T7gk" + "20bQxz1", "M9xk" + "31cRya2"
HEX = "904dba410f3b2c1d" + "9e8a7b6c5d4e3f2a"
PHRASE = "blue horse " + "battery staple"
DRAWN = "q8Zr1LmT4vXc" + "7Wn2Kp5Yb9Hd"

TOLD = [
    ("The passphrase of the backup disk is {}.", WORD),
    ("The admin password of the old router is {}", WORD),
    ("pw for the wiki is {}", WORD),
    ("The password for the wiki was changed to {} on Monday.", WORD),
    ("The password for Ann's laptop has been reset to {} yesterday", WORD),
    ("The password (staging) is now {}", WORD),
    ("Password on the backup host: {}", WORD),
    ("The passcode we use on the printer is {}", WORD),
    ("Das Passwort ist {}", WORD),
    ("Das neue Kennwort für das Wiki lautet {}.", WORD),
    ("Le mot de passe du relais est {}", WORD),
    ("La contraseña del servidor es {}", WORD),
    ("login admin/{}", WORD),
    ("Log in with root / {} on the console", WORD),
    ("creds for staging: deploy:{}", WORD),
    ("The Sentry key {} is for staging", HEX),
    ("The key for Sentry is {}.", HEX),
    ("The token for the relay has been set to {}.", DRAWN),
    ("Password -> {}", WORD),
    ("Passwort → {}", WORD),
    ("wifi password - {}", WORD),
    ("smtp password ({})", WORD),
    ("the password (currently: {})", WORD),
    ("The password, {}, is in the vault.", WORD),
    ("The password, which is {}, works again.", WORD),
    ("mot de passe ({})", WORD),
    ("Log in as admin with {}.", WORD),
    ("Connect to the router as the user ops using {} today", WORD),
    ("Melde dich als admin mit {} an.", WORD),
    ('the passphrase for the backup is "{}"', PHRASE),
    ("The passphrase of the disk was changed to '{}' on Monday.", PHRASE),
    ("Die Passphrase für das Backup lautet „{}“.", PHRASE),
    ('La contraseña del servidor es "{}"', PHRASE),
    ('passphrase -> "{}"', PHRASE),
]
SPOKEN_OF = [
    "The password of a user is hashed with bcrypt.",
    "The key for sorting is created_at.",
    "The passphrase is asked for at start.",
    "The password policy for admins is NIST-800-63B.",
    "The password for the relay is in Vault under secret/data/relay2.",
    "The password for staging is DB_PASSWORD_STAGING.",
    "Passwords of users are hashed with argon2id.",
    "The password for each user must be at least 12 characters.",
    "The password for the service account is rotated on 2024-05-01.",
    "The password was changed in commit 3f2c1ab9d0.",
    "The token for refresh is valid for 30days.",
    "The token for a user is a JWT signed with RS256.",
    "The token for the API was issued by auth-service-v2.",
    "The API key of a tenant is sent as X-Api-Key.",
    f"The Redis key {HEX} is stale.",
    f"The cache key is {HEX}.",
    "The Jira key BILL-1234567 is closed.",
    "The login page/step2form is slow.",
    "login src/auth2login is the module",
    "The user admin/settings page is slow.",
    "Sign in with Google/GitHub OAuth2 is on.",
    "The password is rotated every 90 days.",
    "A password manager is required.",
    "password (required)",
    "password (8-64 chars)",
    "password (bcrypt12rounds)",
    "password (see ADR-0042)",
    "Password -> hash -> table",
    "Password -> PBKDF2WithHmacSHA256 -> column",
    "Password -> user_password2",
    "Password - step2form is slow",
    "The passphrase, as ADR-7 says, is in Vault.",
    "The password, argon2id, is slow.",
    "The token, RS256signed, is short.",
    "Log in as admin with OAuth2Proxy.",
    "Log in as a user with YubiKey5CNano.",
    "Connect as ops with ssh2tunnel.",
    'The passphrase is "asked for at start".',
    'The rule for a password is "twelve different signs".',
    'The passphrase was "rotated every quarter".',
    'log(passphrase, "could not decrypt data")',
    'The error of an expired password is "session ended early".',
    '{"token of": "x", "sessionId": "32c92d0c-4635-5d5e-97b4-425a1b477421"}',
]


@pytest.mark.parametrize(("text", "secret"), TOLD)
def test_a_secret_that_a_sentence_tells_is_gone_and_the_sentence_stays(text, secret):
    before, after = text.split("{}")
    redacted = redact(text.format(secret))

    assert secret not in redacted
    assert (before, after) == (redacted[: len(before)], redacted[len(redacted) - len(after) :])


def test_the_old_and_the_new_password_both_go():
    text = redact(f"I changed the password of the replica from {WORD} to {OTHER}.")

    assert (False, False) == (WORD in text, OTHER in text)


@pytest.mark.parametrize("text", SPOKEN_OF)
def test_a_sentence_about_secrets_stays_as_it_is(text):
    assert text == redact(text)


@pytest.mark.parametrize(
    "piece",
    [
        "password of a is ",
        "login a/",
        "Sentry key ",
        "key for A ",
        "password -> ",
        'password is "a ',
        "log in as a with ",
        "password aB3",
        "password is now ",
        "Grafana: admin / ",
    ],
)
def test_a_long_text_of_beginnings_is_redacted_in_linear_time(piece):
    assert_linear(redact, piece)

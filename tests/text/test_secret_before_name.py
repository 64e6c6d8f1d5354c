"""Secrets before their name, beside their user and as seeds, and what only stands there too."""

import pytest

from knowwhy.text.secrets.redact import redact
from pace import assert_linear, run_of

WORD, OTHER = "Vk29" + "xqLp", "T7gk" + "20bQxz1"
PHRASE = "blue horse " + "battery staple"
DRAWN = "q8Zr1LmT4vXc" + "7Wn2Kp5Yb9Hd"
SEED, LONG_SEED = "NB2W45DF" + "OIZA4KXQ", "MZXWGZJTGQ2DKNRX" + "HA4TSMBRGIZTINJW"

CALLED = [
    ("Use {} as the password for staging.", WORD),
    ("Please use {} as the\nnew root password.", OTHER),
    ("{} is the password of the root user.", WORD),
    ("`{}` is our wifi password", WORD),
    ("{} was the old password until May.", OTHER),
    ("{} is no longer the password.", WORD),
    ("{} should now be used as the passphrase of the disk.", WORD),
    ("Enter {} for the password.", OTHER),
    ("{}, the password of the relay, is in the vault.", WORD),
    ("{} (the password for staging) is in the vault.", OTHER),
    ("Verwende {} als Passwort für Staging.", WORD),
    ("{} ist jetzt das neue Kennwort.", OTHER),
    ("Utilisez {} comme mot de passe.", WORD),
    ("{} es la contraseña del servidor.", OTHER),
    ("{} é a senha do servidor.", WORD),
    ("{} is het wachtwoord van de server.", OTHER),
    ("{} is the API key for Sentry.", DRAWN),
    ("Use {} as the token.", DRAWN),
    ('"{}" is the passphrase of the backup.', PHRASE),
    ('Use "{}" as the passphrase for the disk.', PHRASE),
]
AT_HOSTS = [
    ("ssh ops:{}@host", WORD),
    ("ssh -p 2222 -i key ops:{}@host", "hunter2"),
    ("sftp ops:{}@files.example.org", OTHER),
    ("Connect to ops:{}@10.0.0.7:5432 now", WORD),
    ("The relay is ops:{}@db1.internal.", OTHER),
]
SEEDS = [
    ("TOTP seed {}", SEED),
    ("The TOTP seed of the admin is {}.", LONG_SEED),
    ("2FA key {}", LONG_SEED),
    ("MFA secret for root is {}", SEED),
    ("authenticator setup key: {}", "nb2w 45df " + "oiza 4kxq"),
    ("TOTP-Schlüssel: {}", LONG_SEED),
    ("semilla TOTP {}", SEED),
    ("TOTP_SEED={}", SEED),
    ("two-factor secret is {}", LONG_SEED),
]
STAYING = [
    "Use Vault as the store for passwords.",
    "Argon2 is the password hash of billing.",
    "Argon2id is the password hash we use.",
    "Use bcrypt for the password column.",
    "Use bcrypt for the password.",
    "PBKDF2 is the key derivation of the vault.",
    "PBKDF2WithHmacSHA256 is the password of the form.",
    "Use OAuth2Proxy as the token store.",
    "Use Keycloak24 as the password manager for staging.",
    "sha256sum is the token of the release.",
    "HS256 is the algorithm of the token.",
    "Use 3f2c1ab9d0 for the password.",
    "Use PR#12345 for the password.",
    "ADR-0042 is about the password of root.",
    "INC-2024-03-17 was the password of the month.",
    "UserPassword2 is the password of the form.",
    "The YubiKey5CNano is the token of the admins.",
    "Wav2Vec2 is the token of the model.",
    "U0001d49c is the token of the symbol.",
    "You know Keycloak24x, the password is there.",
    '"twelve characters long" is the password.',
    '"Forgot your password" is the password link.',
    "mail ops:alerts@example.com",
    "mail ops:alerts2024@example.com",
    "mailto:" + OTHER + "@example.com",
    "cc:jd1985xy@example.com",
    "nginx:1.25.3@sha256:0a1b2c",
    "npm:Left2Pad3x@1.2.3",
    "scp web:icon12345@2x.png .",
    "ssh user:password@host",
    "ssh user:<password>@host",
    "Over ssh we reach ops:alerts@example.com.",
    "clone from git@host:Repo2Name3x",
    "TOTP seed is 160 bits long.",
    "TOTP secrets are in Vault under secret/totp2.",
    "The TOTP seed has the issuer ACMEPRODUCTIONLOGIN.",
    "The 2FA key is in the safe in room 2217 with that form.",
    "The OTP secret was rotated in commit 904dba410f3b2c1d9e8a7b6c5d4e3f2a904dba41.",
    "MFA is required for the keys of production.",
    "The authenticator reads TOTP_SECRET_KEY_2024.",
    "pypi-AgEnt",
    "pypi-mirror-of-the-company-for-all-the-teams-and-all-the-others",
]


@pytest.mark.parametrize(("text", "secret"), [*CALLED, *AT_HOSTS, *SEEDS])
def test_a_secret_is_gone_and_the_sentence_stays(text, secret):
    before, after = text.split("{}")
    redacted = redact(text.format(secret))

    assert secret not in redacted
    assert (before, after) == (redacted[: len(before)], redacted[len(redacted) - len(after) :])


@pytest.mark.parametrize("text", STAYING)
def test_what_is_no_secret_stays_as_it_is(text):
    assert text == redact(text)


def test_a_short_token_of_the_package_index_is_told_by_its_beginning():
    token = "pypi-AgEI" + "cHlwaS5vcmcCJDk4ZjQ3ZmE2LTk5ZjctNGQzNi1hNmU2"

    assert "Published with [redacted: pypi-token]." == redact(f"Published with {token}.")


@pytest.mark.parametrize(
    "piece",
    ["x as the password ", "a, the password ", '"a b" is the password ', "a:b@c", "TOTP seed ",
     "OTP-", "ssh -p ", "use a for the pw ", "is now "],
)  # fmt: skip
def test_a_long_text_of_beginnings_is_redacted_in_linear_time(piece):
    assert_linear(redact, run_of(piece, after=" the password"))

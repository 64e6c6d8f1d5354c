"""The words by which sentences call a password or a key, in the languages that are read."""

PASSWORDS = (
    r"(?:pass ?words?|passwd|pass ?phrases?|passcodes?|pwd|pw|pswd|passwort|passwörter|kennwort"
    r"|passphrase|mot de passe|contrase[nñ]a|senha|wachtwoord|hasło|lösenord|salasana)"
)
KEYS = (
    r"(?:(?:api|access|secret|private|auth|signing|encryption|licen[cs]e|account|deploy|master"
    r"|shared|webhook|service|storage|admin|client)[ -](?:keys?|tokens?|secrets?)|tokens?"
    r"|(?:client |shared |signing )?secrets?|schlüssel|clé|clave)"
)

"""How this installation is started again by others: by git, and by assistants."""

import os
import sys
from dataclasses import fields
from pathlib import Path

from knowwhy.config import ABOUT, Settings
from knowwhy.text.secrets.redact import redact

SCRIPT = "knowwhy"


def own_command() -> list[str]:
    """Gives the command that starts this very installation, wherever it is called from."""
    script = Path(sys.executable).with_name(SCRIPT)
    if script.is_file() and os.access(script, os.X_OK):
        return [str(script)]
    # Without -P a file of the folder in which it is called could take the place of a library.
    return [sys.executable, "-P", "-m", SCRIPT]


def own_environment(settings: Settings) -> dict[str, str]:
    """Gives the variables that are set otherwise than they would be, without those with secrets."""
    return {n: v for n, v in _differing(settings).items() if redact(v) == v and "@" not in v}


def secret_variables(settings: Settings) -> list[str]:
    """Names the variables that are set and may hold a password, which no file should hold."""
    return sorted(_differing(settings).keys() - own_environment(settings).keys())


def _differing(settings: Settings) -> dict[str, str]:
    usual = Settings()
    given = {f.name: getattr(settings, f.name) for f in fields(Settings)}
    return {
        ABOUT[name][0]: str(value)
        for name, value in given.items()
        if value is not None and value != getattr(usual, name)
    }

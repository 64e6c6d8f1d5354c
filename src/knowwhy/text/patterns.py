"""Regular expressions that are compiled on first use: all at once they take a tenth of a start."""

import re
from typing import Any, cast


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Gives what `re.compile` would, which no search pays for that does not need it."""
    return cast("re.Pattern[str]", Later(pattern, flags))


class Later:
    """Acts as the pattern it will be; what has been asked of it once costs nothing again."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Is reached only for what this has not got yet."""
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found

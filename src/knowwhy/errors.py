"""Everything that can go wrong and was foreseen.

Error
├── BadInput             what was given cannot be read as what it should be
├── NotFound             nothing has that key
├── HomeUnusable         the home cannot be opened, and why
│   ├── SchemaDiffers    its tables are of another shape
│   ├── WrongPython      another Python made it
│   └── WrongModel       another embedder filled it
├── ModelUnavailable     a model cannot be had or is not what it should be
├── StoreBusy            another process holds what is needed for too long
└── StoreFailed          the store refused an operation
"""


class Error(Exception):
    """Anything foreseen; the message is written for the person or model who must act."""

    code = "error"
    http_status = 500
    retryable = False


class BadInput(Error):
    """What was given cannot be read as what it should be."""

    code = "bad_input"
    http_status = 400


class NotFound(Error):
    """Nothing has that key."""

    code = "not_found"
    http_status = 404


class HomeUnusable(Error):
    """The home cannot be opened."""

    code = "home_unusable"


class SchemaDiffers(HomeUnusable):
    """The home's tables are of another shape than this version needs."""

    code = "schema_differs"


class WrongPython(HomeUnusable):
    """The home was made by a Python that does not agree with this one."""

    code = "wrong_python"


class WrongModel(HomeUnusable):
    """The home's vectors were made by another model than the one set."""

    code = "wrong_model"


class ModelUnavailable(Error):
    """A model cannot be had, or its weights are not the ones that were pinned."""

    code = "model_unavailable"
    http_status = 503


class StoreBusy(Error):
    """Another process holds what is needed for too long."""

    code = "store_busy"
    http_status = 503
    retryable = True


class StoreFailed(Error):
    """The store refused an operation that should have worked."""

    code = "store_failed"

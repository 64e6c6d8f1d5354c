"""Everything that can go wrong and was foreseen.

Error
├── BadInput             what was given cannot be read as what it should be
│   ├── BadFields        several fields of it are wrong, each with its reason
│   └── NothingSaid      a conversation's file holds no messages
├── NotFound             nothing has that key
├── CapacityReached      a queue is full; nothing is pushed out of it
│   ├── RegistryFull     no more agents or sessions
│   ├── PoolFull         no more pools, members or shared references
│   ├── HandoffsFull     no more handoffs wait for an agent
│   └── TooManyActs      an agent acts too often
├── NotAllowed           an agent may not do that
├── NotAgreed            the person who was asked has not agreed
├── IllegalStep          what was handed over is not in a state in which that can be done
├── HomeUnusable         the home cannot be opened, and why
│   ├── SchemaDiffers    its tables are of another shape
│   ├── WrongPython      another Python made it
│   └── WrongModel       another embedder filled it
├── ModelUnavailable     a model cannot be had or is not what it should be
│   ├── ModelBusy        its service does not answer now; the same call may work later
│   └── BudgetSpent      what paid models may cost in a day has been spent
├── ModelChanged         the home has changed to vectors of another model meanwhile
├── UnusableAnswer       a model answered something that cannot be used
├── NoAnswer             git did not answer in time; the same call may work later
├── TookTooLong          a call over HTTP has taken longer than is allowed
├── StoreBusy            another process holds what is needed for too long
│   └── PartTaken        another process does what only one may do at a time
└── StoreFailed          the store refused an operation
    └── DiskFull         there is no room left for what was to be written
"""

from collections.abc import Mapping


class Error(Exception):
    """Anything foreseen; the message is written for the person or model who must act."""

    code = "error"
    http_status = 500
    retryable = False


class BadInput(Error):
    """What was given cannot be read as what it should be."""

    code = "bad_input"
    http_status = 400


class BadFields(BadInput):
    """Fields of what was given are wrong; all of them are named, each with its reason."""

    code = "bad_fields"

    def __init__(self, what: str, fields: Mapping[str, str]) -> None:
        self.fields = dict(fields)
        named = "; ".join(f"{name} {why}" for name, why in self.fields.items())
        super().__init__(f"{what}: {named}.")


class NothingSaid(BadInput):
    """A file that can be read and in which nobody says anything."""


class NotFound(Error):
    """Nothing has that key."""

    code = "not_found"
    http_status = 404


class CapacityReached(Error):
    """A queue is full; nothing is pushed out of it and what was given is not kept."""

    code = "capacity_reached"
    http_status = 429
    retryable = True


class RegistryFull(CapacityReached):
    """An owner has as many agents, or an agent as many sessions, as are allowed."""

    code = "registry_full"
    retryable = False


class PoolFull(CapacityReached):
    """There are as many pools, members or shared references as are allowed."""

    code = "pool_full"
    retryable = False


class HandoffsFull(CapacityReached):
    """As many handoffs wait for an agent as are allowed."""

    code = "handoffs_full"


class TooManyActs(CapacityReached):
    """An agent has acted as often in the last minute as is allowed."""

    code = "too_many_acts"


class NotAllowed(Error):
    """An agent has no right to do that."""

    code = "not_allowed"
    http_status = 403


class NotAgreed(Error):
    """The person who was asked has not agreed, or could not be asked; nothing was changed."""

    code = "not_agreed"
    http_status = 403


class IllegalStep(Error):
    """What was handed over is in a state from which that step does not lead."""

    code = "illegal_step"
    http_status = 409


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


class ModelBusy(ModelUnavailable):
    """A model's service does not answer now; the same call may work later."""

    code = "model_busy"
    retryable = True

    def __init__(self, message: str, wait: float | None = None, *, cost: bool = False) -> None:
        super().__init__(message)
        self.wait = wait  # seconds that the service asks for
        self.cost = cost  # the call may be charged for all the same


class BudgetSpent(ModelUnavailable):
    """What paid models may cost in a day has been spent."""

    code = "budget_spent"
    http_status = 429
    retryable = True


class ModelChanged(Error):
    """The home has changed to the vectors of another model; the same call works with that one."""

    code = "model_changed"
    http_status = 503
    retryable = True

    def __init__(self, embedder: str) -> None:
        self.embedder = embedder
        super().__init__(
            f"This home's vectors are made by {embedder!r} since a moment ago; ask again."
        )


class UnusableAnswer(Error):
    """A model answered something that cannot be used."""

    code = "unusable_answer"
    http_status = 502


class NoAnswer(Error):
    """A program that was asked did not answer in time; the same call may work later."""

    code = "no_answer"
    http_status = 503
    retryable = True


class TookTooLong(Error):
    """A call over HTTP has taken longer than a call may; nobody waits for it any more."""

    code = "took_too_long"
    http_status = 504


class StoreBusy(Error):
    """Another process holds what is needed for too long."""

    code = "store_busy"
    http_status = 503
    retryable = True


class PartTaken(StoreBusy):
    """Another process of the home does what only one may do at a time."""

    code = "part_taken"


class StoreFailed(Error):
    """The store refused an operation that should have worked."""

    code = "store_failed"


class DiskFull(StoreFailed):
    """The disk of the home has no room left; the same call works when there is some."""

    code = "disk_full"
    http_status = 507

    def __init__(self, home: object) -> None:
        super().__init__(
            f"The disk that holds {home} is full: make room on it, then give the same command "
            "again. What was written stays."
        )

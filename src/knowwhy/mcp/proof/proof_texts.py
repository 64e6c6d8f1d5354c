"""The small repository that a proof works in: decisions, an incident, a meeting and code."""

FILES = {
    "docs/adr/0001-keep-the-ledger-in-mongodb.md": """---
status: superseded by ADR-0002
date: 2023-02-06
---

# Keep the ledger in MongoDB

## Context and Problem Statement

The bookings of the ledger have many shapes. Where are they kept?

## Decision Outcome

Chosen option: "MongoDB", because a booking is stored as it comes.
""",
    "docs/adr/0002-keep-the-ledger-in-postgresql.md": """---
status: accepted
date: 2024-05-13
---

# Keep the ledger in PostgreSQL

## Context and Problem Statement

In INC-2024-01 a transfer was booked on one account and not on the other.

## Decision Outcome

Chosen option: "PostgreSQL", because both halves of a transfer are one transaction there.
Supersedes ADR-0001.
""",
    "docs/incidents/INC-2024-01-half-a-transfer.md": """# INC-2024-01 Half a transfer was booked

## Overview

On 2024-04-22 a transfer left one account and never reached the other. Severity SEV-2.
Service: ledger.

## Root Cause

Two documents were written one after the other, and the process ended in between.

## Lessons Learned

Whatever belongs together is written in one transaction.
""",
    "src/ledger/__init__.py": '"""The ledger."""\n',
    "src/ledger/transfers.py": '''"""Transfers between accounts, whole or not at all (ADR-2)."""

from ledger import accounts


def transfer(source: str, target: str, cents: int) -> None:
    """Books a transfer on both accounts, or on none."""
    with accounts.transaction() as open_transaction:
        open_transaction.book(source, -cents)
        open_transaction.book(target, cents)
''',
    "src/ledger/accounts.py": '''"""Accounts of the ledger."""

from contextlib import contextmanager


@contextmanager
def transaction():
    """Gives a transaction that is kept whole or not at all."""
    yield Transaction()


class Transaction:
    """Bookings that belong together."""

    def book(self, account: str, cents: int) -> None:
        """Notes a booking on an account."""
''',
}
LATER = {
    "docs/adr/0003-try-bookings-again.md": """---
status: accepted
date: 2024-09-02
---

# Try bookings again

## Context and Problem Statement

A booking fails when the database is busy. What does the caller do?

## Decision Outcome

Chosen option: "try again three times, each time after twice the wait", because the queue of
the database is short.

Depends on ADR-0002.
""",
}
UNCOMMITTED = {"src/ledger/__init__.py": '"""The ledger of the company."""\n'}
HEAP = "heap.jsonl"  # which git does not list: only who names it takes it in
LINES = 300_000  # of it; none is a record, so it takes seconds and leaves nothing

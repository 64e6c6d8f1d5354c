"""Messages that are said and learned from, and what was kept of them."""

from datetime import UTC, datetime

from knowwhy.grounding.learn import Learner
from knowwhy.tables.talk.said import Saying, add_turn
from knowwhy.tables.write import table
from knowwhy.types import Asker

ANN = Asker("ann", "orders")
KAFKA = "We decided to use Kafka 3 because of replay."
NOW = datetime.now(UTC)


def learner(**more):
    return Learner("wordhash", **{"extractor": "anthropic", "daily_dollars": 5.0, **more})


def say(text, user="ann", project="orders", session="s1", **more):
    return add_turn(Saying(text, user, project, session, **more))


def rows(name, *columns):
    source = table(name)
    found = source.select(**{column: getattr(source, column) for column in columns}).collect()
    return [tuple(row[column] for column in columns) for row in found]


def kept(*columns):
    return sorted(rows("memories", *columns), key=repr)

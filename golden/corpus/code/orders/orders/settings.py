"""Settings of orders, read once at the start from the environment."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the neighbours are and how much of each we may use.

    Timeouts are not here on purpose: they are those of ``halmkit.http`` (ADR-0043), and a value
    of our own is an error of the lint rule HK014.
    """

    pooled_dsn: str
    direct_dsn: str
    routing_url: str
    billing_url: str
    tracking_url: str
    auth_url: str
    kafka_servers: str
    pool_size: int


# 34 pods x 20 connections were more than the cluster allowed (INC-2023-07). Behind PgBouncer
# the pool of the whole service is 40, so that a pod needs no more than a few.
POOL_SIZE_PER_POD = 4


def from_environment() -> Settings:
    """Read the settings; a missing variable stops the start."""
    return Settings(
        pooled_dsn=os.environ["ORDERS_DSN"],
        direct_dsn=os.environ["ORDERS_DIRECT_DSN"],
        routing_url=os.environ["ROUTING_URL"],
        billing_url=os.environ["BILLING_URL"],
        tracking_url=os.environ["TRACKING_URL"],
        auth_url=os.environ["AUTH_URL"],
        kafka_servers=os.environ["KAFKA_SERVERS"],
        pool_size=int(os.environ.get("ORDERS_POOL_SIZE", POOL_SIZE_PER_POD)),
    )

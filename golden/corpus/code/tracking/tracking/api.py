"""HTTP endpoints: parcels for merchants, parcels for partner carriers."""

import os
from collections.abc import Iterator
from typing import Annotated, Any

import psycopg
from fastapi import Depends, FastAPI, Header
from halmkit.auth import KeySource, merchant_of, partner_of
from halmkit.errors import Problem
from halmkit.service import serve

from tracking import storage

KEY_CACHE_SECONDS = 300
STALE_KEYS_SECONDS = 12 * 3600  # KEY-266, after INC-2024-04 stopped 27 depots
V1_SUNSET = "Tue, 31 Mar 2026 00:00:00 GMT"

keys = KeySource(
    os.environ["AUTH_URL"], cache_seconds=KEY_CACHE_SECONDS, stale_seconds=STALE_KEYS_SECONDS
)
app = FastAPI(title="tracking")


def connection() -> Iterator[psycopg.Connection[Any]]:
    """Open a connection for a request."""
    with psycopg.connect(os.environ["TRACKING_DSN"]) as opened:
        yield opened


Db = Annotated[psycopg.Connection[Any], Depends(connection)]
Bearer = Annotated[str, Header(alias="Authorization")]


@app.get("/v2/parcels/{parcel_id}")
def parcel(parcel_id: str, bearer: Bearer, db: Db) -> dict[str, Any]:
    """Give the status of a parcel to its merchant; the version is in the path (ADR-0011)."""
    merchant_of(keys, bearer)
    scans = storage.history(db, parcel_id)
    if not scans:
        raise Problem(404, "parcel_unknown", "no scan of this parcel")
    return {"parcel_id": parcel_id, "status": scans[0]["kind"], "scans": scans}


@app.get("/partner/parcels")
def partner_parcels(
    ids: str,
    bearer: Bearer,
    db: Db,
    version: Annotated[str, Header(alias="Accept-Version")] = "1",
) -> list[dict[str, Any]]:
    """Give the status of many parcels to a partner carrier.

    The version comes in a header, other than everywhere else. When the edge removed such headers,
    40 merchants fell back to version 1 (INC-2025-06). WAY-1302 will offer /partner/v2 beside it.
    """
    partner_of(keys, bearer)
    found = [(parcel_id, storage.history(db, parcel_id)) for parcel_id in ids.split(",")]
    if version == "2":
        return [{"parcel_id": parcel_id, "scans": scans} for parcel_id, scans in found]
    return [{"id": parcel_id, "last": scans[0] if scans else None} for parcel_id, scans in found]


if __name__ == "__main__":
    serve(app)

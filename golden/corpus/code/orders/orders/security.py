"""Who is calling: access tokens, checked with the public keys of auth (ADR-0025)."""

import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from halmkit.errors import Problem
from halmkit.http import HttpClient, HttpError
from halmkit.logging import get_logger

log = get_logger("orders")

KEY_CACHE_SECONDS = 300  # five minutes, as in ADR-0014
STALE_KEYS_SECONDS = 12 * 3600  # KEY-266: auth away must not mean "everybody out" (INC-2024-04)
MAX_TOKEN_SECONDS = 900  # ADR-0025: fifteen minutes for all clients
ENFORCE_TOKEN_LIFE = False  # warn mode since 2023-05-02; KEY-341 turns it on


@dataclass(slots=True)
class KeyCache:
    """The public keys of auth, fresh for five minutes and usable for twelve hours."""

    auth: HttpClient
    keys: dict[str, Any] = field(default_factory=dict)
    fetched_at: float = 0.0

    def key(self, key_id: str) -> Any:
        """Give a key, fetching again when the cache is old; a failed fetch keeps the old keys."""
        age = time.monotonic() - self.fetched_at
        if age > KEY_CACHE_SECONDS or key_id not in self.keys:
            self._refresh(age)
        if key_id not in self.keys:
            raise Problem(401, "unknown_key", "the token is signed with a key we do not know")
        return self.keys[key_id]

    def _refresh(self, age: float) -> None:
        try:
            answer = self.auth.get("/.well-known/jwks.json").json()
        except HttpError as error:
            log.warn("jwks_unreachable", age_seconds=round(age))
            if age > STALE_KEYS_SECONDS:
                raise Problem(503, "keys_unavailable", "auth cannot be reached") from error
            return
        self.keys = {key["kid"]: jwt.PyJWK(key).key for key in answer["keys"]}
        self.fetched_at = time.monotonic()


def claims(cache: KeyCache, token: str) -> dict[str, Any]:
    """Check a token and give its claims, merchant id and contract flags among them."""
    key_id = jwt.get_unverified_header(token)["kid"]
    try:
        found: dict[str, Any] = jwt.decode(
            token, cache.key(key_id), algorithms=["RS256"], audience="halmwick"
        )
    except jwt.InvalidTokenError as error:
        raise Problem(401, "bad_token", "the token is not valid") from error
    check_life(found)
    return found


def check_life(found: dict[str, Any]) -> None:
    """Refuse tokens which live longer than ADR-0025 allows, or only warn of them."""
    life = found["exp"] - found["iat"]
    if life <= MAX_TOKEN_SECONDS:
        return
    log.warn("token_life_too_long", seconds=life, client=found.get("client"))
    if ENFORCE_TOKEN_LIFE:
        raise Problem(401, "token_life_too_long", "ask auth for a new token")

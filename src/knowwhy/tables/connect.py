"""Opens a home: starts or finds its database, brings the tables up to date, closes what leaks."""

import os
import re
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pixeltable as pxt
import sqlalchemy as sql
from pixeltable.env import Env
from pixeltable.runtime import reset_runtime

from knowwhy import models
from knowwhy.config import DEFAULT_EMBEDDER, Settings
from knowwhy.errors import (
    Error,
    HomeUnusable,
    ModelUnavailable,
    SchemaDiffers,
    StoreFailed,
    WrongModel,
)
from knowwhy.tables import btrees, shape
from knowwhy.tables.failures import translated
from knowwhy.tables.homes import home, postgres, unfinished
from knowwhy.tables.schema import DIRECTORY, declare
from knowwhy.tables.vectors import holders, reembeddings, staged, turn_vectors, vector_index

# Without these a filtered search stops after 40 candidates and may return fewer rows than exist.
DATABASE_PARAMETERS = {
    # Not strict: it throws away what is found nearer later, and with a filter that keeps nothing of
    # what is nearest (recall@10 .54 against .91). Who asks puts what comes in its order.
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.ef_search": "200",  # candidates; recall@10 0.98-1.0 at 30,000 rows under filters
    # A scope that keeps 1 % needs 100 looked at for each that it gives; 20,000 is pgvector's own.
    "hnsw.max_scan_tuples": "1000000",
    "plan_cache_mode": "force_custom_plan",  # a generic plan does not know the filter's share
}

NOT_APPLIED = ("unsupported", "update_destructive")  # differences that would lose data
# Computed columns of homes of before: made for every row and read by nothing.
UNREAD = {"records": ("entities",), "extractions": ("entities",), "memories": ("entities", "links")}
# times; a change of model may rename views while they are looked at one by one
LOOKS = 3
STALE = r"in table '(\w+)' is no longer valid"


@dataclass(frozen=True, slots=True)
class Opened:
    """What was opened: the embedder of its vectors and what its user should know."""

    embedder: str
    notes: tuple[str, ...] = ()
    is_foreign: bool = False  # its weights are not there; the tables could not be looked at


def connect(settings: Settings, *, changing: bool = False, restored: bool = False) -> Opened:
    """Opens the home of the settings, making it first when there is none.

    Who is about to change its model opens it whatever model is set; one that is being restored is
    opened only by who restores it.
    """
    models.set_cache_dir(settings.cache)
    models.set_threads(settings.threads)
    models.extractor_version(settings.extractor, settings.extractor_model)
    with home.locked(settings.home), translated(f"opening {settings.home}"):
        if not restored:
            unfinished.check(settings.home)
        mark = home.FINISHED if settings.database is None else home.FINISHED_ELSEWHERE
        home.check_versions(settings.home, mark)
        _start(settings)
        _close_file_server()
        _set_database_parameters()
        opened = _bring_up_to_date(settings, mark, changing)
        home.mark_finished(settings.home, mark)
    home.prune_logs(settings.home)
    home.keep_private(settings.home)
    return opened


def _start(settings: Settings) -> None:
    if "PIXELTABLE_PGDATA" in os.environ:
        raise HomeUnusable("PIXELTABLE_PGDATA is set; unset it: the database is kept in the home.")
    os.environ["PIXELTABLE_HOME"] = str(settings.home)
    if settings.database is not None:
        os.environ["PIXELTABLE_DB_CONNECT_STR"] = settings.database
        pxt.init()
        return
    home.check_place(settings.home)
    home.prepare(settings.home)
    postgres.start(settings.home / home.PGDATA)
    pxt.init()
    home.started(settings.home)


def _close_file_server() -> None:
    """Closes the HTTP server of every readable file that Pixeltable starts in each process."""
    server: Any = Env.get()._httpd
    if server.fileno() < 0:
        return
    closing = threading.Thread(target=server.shutdown)
    closing.start()
    server.socket.shutdown(socket.SHUT_RDWR)  # wakes the server, which else looks every 0.5 s
    closing.join()
    server.server_close()


def file_server_is_closed() -> bool:
    """Proves that nothing answers where Pixeltable served files."""
    address = urlsplit(Env.get().http_address)
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((str(address.hostname), int(address.port or 0))) != 0


def _set_database_parameters() -> None:
    engine = Env.get().engine.execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = connection.dialect.identifier_preparer.quote(Env.get()._db_name or "")
        found = connection.scalar(
            sql.text(
                "SELECT setconfig FROM pg_db_role_setting s JOIN pg_database d"
                " ON d.oid = s.setdatabase WHERE d.datname = current_database() AND setrole = 0"
            )
        )
        there = dict(entry.split("=", 1) for entry in found or ())
        lacking = {
            key: value
            for key, value in DATABASE_PARAMETERS.items()
            if not _is_enough(there.get(key), value)
        }
        if not lacking:
            return
        for key, value in lacking.items():
            connection.exec_driver_sql(f"ALTER DATABASE {name} SET {key} = '{value}'")
    Env.get().engine.dispose()  # connections made before do not have the new values


def _is_enough(found: str | None, wanted: str) -> bool:
    """Tells whether a parameter is as wanted; of a number somebody may have chosen a higher one."""
    if found is not None and found.isdigit() and wanted.isdigit():
        return int(found) >= int(wanted)
    return found == wanted


def check_parameters() -> str:
    """Tells whether a fresh connection searches with the parameters that filters need."""
    with translated("reading the parameters"), Env.get().engine.connect() as connection:
        connection.exec_driver_sql("SELECT '[1]'::vector")  # loads pgvector and its parameters
        for key, value in DATABASE_PARAMETERS.items():
            found = connection.exec_driver_sql(f"SHOW {key}").scalar()
            if not _is_enough(found, value):
                raise StoreFailed(f"The database parameter {key} is {found}, not {value}.")
    return "searches with the parameters that filters need"


def _bring_up_to_date(settings: Settings, mark: str, changing: bool) -> Opened:
    pxt.create_dir(DIRECTORY, if_exists="ignore")
    for look in range(LOOKS):
        with _stale() as stale:  # from the first touch of a table: it warns when it is loaded
            opened = _kept(changing) or _choose_embedder(settings.embedder)
            if opened.is_foreign:
                return opened
            if shape.is_noted(settings.home, opened.embedder):
                return _tidied(opened)
            if look == 0:
                turn_vectors.move_to_view()
                _drop_unread()
                btrees.take_off(opened.embedder)
            differing, refused = _differences(opened.embedder)
        refused |= stale
        if not differing | refused or holders.model_of() is None:
            break
        reset_runtime()
    if refused:
        made = (home.read_mark(settings.home, mark) or home.made_with())["knowwhy"]
        raise SchemaDiffers(
            f"The tables {', '.join(sorted(refused))} in {settings.home} are of another shape than "
            f"this version of knowwhy needs, and changing them would lose data. Use knowwhy {made} "
            "on them, or `knowwhy export --all` with it and `knowwhy import` into a new one."
        )
    if differing:
        declare(opened.embedder).update_all(DIRECTORY)
    btrees.plant()
    shape.note(settings.home, opened.embedder)
    return _tidied(opened)


def _tidied(opened: Opened) -> Opened:
    """Ends what an earlier process may have left half done, whatever shape the tables have."""
    vector_index.build_empty_ones()
    if staged.exists() and reembeddings.unfinished() is None:  # and what was moved has been taken
        staged.drop()
    return opened


def _differences(embedder: str) -> tuple[set[str], set[str]]:
    """Names the tables that differ from what is declared, and those that cannot be changed."""
    found = declare(embedder).get_model_diff(DIRECTORY)
    differing = {name for name, diff in found.items() if diff.resolution != "up_to_date"}
    return differing, {name for name, diff in found.items() if diff.resolution in NOT_APPLIED}


def _drop_unread() -> None:
    """Drops what is computed for nothing; what snapshots keep of it stays in them."""
    for name, columns in UNREAD.items():
        found: Any = pxt.get_table(f"{DIRECTORY}/{name}", if_not_exists="ignore")
        there = {} if found is None else found.get_metadata()["columns"]
        for column in columns:
            if column in there and there[column]["computed_with"] is not None:
                found.drop_column(column)


@contextmanager
def _stale() -> Iterator[set[str]]:
    """Collects the tables with a column whose function has another signature now."""
    tables: set[str] = set()
    with warnings.catch_warnings(record=True) as said:  # Pixeltable only warns of it
        warnings.simplefilter("always")
        yield tables
    tables |= set(re.findall(STALE, " ".join(str(warning.message) for warning in said)))


def _kept(changing: bool) -> Opened | None:
    """Gives the embedder of a home whose model is about to be changed."""
    made = holders.model_of() if changing else None
    if made is None:
        return None
    try:
        models.check_at_hand(made.embedder)
        return Opened(made.embedder, is_foreign=models.tag(made.embedder) != made.tag)
    except ModelUnavailable:
        return Opened(made.embedder, is_foreign=True)


def _choose_embedder(wanted: str | None) -> Opened:
    """Keeps the embedder that filled the home; a new home takes what is set, or the best."""
    made = holders.model_of()
    if made is None:
        return Opened(wanted, ()) if wanted else _best_embedder()
    if changed := _gone_model(made) or _other_model(made, wanted):
        raise WrongModel(changed)
    return Opened(made.embedder)


def other_model(wanted: str | None) -> str | None:
    """Says how the model that is set, or its weights, differ from what made the home's vectors."""
    made = holders.model_of()
    return None if made is None else _other_model(made, wanted)


def _other_model(made: holders.Model, wanted: str | None) -> str | None:
    if wanted and models.tag(wanted) != made.tag:
        return (
            f"This home's vectors were made by {made.embedder!r} ({made.tag}), and "
            f"KNOWWHY_EMBEDDER asks for {wanted!r} ({models.tag(wanted)}): vectors of two models "
            "cannot be compared. Run `knowwhy reembed` to change the home to the new one, or unset "
            "KNOWWHY_EMBEDDER."
        )
    if models.tag(made.embedder) != made.tag:
        return (
            f"The weights of {made.embedder!r} are not the ones that made this home's vectors (its "
            f"tag is {models.tag(made.embedder)}, theirs {made.tag}): vectors of two models cannot "
            "be compared. Run `knowwhy reembed` to make them anew, or put the old weights back."
        )
    return None


def _gone_model(made: holders.Model) -> str | None:
    """Says that what made the home's vectors is not here, and the two ways on."""
    try:
        models.check_at_hand(made.embedder)
    except ModelUnavailable as error:
        return (
            f"This home's vectors were made by {made.embedder!r} ({made.tag}), which cannot be "
            f"used here: {error}. Bring it back ({models.way_back(made.embedder)}), or make the "
            f"vectors anew: knowwhy reembed --to {DEFAULT_EMBEDDER}."
        )
    return None


def _best_embedder() -> Opened:
    try:
        models.verify(DEFAULT_EMBEDDER)
    except Error as error:
        note = f"{error} Until then this home finds by shared words only (embedder wordhash)."
        return Opened("wordhash", (note,))
    return Opened(DEFAULT_EMBEDDER)

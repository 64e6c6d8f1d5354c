"""The tables, declared once; each reads top to bottom as what is stored, then what is derived."""

# mypy: ignore-errors
# a model's body is read by a metaclass that type checkers do not follow

from functools import cache
from typing import Any

import pixeltable as pxt

from knowwhy.tables import agent_schema, udfs
from knowwhy.tables.indexed import indexed, vectors_of

DIRECTORY = "knowwhy"  # in the user's own Pixeltable home; stored in users' databases
# The views that hold vectors. Each stands on a table whose rows it follows; a change of model
# builds another one beside it, because building an index on a table itself blocks its readers.
HOLDERS = {"passages": "records", "extraction_vectors": "extractions", "memory_vectors": "memories"}


@cache
def declare(embedder: str, holders: tuple[str, ...] = tuple(HOLDERS), beside: str = "") -> Any:
    """Declares every table, with the vectors made by one embedder.

    With `beside` only some of the views that hold vectors are declared, under names that end in it:
    those of another model, beside the ones that are searched.
    """
    base: Any = pxt.model_base()

    class Records(base, name="records"):
        """The current text of one source."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        label: pxt.String | None
        kind: pxt.String
        service: pxt.String | None
        project: pxt.String | None
        path: pxt.String | None
        source: pxt.String | None
        title: pxt.String
        content: pxt.String
        context: pxt.String | None
        metadata: pxt.Json | None
        status: pxt.String | None
        authors: pxt.Json | None
        occurred_at: pxt.Timestamp | None
        commit: pxt.String | None
        content_hash: pxt.String
        extractor_version: pxt.String
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp
        retired_at: pxt.Timestamp | None
        retired_why: pxt.String | None

        links = udfs.links(content, kind, label, path, metadata)
        citations = udfs.citations(content)
        __indexes__ = indexed(
            key, label, kind, service, project, source, content_hash, touched_at, retired_at
        )

    if "passages" in holders:

        class Passages(
            base,
            name=f"passages{beside}",
            base=Records,
            iterator=udfs.cut_passages(
                content=Records.content, kind=Records.kind, path=Records.path
            ),
            custom_metadata={"embedder": embedder},
        ):
            """A piece of a record."""

            search_text = udfs.search_text(title, heading, text)
            __indexes__ = [vectors_of(search_text, embedder)]

    class Turns(base, name="turns"):
        """One message of a conversation; no model ever runs on this table."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        user_id: pxt.String | None
        project: pxt.String | None
        session_id: pxt.String | None
        role: pxt.String
        speaker: pxt.String | None
        content: pxt.String
        context: pxt.String | None
        at: pxt.Timestamp
        expires_at: pxt.Timestamp | None
        via: pxt.String | None
        touched_at: pxt.Timestamp

        scope = udfs.scope(user_id, project)

    class Extractions(base, name="extractions"):
        """One turn read by one version of an extractor."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        turn_key: pxt.String
        user_id: pxt.String | None
        project: pxt.String | None
        session_id: pxt.String | None
        role: pxt.String | None
        content: pxt.String
        context: pxt.String | None
        extractor_version: pxt.String
        attempts: pxt.Int | None
        failed: pxt.String | None
        at: pxt.Timestamp
        expires_at: pxt.Timestamp | None
        touched_at: pxt.Timestamp

        scope = udfs.scope(user_id, project)
        facts = udfs.facts(content, context, role, extractor_version, failed)
        __indexes__ = indexed(
            key, turn_key, user_id, project, session_id, extractor_version, touched_at
        )

    if "extraction_vectors" in holders:

        class ExtractionVectors(base, name=f"extraction_vectors{beside}", base=Extractions):
            """The turns that have been read, as they are found by meaning."""

            # Without the turn before it: with it MiniLM finds .45 of what it finds .53 of alone.
            search_text = udfs.search_text(None, None, content)
            __indexes__ = [vectors_of(search_text, embedder)]

    class Memories(base, name="memories"):
        """One claim, in any state."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        kind: pxt.String
        content: pxt.String
        user_id: pxt.String | None
        project: pxt.String | None
        service: pxt.String | None
        session_id: pxt.String | None
        agent_id: pxt.String | None
        source: pxt.String | None
        raw_source: pxt.String | None
        turn_key: pxt.String | None
        fact_number: pxt.Int | None
        said_by: pxt.String | None
        confidence: pxt.Float | None
        topic: pxt.String | None
        status: pxt.String
        why: pxt.String | None
        nearest_key: pxt.String | None
        nearest_score: pxt.Float | None
        copy_of: pxt.String | None
        conflicts_with: pxt.String | None
        resolved: pxt.Json | None
        check_failed: pxt.String | None
        valid_from: pxt.Timestamp | None
        valid_until: pxt.Timestamp | None
        expires_at: pxt.Timestamp | None
        supersedes: pxt.String | None
        verified_at: pxt.Timestamp | None
        verified_by: pxt.String | None
        verified_via: pxt.String | None
        extractor_version: pxt.String | None
        memorule_kind: pxt.String | None
        subject: pxt.String | None
        applies_to: pxt.Json | None
        certainty: pxt.String | None
        evidence_signal: pxt.String | None
        metadata: pxt.Json | None
        created_at: pxt.Timestamp
        touched_at: pxt.Timestamp

        scope = udfs.scope(user_id, project)
        citations = udfs.citations(content)
        hedges = udfs.hedges(content)
        tier = udfs.tier(
            kind, content, said_by, source, extractor_version, resolved, copy_of, conflicts_with,
            check_failed, hedges, citations,
        )  # fmt: skip
        evidence = udfs.evidence(
            content, source, created_at, valid_until, confidence, tier, citations
        )
        words = udfs.words_hash(subject, content)

    if "memory_vectors" in holders:

        class MemoryVectors(
            base, name=f"memory_vectors{beside}", base=Memories.where(Memories.status != "refused")
        ):
            """The memories that were not refused: who may see which is decided elsewhere."""

            # An index on a column of the base keeps old vectors when the text changes (0.7.21).
            search_text = udfs.search_text(subject, None, content)
            __indexes__ = [vectors_of(search_text, embedder)]

    class Changes(base, name="changes"):
        """One change of a memory, and who made it."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        memory_key: pxt.String
        user_id: pxt.String | None
        project: pxt.String | None
        what: pxt.String
        why: pxt.String | None
        by: pxt.String | None
        session_id: pxt.String | None
        persona: pxt.String | None
        evidence_signal: pxt.String | None
        before: pxt.Json | None
        after: pxt.Json | None
        follows: pxt.Timestamp | None
        at: pxt.Timestamp

    class Lookalikes(base, name="lookalikes"):
        """Two memories of which no rule can tell whether they say the same."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        one: pxt.String
        other: pxt.String
        user_id: pxt.String | None
        project: pxt.String | None
        score: pxt.Float
        state: pxt.String
        by: pxt.String | None
        run: pxt.String
        at: pxt.Timestamp

        __indexes__ = indexed(key, user_id, project, run)

    class Checkpoints(base, name="checkpoints"):
        """A state of somebody's memories that can be gone back to, or a way back that was begun."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        name: pxt.String
        user_id: pxt.String | None
        project: pxt.String | None
        snapshot: pxt.String
        goes_to: pxt.String | None
        state: pxt.String
        at: pxt.Timestamp
        touched_at: pxt.Timestamp

        __indexes__ = indexed(key, name, user_id, project, state, at)

    class Spends(base, name="spends"):
        """What one call of a paid model cost."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        day: pxt.String
        model: pxt.String
        tokens_in: pxt.Int
        tokens_out: pxt.Int
        micro_dollars: pxt.Int
        at: pxt.Timestamp

        __indexes__ = indexed(key, day)

    class Recalls(base, name="recalls"):
        """One search and what it gave."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        user_id: pxt.String | None
        project: pxt.String | None
        agent_id: pxt.String | None
        session_id: pxt.String | None
        question: pxt.String
        question_class: pxt.String | None
        result_count: pxt.Int
        result_keys: pxt.Json
        top_n_selected: pxt.Int | None
        payload_bytes: pxt.Int
        weights: pxt.Json | None
        ranks: pxt.Json | None
        packed: pxt.Json | None
        at: pxt.Timestamp

    class Access(base, name="access"):
        """When a user was last given something, and how often."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        item_key: pxt.String
        user_id: pxt.String | None
        times: pxt.Int
        last_at: pxt.Timestamp
        folded: pxt.String

        __indexes__ = indexed(key, item_key)

    class Repositories(base, name="repositories"):
        """One repository as it was last synced, to the end."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        path: pxt.String
        project: pxt.String | None
        commit: pxt.String | None
        settings: pxt.String
        again: pxt.Json
        at: pxt.Timestamp

        __indexes__ = indexed(key)

    class Tasks(base, name="tasks"):
        """What somebody works on in a repository, until they say otherwise."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        user_id: pxt.String | None
        project: pxt.String | None
        repository: pxt.String | None
        task: pxt.String | None
        details: pxt.Json | None
        at: pxt.Timestamp
        touched_at: pxt.Timestamp

        __indexes__ = indexed(key, user_id, project)

    class Tokens(base, name="tokens"):
        """One right to call over HTTP as a user; the token itself is shown once and not kept."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        user_id: pxt.String
        hash: pxt.String
        name: pxt.String | None
        rights: pxt.Json | None
        created_at: pxt.Timestamp
        expires_at: pxt.Timestamp | None
        used_at: pxt.Timestamp | None
        revoked_at: pxt.Timestamp | None

        __indexes__ = indexed(key, user_id, hash)

    class NightlyRuns(base, name="nightly_runs"):
        """One run of the night shift: how far it came, what it did and what of that was undone."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        state: pxt.String
        only: pxt.String | None
        undoes: pxt.String | None
        cursors: pxt.Json
        reports: pxt.Json
        at: pxt.Timestamp
        touched_at: pxt.Timestamp
        ended_at: pxt.Timestamp | None

        __indexes__ = indexed(key, state, at)

    class HealthChecks(base, name="health_checks"):
        """One measurement of the vector search through one sort of filter; no names, no texts."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        run: pxt.String
        searched: pxt.String
        filtered_by: pxt.String
        embedder: pxt.String
        rows: pxt.Int
        filters: pxt.Int
        all_filters: pxt.Int | None
        keeps: pxt.Float | None
        queries: pxt.Int
        recalls: pxt.Int
        texts: pxt.Int
        golden: pxt.Int
        by_index: pxt.Int
        recall_at_10: pxt.Float | None
        worst: pxt.Float | None
        against: pxt.Float | None
        is_baseline: pxt.Bool
        milestone: pxt.Int | None
        repaired: pxt.String | None
        settings: pxt.Json
        alarms: pxt.Json
        low: pxt.Json | None
        at: pxt.Timestamp

        __indexes__ = indexed(key, run, searched, at)

    class Reembeddings(base, name="reembeddings"):
        """One change of the model that makes vectors, and how far it is."""

        key = pxt.Column(type=pxt.String, primary_key=True)
        embedder: pxt.String
        tag: pxt.String
        before: pxt.String
        state: pxt.String
        figures: pxt.Json | None
        at: pxt.Timestamp
        touched_at: pxt.Timestamp

        __indexes__ = indexed(key, state, at)

    agent_schema.declare(base)
    return base


@cache
def base_tables(embedder: str) -> tuple[str, ...]:
    """Names the tables that hold rows of their own, in the order in which they are declared."""
    models_by_name = declare(embedder).__registered_models__.items()
    return tuple(n for n, model in models_by_name if model.__table_spec__["base"] is None)

-- Storage of scan events: TimescaleDB, chunks made by the database and not by a cron job
-- (ADR-0028, after INC-2023-05).

CREATE TABLE scan_event (
    parcel_id     text        NOT NULL,
    scanned_at    timestamptz NOT NULL,
    scanner_id    text        NOT NULL,
    event_id      uuid        NOT NULL,
    kind          text        NOT NULL,
    depot_id      text        NOT NULL,
    merchant_id   text        NOT NULL,
    visit         smallint,
    delivery_eta  timestamptz,
    drop_position point,
    extra         jsonb,
    PRIMARY KEY (parcel_id, scanned_at, scanner_id)
);

SELECT create_hypertable('scan_event', 'scanned_at', chunk_time_interval => interval '1 day');

ALTER TABLE scan_event SET (
    timescaledb.compress,
    timescaledb.compress_segmentby = 'depot_id'
);
SELECT add_compression_policy('scan_event', interval '14 days');
SELECT add_retention_policy('scan_event', interval '13 months');

-- Personal data beside the event, 90 days (ADR-0034).
CREATE TABLE scan_event_personal (
    event_id      uuid        NOT NULL,
    scanned_at    timestamptz NOT NULL,
    receiver_name text,
    signature_ref text
);
SELECT create_hypertable('scan_event_personal', 'scanned_at');
SELECT add_retention_policy('scan_event_personal', interval '90 days');

-- Scans which come more than 14 days late; their chunk is compressed and slow to change.
CREATE TABLE scan_event_late (LIKE scan_event INCLUDING DEFAULTS);

CREATE MATERIALIZED VIEW depot_day WITH (timescaledb.continuous) AS
SELECT depot_id, time_bucket('1 day', scanned_at) AS day, kind, count(*) AS scans
FROM scan_event GROUP BY depot_id, day, kind;

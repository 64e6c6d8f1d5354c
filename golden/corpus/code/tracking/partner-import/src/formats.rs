//! The files of the four partner carriers, one arm each.

use std::fmt;
use std::path::Path;

use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use csv::StringRecord;
use serde::Serialize;
use uuid::Uuid;

use crate::depots::Depots;

/// Scans more than a day in the future are refused, as in `tracking/scans.py` (WAY-907).
const MAX_FUTURE_DAYS: i64 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    Noordpost,
    Waalse,
    Hansekurier,
    Fietsbode,
}

/// A scan in the fields of `tracking.scan.v2`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scan {
    pub parcel: String,
    pub time: DateTime<Utc>,
    pub scanner: String,
    pub scanner_type: &'static str,
    pub event_id: Uuid,
    pub kind: String,
    pub depot: String,
    pub merchant: String,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    Column(usize),
    Time(String),
    Future(DateTime<Utc>),
    Depot(String),
    Carrier(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Column(index) => write!(out, "no column {index}"),
            Unreadable::Time(text) => write!(out, "no time: {text}"),
            Unreadable::Future(time) => write!(out, "in the future: {time}"),
            Unreadable::Depot(code) => write!(out, "unknown depot: {code}"),
            Unreadable::Carrier(name) => write!(out, "unknown carrier: {name}"),
        }
    }
}

impl std::error::Error for Unreadable {}

impl Carrier {
    /// Tells the carrier by the begin of the file name, such as `noordpost-20251006.csv`.
    pub fn of_file(file: &Path) -> Result<Self, Unreadable> {
        let name = file
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or("");
        match name.split('-').next() {
            Some("noordpost") => Ok(Carrier::Noordpost),
            Some("waalse") => Ok(Carrier::Waalse),
            Some("hansekurier") => Ok(Carrier::Hansekurier),
            Some("fietsbode") => Ok(Carrier::Fietsbode),
            _ => Err(Unreadable::Carrier(name.to_owned())),
        }
    }

    pub fn delimiter(self) -> u8 {
        match self {
            Carrier::Noordpost | Carrier::Fietsbode => b',',
            Carrier::Waalse | Carrier::Hansekurier => b';',
        }
    }

    fn time_format(self) -> &'static str {
        match self {
            Carrier::Noordpost => "%Y-%m-%dT%H:%M:%S",
            Carrier::Waalse => "%d/%m/%Y %H:%M",
            Carrier::Hansekurier => "%d.%m.%Y %H:%M:%S",
            Carrier::Fietsbode => "%Y%m%d%H%M%S",
        }
    }

    /// Makes a scan of a row. The event id is made of the row, so that importing a file twice
    /// publishes the same ids and consumers drop the second.
    pub fn scan(self, row: &StringRecord, depots: &Depots) -> Result<Scan, Unreadable> {
        let column = |index: usize| row.get(index).ok_or(Unreadable::Column(index));
        let text = column(1)?;
        let time = NaiveDateTime::parse_from_str(text, self.time_format())
            .map_err(|_| Unreadable::Time(text.to_owned()))?
            .and_utc();
        if time > Utc::now() + Duration::days(MAX_FUTURE_DAYS) {
            return Err(Unreadable::Future(time));
        }
        let depot = depots
            .code(column(3)?)
            .ok_or_else(|| Unreadable::Depot(column(3).unwrap_or("").to_owned()))?;
        let joined = row.iter().collect::<Vec<_>>().join("\u{1f}");
        Ok(Scan {
            parcel: column(0)?.to_owned(),
            time,
            scanner: column(2)?.to_owned(),
            scanner_type: "partner",
            event_id: Uuid::new_v5(&Uuid::NAMESPACE_OID, joined.as_bytes()),
            kind: column(4)?.to_lowercase(),
            depot,
            merchant: column(5)?.to_owned(),
        })
    }
}

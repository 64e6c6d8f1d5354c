//! Noon import of the partner carriers: reads their files and publishes scans.

mod depots;
mod formats;
mod publish;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use depots::Depots;
use formats::Carrier;
use publish::Publisher;

/// What one file came to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Outcome {
    published: usize,
    unreadable: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::var("PARTNER_DIR")?);
    let depots = Depots::load(Path::new(&env::var("DEPOT_FILE")?))?;
    let mut publisher = Publisher::connect(&env::var("KAFKA_SERVERS")?)?;
    for file in files(&folder)? {
        let begun = Instant::now();
        let outcome = import(&file, &depots, &mut publisher)?;
        // One JSON object per line on stdout (ADR-0019).
        println!(
            "{}",
            serde_json::json!({
                "ts": chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
                "level": "info",
                "service": "tracking",
                "event": "partner_file_imported",
                "file": file.file_name().and_then(|name| name.to_str()),
                "published": outcome.published,
                "unreadable": outcome.unreadable,
                "seconds": begun.elapsed().as_secs_f64(),
            })
        );
        fs::rename(&file, file.with_extension("done"))?;
    }
    Ok(())
}

/// Lists the files which are complete; carriers rename them from `.part` when they are.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .collect();
    found.sort();
    Ok(found)
}

fn import(
    file: &Path,
    depots: &Depots,
    publisher: &mut Publisher,
) -> Result<Outcome, Box<dyn Error>> {
    let carrier = Carrier::of_file(file)?;
    let mut outcome = Outcome::default();
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(carrier.delimiter())
        .from_path(file)?;
    for row in reader.records() {
        match carrier.scan(&row?, depots) {
            Ok(scan) => {
                publisher.send(&scan);
                outcome.published += 1;
            }
            Err(_) => outcome.unreadable += 1,
        }
    }
    publisher.flush()?;
    Ok(outcome)
}

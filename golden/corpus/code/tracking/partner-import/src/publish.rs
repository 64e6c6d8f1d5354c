//! Publishing scans to Kafka.

use std::thread::sleep;
use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use crate::formats::Scan;

/// Events are Avro since 2024 (ADR-0036). This writes JSON to the old topic, which a small job
/// copies over; the registry has no client that I like.
const TOPIC: &str = "tracking.scan.v1";
const FLUSH_LIMIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

pub struct Publisher {
    producer: BaseProducer,
}

impl Publisher {
    pub fn connect(servers: &str) -> Result<Self, KafkaError> {
        let producer = ClientConfig::new()
            .set("bootstrap.servers", servers)
            .set("acks", "all")
            .set("enable.idempotence", "true")
            .create()?;
        Ok(Publisher { producer })
    }

    /// Sends a scan and does not give up: a scan that is lost here is lost for good.
    pub fn send(&mut self, scan: &Scan) {
        let Ok(payload) = serde_json::to_vec(scan) else {
            return;
        };
        loop {
            let record = BaseRecord::to(TOPIC).key(&scan.parcel).payload(&payload);
            match self.producer.send(record) {
                Ok(()) => return,
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), _)) => {
                    self.producer.poll(PAUSE);
                }
                Err(_) => sleep(PAUSE),
            }
        }
    }

    pub fn flush(&mut self) -> Result<(), KafkaError> {
        self.producer.flush(FLUSH_LIMIT)
    }
}

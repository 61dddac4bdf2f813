//! What a run has read, as far as policy cares.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What a run has read: labels, each with the read that put it there first. It only rises. There are
/// no more than are configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunLabels(BTreeMap<Arc<str>, LabelOrigin>);

/// What put a label on a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelOrigin {
    /// The number of the call in its run; `None` if it was there when the run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// What was read: `server.tool`, or whatever else it was, such as a session.
    pub from: Arc<str>,
}

impl RunLabels {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a label there, if it is not there yet.
    pub fn rise(&mut self, label: &Arc<str>, read: impl FnOnce() -> LabelOrigin) {
        if !self.0.contains_key(label) {
            self.0.insert(Arc::clone(label), read());
        }
    }

    /// Takes what another run has read, such as the one before in a session, or the one that a
    /// skill was saved by.
    pub fn join(&mut self, other: &Self) {
        for (label, read) in &other.0 {
            self.rise(label, || read.clone());
        }
    }

    /// Whether a label is there.
    pub fn has(&self, label: &str) -> bool {
        self.0.contains_key(label)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All labels, with what put them there.
    pub fn all(&self) -> impl Iterator<Item = (&Arc<str>, &LabelOrigin)> {
        self.0.iter()
    }
}

impl fmt::Display for LabelOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = ampoule_untrusted::text::one_line(&self.from);
        match self.call {
            Some(call) => write!(f, "call {call}, {from}"),
            None => f.write_str(&from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_rise_and_keep_what_put_them_there_first() {
        let read = |call, from: &str| LabelOrigin {
            call: Some(call),
            from: from.into(),
        };
        let mut labels = RunLabels::new();
        labels.rise(&"untrusted".into(), || read(3, "mail.read"));
        labels.rise(&"untrusted".into(), || read(4, "mail.search"));
        let mut other = RunLabels::new();
        other.rise(&"customer-data".into(), || read(1, "crm.get"));
        other.rise(&"untrusted".into(), || read(2, "web.fetch"));
        labels.join(&other);
        let told: Vec<String> = labels
            .all()
            .map(|(label, read)| format!("{label}: {read}"))
            .collect();
        assert_eq!(
            told,
            [
                "customer-data: call 1, crm.get",
                "untrusted: call 3, mail.read"
            ]
        );
        let json = serde_json::to_string(&labels).unwrap();
        assert_eq!(serde_json::from_str::<RunLabels>(&json).unwrap(), labels);
    }
}

//! What was measured, by peer and by measure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::peers::Peer;
use crate::statistics::{median, percentile};
use crate::workloads::{Kind, Workload};

/// One thing that is measured of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Measure {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) unit: String,
    /// Whether more is better.
    #[serde(rename = "more_is_better")]
    pub(crate) more: bool,
}

impl Measure {
    /// What is measured of a workload.
    pub(crate) fn of(workload: &Workload) -> Vec<Self> {
        let measure = |suffix: &str, what: &str, unit: &str, more| Self {
            id: format!("{}{suffix}", workload.id),
            title: format!("{}{what}", workload.title),
            unit: unit.to_owned(),
            more,
        };
        match workload.kind {
            Kind::Alive(_) => vec![
                measure("-memory", ": memory of each", "MiB", false),
                measure("-start", ": time to start all", "ms", false),
            ],
            Kind::Throughput => vec![measure("", "", "runs/s", true)],
            _ => vec![measure("", "", "ms", false)],
        }
    }
}

/// What a peer reached.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    /// Values by rounds.
    pub(crate) rounds: Vec<Vec<f64>>,
    /// Why the rounds are missing.
    pub(crate) cannot: Option<String>,
}

impl Cell {
    fn all(&self) -> Vec<f64> {
        self.rounds.concat()
    }

    pub(crate) fn count(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    pub(crate) fn p50(&self) -> Option<f64> {
        median(&self.all())
    }

    pub(crate) fn p99(&self) -> Option<f64> {
        percentile(&self.all(), 99)
    }
}

/// Who took part, and how it went.
pub(crate) struct Part {
    pub(crate) peer: &'static Peer,
    pub(crate) version: String,
    pub(crate) command: String,
    /// By the measure's id.
    pub(crate) cells: BTreeMap<String, Cell>,
}

pub(crate) struct Results {
    pub(crate) measures: Vec<Measure>,
    pub(crate) parts: Vec<Part>,
    /// Peers that could not be set up, and why.
    pub(crate) missing: Vec<(&'static Peer, String)>,
    pub(crate) rounds: usize,
}

impl Results {
    pub(crate) fn cell(&self, part: &Part, measure: &Measure) -> Cell {
        part.cells.get(&measure.id).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::peers::all;

    /// Ampoule takes 1 and 2 ms; quickjs-emscripten half, a python3 process can't.
    pub(crate) fn results() -> Results {
        let measure = |id: &str, unit: &str, more| Measure {
            id: id.to_owned(),
            title: format!("the title of {id}"),
            unit: unit.to_owned(),
            more,
        };
        let measures = vec![measure("one", "ms", false), measure("many", "runs/s", true)];
        let part = |id: &str, one: Option<[f64; 2]>, many: f64| {
            let one = match one {
                Some(values) => Cell {
                    rounds: values.map(|value| vec![value]).to_vec(),
                    cannot: None,
                },
                None => Cell {
                    rounds: Vec::new(),
                    cannot: Some("it has | no <arms>".to_owned()),
                },
            };
            let many = Cell {
                rounds: vec![vec![many]],
                cannot: None,
            };
            Part {
                peer: all().find(|peer| peer.id == id).unwrap(),
                version: "1.0".to_owned(),
                command: "run it".to_owned(),
                cells: [("one".to_owned(), one), ("many".to_owned(), many)].into(),
            }
        };
        Results {
            measures,
            parts: vec![
                part("ampoule-javascript", Some([1.0, 2.0]), 1000.0),
                part("ampoule-python", Some([1.0, 2.0]), 1000.0),
                part("quickjs-context", Some([0.5, 1.0]), 100.0),
                part("python", None, 10.0),
            ],
            missing: vec![(
                all().find(|peer| peer.id == "node").unwrap(),
                "gone".to_owned(),
            )],
            rounds: 2,
        }
    }
}

//! What a report says, as it stands in its JSON: all else that is written of it is made from this.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use crate::peers::{Peer, baseline};
use crate::protocol::Language;
use crate::results::{Measure, Part, Results};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(super) machine: Machine,
    pub(super) rounds: usize,
    pub(super) measures: Vec<Measure>,
    pub(super) peers: Vec<Entry>,
    pub(super) missing: Vec<MissingPeer>,
}

/// A peer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) language: Language,
    /// Whether it is Ampoule itself, or a part of it.
    pub(super) own: bool,
    pub(super) version: String,
    pub(super) command: String,
    pub(super) isolation: Isolation,
    pub(super) note: String,
    /// By the measure's id.
    pub(super) measured: BTreeMap<String, Figures>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Isolation {
    pub(super) kernel: String,
    pub(super) state: String,
    pub(super) cpu: String,
    pub(super) memory: String,
    pub(super) network: String,
}

/// What a peer reached in a measure.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Figures {
    pub(super) p50: Option<f64>,
    pub(super) p99: Option<f64>,
    /// The figure that is printed, divided by that of Ampoule in the same language (for runs a
    /// second, the other way round): above 1, Ampoule is ahead.
    pub(super) ratio: Option<f64>,
    /// How many values there are.
    pub(super) values: usize,
    /// All of them, by round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rounds: Vec<Vec<f64>>,
    /// Why the rounds are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cannot: Option<String>,
}

/// A peer that could not be set up.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct MissingPeer {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) why: String,
}

impl Report {
    pub(super) fn of(results: &Results, machine: Machine) -> Self {
        let missing = results.missing.iter().map(|(peer, why)| MissingPeer {
            id: peer.id.to_owned(),
            title: peer.title.to_owned(),
            why: why.clone(),
        });
        let mut report = Self {
            machine,
            rounds: results.rounds,
            measures: results.measures.clone(),
            peers: results
                .parts
                .iter()
                .map(|part| Entry::of(results, part))
                .collect(),
            missing: missing.collect(),
        };
        report.compare();
        report
    }

    /// Sets the ratios.
    pub(super) fn compare(&mut self) {
        let measures = self.measures.clone();
        for language in [Language::JavaScript, Language::Python] {
            let own = baseline(language).id;
            let own = self.peers.iter().find(|peer| peer.id == own).cloned();
            for peer in self.peers.iter_mut().filter(|it| it.language == language) {
                for measure in &measures {
                    let own = own.as_ref().and_then(|own| own.figures(&measure.id).p50);
                    if let Some(figures) = peer.measured.get_mut(&measure.id) {
                        figures.ratio = ratio(figures.p50, own, measure.more);
                    }
                }
            }
        }
    }

    /// The same without the values by round, and with no more digits than mean something.
    pub(super) fn brief(&self) -> Self {
        let mut brief = self.clone();
        for peer in &mut brief.peers {
            for figures in peer.measured.values_mut() {
                figures.rounds.clear();
                for value in [&mut figures.p50, &mut figures.p99] {
                    *value = value.map(rounded);
                }
            }
        }
        brief.compare();
        brief
    }

    pub(super) fn measure(&self, id: &str) -> Option<&Measure> {
        self.measures.iter().find(|measure| measure.id == id)
    }

    /// Peers as they fared in a measure, the best first, those that can't last.
    pub(super) fn ranked(&self, measure: &Measure) -> Vec<&Entry> {
        let mut peers: Vec<&Entry> = self.peers.iter().collect();
        peers.sort_by(|a, b| {
            let [a, b] = [a, b].map(|peer| {
                let sign = if measure.more { -1.0 } else { 1.0 };
                peer.figures(&measure.id)
                    .p50
                    .map_or(f64::INFINITY, |p50| p50 * sign)
            });
            a.total_cmp(&b)
        });
        peers
    }

    /// Where others are ahead: how far, who, and in what; the furthest first.
    pub(super) fn behind<'a>(
        &'a self,
        measures: impl IntoIterator<Item = &'a Measure>,
    ) -> Vec<(f64, &'a Entry, &'a Measure)> {
        let mut behind = Vec::new();
        for measure in measures {
            for peer in self.peers.iter().filter(|peer| !peer.own) {
                // A smaller difference does not count.
                let ratio = peer.figures(&measure.id).ratio;
                if let Some(ratio) = ratio.filter(|ratio| *ratio < 0.95) {
                    behind.push((ratio, peer, measure));
                }
            }
        }
        behind.sort_by(|a, b| a.0.total_cmp(&b.0));
        behind
    }
}

impl Entry {
    fn of(results: &Results, part: &Part) -> Self {
        let peer: &Peer = part.peer;
        let measured = results.measures.iter().map(|measure| {
            let cell = results.cell(part, measure);
            let figures = Figures {
                p50: cell.p50(),
                p99: cell.p99(),
                ratio: None,
                values: cell.count(),
                rounds: cell.rounds,
                cannot: cell.cannot,
            };
            (measure.id.clone(), figures)
        });
        let it = &peer.isolation;
        Self {
            id: peer.id.to_owned(),
            title: peer.title.to_owned(),
            language: peer.language,
            own: peer.is_own(),
            version: part.version.clone(),
            command: part.command.clone(),
            isolation: Isolation {
                kernel: it.kernel.to_owned(),
                state: it.state.to_owned(),
                cpu: it.cpu.to_owned(),
                memory: it.memory.to_owned(),
                network: it.network.to_owned(),
            },
            note: peer.note.to_owned(),
            measured: measured.collect(),
        }
    }

    pub(super) fn figures(&self, measure: &str) -> Figures {
        let figures = self.measured.get(measure);
        figures.cloned().unwrap_or_default()
    }
}

/// The ratio of two figures as printed: a reader who divides them gets the same ratio.
fn ratio(theirs: Option<f64>, own: Option<f64>, more: bool) -> Option<f64> {
    let printed = |value: f64| super::figure(value).parse::<f64>().ok();
    let (theirs, own) = (printed(theirs?)?, printed(own?)?);
    let ratio = if more { own / theirs } else { theirs / own };
    ratio.is_finite().then(|| rounded(ratio))
}

/// Four digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::results::tests::results;

    pub(crate) fn report() -> Report {
        Report::of(&results(), Machine::this("cargo xtask compare"))
    }

    /// A reader with a calculator comes to the ratios of the documents.
    #[test]
    fn ratios_are_those_of_the_figures_that_are_printed() {
        let report = Report::kept(&crate::repository()).unwrap();
        let mut divided = 0;
        for peer in &report.peers {
            let own = baseline(peer.language).id;
            let own = report.peers.iter().find(|it| it.id == own).unwrap();
            for measure in &report.measures {
                let (figures, own) = (peer.figures(&measure.id), own.figures(&measure.id));
                let Some(ratio) = figures.ratio else { continue };
                let [theirs, own] = [figures.p50, own.p50]
                    .map(|p50| super::super::figure(p50.unwrap()).parse::<f64>().unwrap());
                let expected = if measure.more {
                    own / theirs
                } else {
                    theirs / own
                };
                assert!(
                    (ratio / expected - 1.0).abs() < 0.001,
                    "{}: {}",
                    peer.id,
                    measure.id
                );
                divided += 1;
            }
        }
        assert!(divided > 100, "{divided}");
    }

    #[test]
    fn what_there_is_none_of_is_null() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["peers"][2]["measured"]["one"]["ratio"], 0.5);
        let none = &json["peers"][3]["measured"]["one"];
        assert!(none["p50"].is_null() && none["cannot"].is_string());
        assert_eq!(json["missing"][0]["why"], "gone");
    }

    #[test]
    fn a_brief_one_has_the_same_figures_without_their_values() {
        let brief = report().brief();
        let text = serde_json::to_string(&brief).unwrap();
        assert!(!text.contains("\"rounds\":[["));
        assert_eq!(brief.peers[2].figures("one").ratio, Some(0.5));
        // Of runs a second, more are better.
        assert_eq!(brief.peers[2].figures("many").ratio, Some(10.0));
        assert_eq!(brief.peers[3].figures("one").ratio, None);
        assert_eq!(rounded(123.456), 123.5);
        assert_eq!(rounded(0.000_123_456), 0.000_123_5);
        // What is written down is read again as it was.
        let read: Report = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn where_others_are_ahead_is_found() {
        let report = report();
        let behind = report.behind(&report.measures);
        assert_eq!(behind.len(), 1);
        let (_, peer, measure) = behind[0];
        assert_eq!(
            (peer.id.as_str(), measure.id.as_str()),
            ("quickjs-context", "one")
        );
    }

    #[test]
    fn the_best_comes_first_whatever_is_better() {
        let report = report();
        let ids = |measure: &Measure| {
            let ranked = report.ranked(measure);
            ranked
                .iter()
                .map(|peer| peer.id.clone())
                .collect::<Vec<_>>()
        };
        let first = ids(&report.measures[0]);
        assert_eq!(first[..2], ["quickjs-context", "ampoule-javascript"]);
        assert_eq!(ids(&report.measures[1])[3], "python");
    }
}

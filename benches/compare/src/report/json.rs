//! The report for programs: every value, by round.

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::machine::Machine;
use crate::results::Results;

pub(super) fn report(results: &Results, machine: &Machine) -> Result<String> {
    let peers = results.parts.iter().map(|part| {
        let measured = results.measures.iter().map(|measure| {
            let cell = results.cell(part, measure);
            let measured = json!({
                "p50": cell.p50(),
                "p99": cell.p99(),
                "ratio": results.ratio(part, measure),
                "rounds": cell.rounds,
                "cannot": cell.cannot,
            });
            (measure.id.clone(), measured)
        });
        json!({
            "id": part.peer.id,
            "title": part.peer.title,
            "language": part.peer.language,
            "version": part.version,
            "command": part.command,
            "cold_ms": part.cold,
            "measured": measured.collect::<Map<String, Value>>(),
        })
    });
    let measures = results.measures.iter().map(|measure| {
        json!({
            "id": measure.id,
            "title": measure.title,
            "unit": measure.unit,
            "more_is_better": measure.more,
        })
    });
    let missing = results
        .missing
        .iter()
        .map(|(peer, why)| json!({ "id": peer.id, "why": why }));
    let report = json!({
        "machine": machine,
        "rounds": results.rounds,
        "measures": measures.collect::<Vec<_>>(),
        "peers": peers.collect::<Vec<_>>(),
        "missing": missing.collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;

    #[test]
    fn what_there_is_none_of_is_null() {
        let report = report(&results(), &Machine::this("compare")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["peers"][2]["measured"]["one"]["ratio"], 0.5);
        let none = &report["peers"][3]["measured"]["one"];
        assert!(none["p50"].is_null() && none["cannot"].is_string());
        assert_eq!(report["missing"][0]["why"], "gone");
    }
}

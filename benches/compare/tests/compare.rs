//! The comparison itself, of two workloads, with peers that need nothing but Node and Python.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[test]
fn a_quick_run_leaves_a_report_a_table_and_plots() {
    let folder = tempfile::tempdir().unwrap();
    let mut compare = Command::new(env!("CARGO_BIN_EXE_ampoule-compare"));
    compare
        .args([
            "--quick",
            "--workloads",
            "trivial,print",
            "--peers",
            "wasmtime,node,python",
        ])
        .arg("--folder")
        .arg(folder.path());
    let output = compare.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let report = folder.path().join("report");
    let json: Value = serde_json::from_str(&read(&report.join("report.json"))).unwrap();
    let own = measured(&json, "ampoule-javascript", "trivial");
    assert!(
        own["p50"].as_f64().unwrap() > 0.0 && own["ratio"] == 1.0,
        "{own}"
    );
    assert!(measured(&json, "ampoule-python", "print")["p99"].is_number());
    // What can't do it has a reason, and no figure.
    let none = measured(&json, "wasmtime", "print");
    assert!(
        none["p50"].is_null() && none["cannot"].is_string(),
        "{none}"
    );
    for peer in ["node", "python"] {
        // A machine without Node gets a reason.
        let missing = json["missing"].as_array().unwrap();
        if missing.iter().all(|one| one["id"] != peer) {
            assert!(measured(&json, peer, "print")["p50"].is_number(), "{json}");
        }
    }
    let words = read(&report.join("report.md"));
    let first = words.lines().nth(2).unwrap();
    assert!(first.contains("head of Ampoule"), "{first}");
    for part in [
        "Ratios to Ampoule",
        "What isolation each gives",
        "Versions and commands",
    ] {
        assert!(words.contains(&format!("## {part}")), "{words}");
    }
    assert!(read(&report.join("trivial.svg")).contains("Ampoule, JavaScript"));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("printing 100 lines (ms)") && table.contains("× Ampoule"),
        "{table}"
    );
}

#[test]
fn what_is_not_known_is_refused() {
    let mut compare = Command::new(env!("CARGO_BIN_EXE_ampoule-compare"));
    let output = compare.args(["--peers", "nobody"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && told.contains("unknown name `nobody`"),
        "{told}"
    );
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn measured<'a>(json: &'a Value, peer: &str, measure: &str) -> &'a Value {
    let mut peers = json["peers"].as_array().unwrap().iter();
    let found = peers.find(|one| one["id"] == peer);
    &found.unwrap_or_else(|| panic!("{peer} is not in {json}"))["measured"][measure]
}

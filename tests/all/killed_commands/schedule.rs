//! A server whose clock starts a run each second.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use ampoule_tests::command::Workplace;
use serde_json::Value;

use super::{FEW, found, kills, part};
use crate::serving::{PATIENCE, Serving};

const COUNT: &str = "import fs from 'node:fs/promises';
const n = 1 + Number(await fs.readFile('0', 'utf8').catch(() => '0'));
for (let file = 0; file < 5; file++) await fs.writeFile(String(file), String(n));
return n";

/// Files of records in the folder of data, the whole ones or those that are being written.
fn files_of_records(workplace: &Workplace, ending: &str) -> HashSet<String> {
    let folder = workplace.path().join("data/ampoule/records/local");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.ends_with(ending)).collect()
}

/// Waits until one more is there.
async fn one_more(workplace: &Workplace, ending: &str, before: &HashSet<String>) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while files_of_records(workplace, ending).is_subset(before) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    waited.await.expect("a run in time");
}

const WHOLE: &str = ".record";
const BEGUN: &str = ".part";

#[tokio::test]
async fn what_a_schedule_leaves_never_parts() {
    tried(kills(FEW)).await;
}

/// Kills so many servers. Files and records are of the same runs, each time has at most one run, and
/// a run that is listed as ended is there.
pub(super) async fn tried(times: u64) {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[schedules.tick]\ncron = '* * * * * *'\nmissed = 'skip'\nscript = 'count.js'\n\
         [records]\nkeep = 'all'\n[workspace]\nfolder = 'w'\nshared = true\n[audit]\n",
    );
    workplace.file("count.js", COUNT);
    let (mut before, mut ran) = (0, 0);
    let mut usual = Duration::ZERO;
    for time in 0..=times {
        let (begun, whole) = (
            files_of_records(&workplace, BEGUN),
            files_of_records(&workplace, WHOLE),
        );
        let mut server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
        one_more(&workplace, BEGUN, &begun).await;
        let began = Instant::now();
        match time {
            // The first run tells how long one takes.
            0 => {
                one_more(&workplace, WHOLE, &whole).await;
                usual = began.elapsed();
            }
            time => tokio::time::sleep(part(usual.mul_f64(1.5), time)).await,
        }
        server.process.kill().await.expect("it is killed");
        let numbers = match time % 2 {
            0 => {
                let files = found::files(&workplace, "w").await;
                [files, found::records(&workplace).await]
            }
            _ => {
                let records = found::records(&workplace).await;
                [found::files(&workplace, "w").await, records]
            }
        };
        assert_eq!(numbers[0], numbers[1], "files and records have parted");
        assert!(numbers[0] >= before, "{numbers:?} after {before}");
        ran += numbers[0] - before;
        before = numbers[0];
        let rows = found::lines(&workplace, &["runs", "schedules", "--json"]).await;
        if rows[0]["outcome"] == "returned" {
            let id = rows[0]["run"].as_str().expect("an id");
            let shown = found::lines(&workplace, &["runs", "show", id, "--json"]).await;
            assert_eq!(shown[0]["outcome"]["value"], before, "{rows:?}");
        }
    }
    let records = found::lines(&workplace, &["runs", "--json"]).await;
    let mut values: Vec<Value> = Vec::new();
    for row in records.iter().take(20) {
        let id = row["run"].as_str().expect("an id");
        let shown = found::lines(&workplace, &["runs", "show", id, "--json"]).await;
        values.push(shown[0]["outcome"]["value"].clone());
    }
    let expected: Vec<u64> = (1..=before).rev().take(20).collect();
    assert_eq!(Value::from(values), Value::from(expected));
    assert!(ran > 0, "no run was kept in {times} seconds");
}

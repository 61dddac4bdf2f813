//! What asking costs: `cargo run --release -p ampoule-quota --example measure_quota`.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use ampoule_quota::{CallFacts, Caller, Classes, Per, Quotas, Rule};

const CALLS: u32 = 1_000;
const ROUNDS: u32 = 1_000;

fn main() -> io::Result<()> {
    let limits = Rule {
        calls_per_minute: Some(u32::MAX),
        calls_per_day: Some(u64::MAX),
        bytes_per_day: Some(u64::MAX),
        ..Rule::default()
    };
    let rules = [
        limits.clone().called("all"),
        Rule {
            tool: "mail.*".parse().expect("a pattern"),
            ..limits.clone().called("mail")
        },
        Rule {
            per: Per::Tool,
            ..limits.clone().called("tool")
        },
    ];
    let call = CallFacts {
        server: "mail",
        tool: "send",
        classes: Classes::default(),
    };
    let ada = Caller {
        principal: Some("ada"),
        ..Caller::default()
    };
    let folder = std::env::temp_dir().join(format!("ampoule-quota-{}", std::process::id()));
    for count in 0..=rules.len() {
        let quotas =
            Quotas::new(rules[..count].to_vec(), Some(&folder)).map_err(io::Error::other)?;
        // The quickest of many: the others shared the machine with somebody.
        let mut quickest = Duration::MAX;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            for _ in 0..CALLS {
                let permit = quotas.try_call(&ada, black_box(&call));
                permit.map_err(io::Error::other)?.bytes(100);
            }
            quickest = quickest.min(began.elapsed() / CALLS);
        }
        let each = quickest;
        writeln!(
            io::stdout(),
            "{count} rules that apply: {} ns a call",
            each.as_nanos()
        )?;
    }
    std::fs::remove_dir_all(folder)
}

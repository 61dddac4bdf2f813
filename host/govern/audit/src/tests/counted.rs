//! What is counted, and what that advises.

use std::time::{Duration, SystemTime};

use super::*;
use crate::{
    Advice, CallOutcome, Decision, Entry, Events, Filter, Gap, Name, Stats, Verdict, advice,
};

/// Events, a second apart, from some days ago on.
fn entries(days: u64, events: impl IntoIterator<Item = Event>) -> Vec<Entry> {
    let start = SystemTime::now() - Duration::from_hours(24 * days);
    let entries = events.into_iter().zip(1..).map(|(event, seq)| {
        let mut json = serde_json::to_value(&event).unwrap();
        let at = start + Duration::from_secs(seq);
        json["v"] = 1.into();
        json["seq"] = seq.into();
        json["at"] = humantime::format_rfc3339_millis(at).to_string().into();
        json["up"] = 0.into();
        Entry::of(1, json.to_string().as_bytes()).unwrap()
    });
    entries.collect()
}

fn asked(run: &str, call: u64, digest: &str) -> Event {
    let mut arguments = crate::WrittenArguments::default();
    digest.clone_into(&mut arguments.digest);
    Event::CallAsked(CallAsked {
        run: run.into(),
        call,
        server: "mail".into(),
        tool: "send".into(),
        arguments,
        ..CallAsked::default()
    })
}

fn ended(run: &str, call: u64, outcome: CallOutcome) -> Event {
    Event::CallEnded(CallEnded {
        run: run.into(),
        call,
        server: "mail".into(),
        tool: "send".into(),
        outcome,
        bytes: 10,
        took_us: 100,
        ..CallEnded::default()
    })
}

fn run_ended(script: impl Into<Name>, outcome: &str, limit: Option<&str>) -> Event {
    Event::RunEnded(RunEnded {
        run: "r".into(),
        principal: Some("ann".into()),
        script: script.into(),
        outcome: outcome.into(),
        limit: limit.map(Into::into),
        fuel: 1000,
        took_us: 50,
        tokens: Some(10),
        direct_tokens: Some(100),
        ..RunEnded::default()
    })
}

#[test]
fn events_are_counted_by_what_they_are_of() {
    let kept = Kept::with(5);
    let events = Events::read(&kept.path, Filter::default()).unwrap();
    let stats = Stats::of(events);
    assert_eq!(
        (stats.all.runs, stats.all.calls, stats.all.fuel),
        (5, 5, 5000)
    );
    assert_eq!(stats.tools.get("mail.send").unwrap().bytes, 60);
    assert_eq!(stats.scripts.get("5c1f").unwrap().runs, 5);
    assert_eq!(stats.principals.get("local").unwrap().runs, 5);
    assert_eq!(stats.days.top()[0].1.runs, 5);
    assert_eq!(advice(&stats, [("mail", "send")], SystemTime::now()), []);
}

#[test]
fn what_goes_wrong_often_is_reported() {
    let mut events = Vec::new();
    for run in 0..10 {
        let run = format!("run{run}");
        // The same again after a failure is a retry; something else is none.
        events.push(asked(&run, 0, "a"));
        events.push(ended(&run, 0, CallOutcome::ToolFailed));
        events.push(asked(&run, 1, "a"));
        events.push(ended(&run, 1, CallOutcome::Answered));
        events.push(asked(&run, 2, "b"));
        events.push(ended(&run, 2, CallOutcome::TimedOut));
        events.push(run_ended("s", "limit", Some("fuel")));
        events.push(Event::Decision(Decision {
            server: "files".into(),
            tool: "delete".into(),
            decision: Verdict::Denied,
            ..Decision::default()
        }));
    }
    events.push(Event::Gap(Gap {
        lost: 3,
        ..Gap::default()
    }));
    let stats = Stats::of(entries(40, events));
    assert_eq!(
        (
            stats.all.retries,
            stats.all.failed_calls,
            stats.all.failures
        ),
        (10, 20, 10)
    );
    assert_eq!((stats.all.tokens, stats.all.direct_tokens), (100, 1000));
    let tool = || "mail.send".to_owned();
    let all = [("mail", "send"), ("files", "read")];
    let wanted = [
        Advice::Lost { lost: 3 },
        Advice::Limit {
            limit: "fuel".to_owned(),
            hit: 10,
            runs: 10,
        },
        Advice::Failing {
            tool: tool(),
            failed: 20,
            calls: 30,
        },
        Advice::Retried {
            tool: tool(),
            retries: 10,
            calls: 30,
        },
        Advice::Denied {
            tool: "files.delete".to_owned(),
            denied: 10,
        },
        Advice::Unused { tool: tool() },
        Advice::Unused {
            tool: "files.read".to_owned(),
        },
    ];
    assert_eq!(advice(&stats, all, SystemTime::now()), wanted);
    // A log that does not reach back so far can't tell.
    let stats = Stats::of(entries(2, [run_ended("s", "returned", None)]));
    assert_eq!(advice(&stats, all, SystemTime::now()), []);
}

#[test]
fn many_scripts_take_little_memory_and_are_all_counted() {
    let mut events: Vec<Event> = (0..50)
        .map(|_| run_ended("often", "returned", None))
        .collect();
    events.extend((0..30_000).map(|number| run_ended(format!("s{number}"), "returned", None)));
    let stats = Stats::of(entries(1, events));
    let top = stats.scripts.top();
    assert_eq!((top.len(), top[0].0, top[0].1.runs), (1000, "often", 50));
    let (rest, left_out) = stats.scripts.rest();
    let sum: u64 = top.iter().map(|(_, row)| row.runs).sum();
    assert_eq!((sum + rest.runs, left_out), (30_050, 29_001));
}

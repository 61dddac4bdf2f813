//! `ampoule chat`: the runs of a task, and the conversation that tells of them.

use std::time::{Duration, Instant};

use ampoule_tests::command::Workplace;
use ampoule_tests::model::{ModelReply, ModelRequest, ModelServer, script};
use serde_json::Value;

use super::process::{Process, Said};
use super::{FEW, Tally, found, kills, part};

const COUNT: &str = "import fs from 'node:fs/promises';
globalThis.n ??= 0;
for (let file = 0; file < 5; file++) {
  const seen = Number(await fs.readFile(String(file), 'utf8').catch(() => '0'));
  if (seen !== n) throw new Error(`the session has ${n}, and a file has ${seen}`);
}
n += 1;
for (let file = 0; file < 5; file++) await fs.writeFile(String(file), String(n));
return `number ${n}.`";

#[tokio::test]
async fn what_a_chat_leaves_never_parts() {
    tried(kills(FEW)).await;
}

/// A model that has the script run, and repeats what it said.
fn answer(request: &ModelRequest) -> ModelReply {
    let last = request.last_text();
    match last.contains("number ") {
        true => ModelReply::Says(format!("It says: {last}")),
        false => ModelReply::Calls(String::new(), vec![script(COUNT, "typescript")]),
    }
}

fn start(workplace: &Workplace, model: &ModelServer) -> Process {
    let endpoint = model.address("anthropic");
    let arguments = [
        "chat",
        "--model",
        "scripted",
        "--endpoint",
        &endpoint,
        "--session",
        "k",
        "--json",
        "-p",
        "Count.",
    ];
    Process::start(workplace, &arguments)
}

/// The number in the last event of a kind.
fn told(said: &Said, kind: &str) -> u64 {
    let events = said.lines.iter().rev();
    let mut events = events.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let event = events.find(|event| event["type"] == kind);
    event.map_or(0, |event| {
        number(event["text"].as_str().unwrap_or_default())
    })
}

/// The last number in a text.
fn number(text: &str) -> u64 {
    let found = text.rsplit_once("number ").map(|(_, rest)| rest);
    let digits = found.and_then(|rest| rest.split('.').next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Kills so many chats. Runs are whole, and the next chat knows each task whose end was told.
pub(super) async fn tried(times: u64) -> Tally {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[records]\nkeep = 'all'\n[workspace]\nfolder = 'w'\nshared = true\n",
    );
    let model = ModelServer::start(answer).await;
    let mut first = start(&workplace, &model);
    first.says(r#""type":"call""#).await;
    let called = Instant::now();
    let said = first.ended(&workplace).await;
    let (whole, end) = (said.took, called.elapsed());
    assert_eq!(told(&said, "end"), 1, "{:?}", said.lines);
    let (mut tally, mut before, mut answered) = (Tally::default(), 1, 1);
    for time in 0..times {
        let asked = model.requests().await.len();
        let mut process = start(&workplace, &model);
        let wait = match time % 4 {
            0 => part(whole, time),
            1 => {
                process.says(r#""type":"result""#).await;
                part(Duration::from_millis(60), time)
            }
            _ => {
                process.says(r#""type":"call""#).await;
                part(end, time)
            }
        };
        tokio::time::sleep(wait).await;
        let said = process.killed(&workplace).await;
        if let Some(request) = model.requests().await.get(asked) {
            let texts = request.texts();
            let known = texts.iter().map(|text| number(text)).max();
            assert!(known >= Some(answered), "{answered} was told: {texts:?}");
        }
        let number = whole_number(&workplace, time).await;
        tally.count(number, before, told(&said, "result"));
        before = number;
        answered = told(&said, "end").max(answered);
    }
    let asked = model.requests().await.len();
    let next = start(&workplace, &model).ended(&workplace).await;
    assert_eq!(told(&next, "end"), before + 1, "{:?}", next.lines);
    let texts = model.requests().await[asked].texts();
    let known = texts.iter().map(|text| number(text)).max();
    assert!(known >= Some(answered), "{answered} was told: {texts:?}");
    tally
}

/// The number that the session, the files and the records have.
async fn whole_number(workplace: &Workplace, time: u64) -> u64 {
    let mut numbers = Vec::new();
    for place in time..time + 3 {
        numbers.push(match place % 3 {
            0 => found::session(workplace, "k").await,
            1 => found::files(workplace, "w").await,
            _ => found::records(workplace).await,
        });
    }
    assert!(
        numbers.iter().all(|it| *it == numbers[0]),
        "stores have parted: {numbers:?}, looked at from {}",
        time % 3
    );
    numbers[0]
}

//! Measures the detector: what it finds of the corpus, and how long a MiB takes.
//!
//! `cargo run --release -p ampoule-privacy --example measure_privacy` prints both as tables.
//! With `mistakes`, each mistake of the part that may be looked at is printed, too.
#![expect(clippy::print_stdout, reason = "it says what it measured")]

#[path = "../corpus/read.rs"]
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use ampoule_privacy::{Boundary, Detector, Mode, Settings, Table, TableLimits};
use read::Item;

const GENERATED: &str = include_str!("../corpus/generated.txt");
const WRITTEN: &str = include_str!("../corpus/written.txt");
const MIB: usize = 1 << 20;

fn main() {
    let detector = Detector::new(&Settings::default()).expect("settings");
    let find = |text: &str| -> Vec<(String, Range<usize>)> {
        let found = detector.find(text).into_iter();
        found
            .map(|found| (found.kind.name().to_owned(), found.range))
            .collect()
    };
    let mistakes = std::env::args().any(|argument| argument == "mistakes");
    for (name, file) in [("generated", GENERATED), ("written", WRITTEN)] {
        for held in [false, true] {
            let items: Vec<Item> = read::items(file)
                .into_iter()
                .filter(|item| item.held == held)
                .collect();
            let part = if held { "held out" } else { "tuned on" };
            let languages: BTreeSet<&str> = items.iter().map(|item| &*item.language).collect();
            let (items_there, languages) = (items.len(), languages.len());
            println!("\n{name}, {part}: {items_there} items in {languages} languages");
            let scores = read::score(&items, find, |item, what, kind, range| {
                if mistakes && !held {
                    println!(
                        "  {what} {kind} `{}` in {}",
                        &item.text[range.clone()],
                        item.text
                    );
                }
            });
            table(&scores);
        }
    }
    speed(&detector);
}

fn table(scores: &BTreeMap<String, read::Score>) {
    println!("| kind | values | precision | recall |\n| --- | --- | --- | --- |");
    for (kind, score) in scores {
        let values = score.hits + score.missed;
        let (precision, recall) = (100.0 * score.precision(), 100.0 * score.recall());
        println!("| {kind} | {values} | {precision:.1} % | {recall:.1} % |");
    }
}

fn speed(detector: &Detector) {
    let settings = Settings {
        mode: Mode::Tokens,
        ..Settings::default()
    };
    let boundary = Boundary::new(settings).expect("settings");
    println!("\n| 1 MiB of | found | found in | replaced in |\n| --- | --- | --- | --- |");
    for (name, text) in texts() {
        let found = detector.find(&text).len();
        let finding = best(|| {
            detector.find(&text);
        });
        let masking = best(|| {
            let mut table = Table::new(TableLimits::default());
            let _ = boundary.pass(&text, &mut table);
        });
        println!(
            "| {name} | {found} | {:.1} ms | {:.1} ms |",
            ms(finding),
            ms(masking)
        );
    }
}

fn ms(time: Duration) -> f64 {
    1000.0 * time.as_secs_f64()
}

/// The shortest of several.
fn best(mut run: impl FnMut()) -> Duration {
    let times = (0..7).map(|_| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}

fn of(piece: &str) -> String {
    let mut text = piece.repeat(MIB / piece.len() + 1);
    let mut end = MIB;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

fn texts() -> Vec<(String, String)> {
    let prose: Vec<String> = read::items(WRITTEN)
        .into_iter()
        .map(|item| item.text)
        .collect();
    let row = r#"{"id":48121,"title":"Quarterly report","tags":["finance","draft"],"author":{"name":"Jane Doe","email":"jane@example.com"},"body":"The numbers are in; see page 12 for details.","updated":"2024-05-06T07:08:09Z","size":120931},"#;
    let rows = format!("[{}0]", row.repeat(MIB / row.len()));
    let plain = r#"{"id":48121,"sku":"AB-1234-56","stock":12,"price":12.5,"warehouse":"north","updated":"2024-05-06T07:08:09Z"},"#;
    let plain = format!("[{}0]", plain.repeat(MIB / plain.len()));
    let quoted = format!("[{}]", serde_json::Value::from(&rows[..rows.len() / 5 * 4]));
    let inner = serde_json::Value::from(rows.as_str()).to_string();
    let within = format!("{{\"content\":[{{\"type\":\"text\",\"text\":{inner}}}]}}");
    let named = [
        ("records with people", rows),
        ("records without", plain),
        ("records within a string", within),
        ("broken records within a string", quoted),
        ("the written corpus", of(&(prose.join("\n") + "\n"))),
    ];
    let mut texts: Vec<(String, String)> = named
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text))
        .collect();
    let worst = [
        "1",
        "1 ",
        "12 ",
        "1-2-",
        "1.2.",
        "12:34:",
        "@",
        "a@",
        "a@b.",
        "a@b.cc ",
        ".",
        "f",
        "ab:",
        "fe80::",
        "a:b:c:d:e:f:",
        "+1 ",
        "+49 30 1234567, ",
        "(",
        "0",
        "0151 23456789 ",
        "4111 ",
        "4111 1111 1111 1111 ",
        "GB29 ",
        "AB12 34 56 ",
        "sk-",
        "sk- ",
        "eyJ",
        "eyJaaaaaaaaaaa.",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
        "tel ",
        "tel:",
        "name:",
        "name: A ",
        "nom: Ab Cd, ",
        "name=",
        "\"",
        "\\",
        "\\n",
        "[",
        "{",
        "[\n",
        "{\"a\":\n",
        "[1,\n",
        "<",
        "<email:1>",
        "&lt;email:1&gt;",
        "é",
        "€",
        "id-123456789 ",
        "://a:b@",
        "A <a@b.cc> ",
        "\"name\":\"A B\",",
    ];
    texts.extend(worst.map(|piece| (format!("`{}`", piece.escape_debug()), of(piece))));
    for (name, piece) in [
        ("{\"name\":\"Jane Doe\"},", "names"),
        ("\"a\\u0040b.cc\",", "escapes"),
        ("4111111111111111,", "cards"),
        ("{\"phone\":4915112345678},", "numbers"),
    ] {
        let list = format!("[{}0]", name.repeat(MIB / name.len()));
        texts.push((format!("a list of {piece}"), list));
    }
    texts
}

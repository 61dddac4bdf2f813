//! Published detectors of personal data beside ours' corpus: `cargo run --release`, in this folder.
//!
//! Names and addresses are left out: both crates need a model of language for them. Ids are counted where a crate has a
//! kind for one of the corpus's. Bounds count as for ours: exactly.

#[path = "../../../host/govern/privacy/corpus/read.rs"]
mod read;

use std::ops::Range;
use std::time::Instant;

use pii::nlp::SimpleNlpEngine;
use pii::presets::default_recognizers;
use pii::types::Language;
use pii::{Analyzer, PolicyConfig};
use redact_core::AnalyzerEngine;

type Found = Vec<(String, Range<usize>)>;

fn main() {
    let files = [
        include_str!("../../../host/govern/privacy/corpus/generated.txt"),
        include_str!("../../../host/govern/privacy/corpus/written.txt"),
    ];
    let items: Vec<read::Item> = files.iter().flat_map(|file| read::items(file)).collect();
    let redact = AnalyzerEngine::new();
    let by_redact = |text: &str| -> Found {
        let found = redact.analyze(text, None).expect("an analysis");
        let found = found.detected_entities.iter();
        found
            .filter_map(|hit| Some((kind(&format!("{:?}", hit.entity_type))?, hit.start..hit.end)))
            .collect()
    };
    let pii = Analyzer::new(
        Box::new(SimpleNlpEngine::default()),
        default_recognizers(),
        Vec::new(),
        PolicyConfig::default(),
    );
    let english = Language::from("en");
    let by_pii = |text: &str| -> Found {
        let found = pii.analyze(text, &english).expect("an analysis");
        let found = found.entities.iter();
        found
            .filter_map(|hit| Some((kind(&hit.entity_type.as_str())?, hit.start..hit.end)))
            .collect()
    };
    report("redact-core 0.12.7", &items, by_redact);
    report("pii 0.1.0", &items, by_pii);
    validators();
}

/// A crate's kind as one of the corpus's.
fn kind(theirs: &str) -> Option<String> {
    let ours = match theirs {
        "Email" | "EmailAddress" => "email",
        "Phone" | "PhoneNumber" | "UkPhoneNumber" | "UkMobileNumber" => "phone",
        "CreditCard" => "card",
        "Iban" | "IbanCode" => "iban",
        "IpAddress" | "Ipv6" => "ip",
        "Ssn" | "UsSsn" | "UkNino" | "TaxId" | "Itin" => "id",
        other
            if other.ends_with("Token")
                || other.ends_with("Key")
                || other.ends_with("Secret")
                || other == "SlackWebhook" =>
        {
            "secret"
        }
        _ => return None,
    };
    Some(ours.to_owned())
}

fn report(name: &str, items: &[read::Item], find: impl Fn(&str) -> Found) {
    println!("\n{name}\n| kind | values | precision | recall |\n| --- | --- | --- | --- |");
    let scores = read::score(items, &find, |_, _, _, _| {});
    for (kind, score) in scores
        .iter()
        .filter(|(kind, _)| !matches!(kind.as_str(), "name" | "address" | "prose-name"))
    {
        let (precision, recall) = (100.0 * score.precision(), 100.0 * score.recall());
        println!(
            "| {kind} | {} | {precision:.1} % | {recall:.1} % |",
            score.hits + score.missed
        );
    }
    let prose: Vec<&str> = items.iter().map(|item| item.text.as_str()).collect();
    let mut text = prose.join("\n").repeat(8);
    for (what, bytes) in [
        ("64 KiB of the corpus", 64 << 10),
        ("256 KiB of the corpus", 256 << 10),
        ("1 MiB of the corpus", 1 << 20),
    ] {
        let mut end = bytes.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let begun = Instant::now();
        let found = find(&text[..end]).len();
        let took = begun.elapsed();
        println!(
            "{what}: {:.1} ms, {found} found",
            1000.0 * took.as_secs_f64()
        );
        if took.as_secs() > 30 {
            break;
        }
    }
    text = "1".repeat(1 << 16);
    let begun = Instant::now();
    find(&text);
    println!(
        "64 KiB of digits: {:.1} ms",
        1000.0 * begun.elapsed().as_secs_f64()
    );
}

/// What the validators of single kinds take.
fn validators() {
    let time = |name: &str, run: &dyn Fn()| {
        let begun = Instant::now();
        for _ in 0..10_000 {
            run();
        }
        println!(
            "{name}: {:.0} ns",
            begun.elapsed().as_nanos() as f64 / 10_000.0
        );
    };
    println!();
    time("iban_validate 5.0.1", &|| {
        assert!("DE89370400440532013000".parse::<iban::Iban>().is_ok())
    });
    time("card-validate 2.4.0", &|| {
        assert!(card_validate::Validate::from("4111111111111111").is_ok())
    });
    time("phonenumber 0.3.10", &|| {
        assert!(phonenumber::parse(None, "+49 30 901820").is_ok())
    });
}

use ampoule::{Limit, Limits, Output, Usage};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;
use crate::content::tokens;

fn room(bytes: usize) -> Room {
    Room {
        bytes,
        tokens: 4000,
    }
}

fn outcome(ending: Ending) -> Outcome {
    Outcome::new(ending, Output::default(), Usage::default())
}

fn report(outcome: &Outcome, kind: CodeKind, bytes: usize) -> Report<'_> {
    Report {
        run: RunId::new(),
        outcome,
        kind,
        room: room(bytes),
        stored: None,
        shows_apps: false,
    }
}

#[test]
fn a_run_that_is_recorded_says_how_it_is_run_again() {
    let run = RunId::new();
    let mut outcome = outcome(Ending::Returned(None));
    outcome.output = Output::default();
    let told = |outcome: &Outcome| {
        let answer = super::answer(Report {
            run,
            ..report(outcome, CodeKind::Component, 1000)
        });
        serde_json::to_string(&answer.content).unwrap()
    };
    assert!(!told(&outcome).contains("replay"));
    outcome.record = Some(run);
    let replays = format!("`ampoule runs replay {}`", run.short());
    assert!(told(&outcome).contains(&replays), "{}", told(&outcome));
}

fn texts(ending: Ending, kind: CodeKind) -> Vec<String> {
    let answer = super::answer(report(&outcome(ending), kind, 1000));
    let texts = answer.content.iter();
    texts.map(|block| text_of(block).expect("a text")).collect()
}

fn text_of(block: &Content) -> Option<String> {
    Some(json!(block)["text"].as_str()?.to_owned())
}

/// What a client gets of a run that printed and returned this.
fn given(output: &str, value: &Value, most: usize) -> Value {
    let value = RawValue::from_string(value.to_string()).unwrap();
    let shown = content(output, blocks::parts(&value), room(most));
    json!(shown.content)
}

fn image(data: &str) -> Value {
    json!({"type": "image", "data": data, "mimeType": "image/png"})
}

fn text(text: impl Into<String>) -> Value {
    json!({"type": "text", "text": text.into()})
}

#[test]
fn what_was_printed_and_returned_is_one_block_where_it_is_text() {
    assert_eq!(
        given("a\n", &json!("b\n\"c\""), 100),
        json!([text("a\n\nb\n\"c\"")])
    );
    assert_eq!(
        given("", &json!({"a": "b"}), 100),
        json!([text(r#"{"a":"b"}"#)])
    );
    assert_eq!(given("", &json!(""), 100), json!([text("\"\"")]));
}

#[test]
fn an_image_is_a_block_however_large_and_text_beside_it_is_cut() {
    let large = image(&"AAAA".repeat(1000));
    assert_eq!(given("", &large, 100), json!([large]));
    assert_eq!(given("a\n", &large, 100), json!([text("a\n"), large]));
    let listed = json!(["here", {"n": 1}, large, "there"]);
    assert_eq!(
        given("a\n", &listed, 100),
        json!([text("a\n\nhere\n{\"n\":1}"), large, text("there")])
    );
    let long = json!(["x".repeat(1000), large]);
    let cut = given("", &long, 100);
    assert_eq!(cut[1], large);
    let said = cut[0]["text"].as_str().unwrap();
    assert!(
        said.contains("900 bytes left out") && said.len() < 250,
        "{said}"
    );
}

#[test]
fn what_is_cut_takes_four_thousand_tokens_and_can_be_read_by_the_next_script() {
    let rows: Vec<Value> = (0..5000)
        .map(|id| json!({"id": id, "name": "a name"}))
        .collect();
    let value = RawValue::from_string(json!(rows).to_string()).unwrap();
    let output = "a line of the output\n".repeat(5000);
    let kind = CodeKind::Script {
        language: Language::Python,
        looked_at: false,
    };
    let shown = content(&output, blocks::parts(&value), room(40_000));
    let everything = CutParts {
        output: true,
        end: true,
    };
    assert_eq!((shown.cut, shown.content.len()), (everything, 1));
    let said = &*text_of(&shown.content[0]).unwrap();
    let taken = tokens::exactly(said);
    assert!((2000..=4000).contains(&taken), "{taken} tokens");
    assert!(said.starts_with("a line of the output\n"), "{said}");
    assert!(said.contains(" items left out …\",{\"id\":"), "{said}");
    assert!(
        said.ends_with("{\"id\":4999,\"name\":\"a name\"}]"),
        "{said}"
    );

    let stored = StoredOutput::new(std::sync::Arc::new(|_, _| Ok(())));
    let ended = outcome(Ending::Returned(Some(value)));
    let answer = super::answer(Report {
        stored: Some(&stored),
        ..report(&ended, kind, 40_000)
    });
    assert_eq!(
        text_of(&answer.content[1]).as_deref(),
        Some("The next script can read all of it: `await tools.ampoule.returned(run=1)`")
    );
    let left_out = LeftOut {
        printed: Some(&output),
        ..LeftOut::default()
    };
    let printed = rest(kind, &stored, left_out).unwrap();
    assert!(
        printed.ends_with("`await tools.ampoule.printed(run=2)`"),
        "{printed}"
    );
    // What fits is not kept.
    let ended = outcome(Ending::Returned(None));
    let answer = super::answer(Report {
        stored: Some(&stored),
        ..report(&ended, kind, 40_000)
    });
    assert_eq!(answer.content.len(), 1);
}

#[test]
fn a_resource_of_text_counts_as_text() {
    let resource = |text: &str| json!({"type": "resource", "resource": {"uri": "file:///a.txt", "text": text}});
    let short = resource("a");
    assert_eq!(given("", &short, 100), json!([short]));
    let cut = given("", &resource(&"x".repeat(1000)), 100);
    assert!(
        cut[0]["text"].as_str().unwrap().contains("bytes left out"),
        "{cut}"
    );
}

#[test]
fn the_language_is_said_where_the_code_was_looked_at() {
    let ran = |looked_at| CodeKind::Script {
        language: Language::Python,
        looked_at,
    };
    let value = || Ending::Returned(Some(RawValue::from_string("1".to_owned()).unwrap()));
    assert_eq!(texts(value(), ran(false)), ["1"]);
    assert_eq!(texts(value(), CodeKind::Component), ["1"]);
    assert_eq!(
        texts(value(), ran(true)),
        ["1", "language: python, guessed from the code"]
    );
    let hit = || Ending::Limit(Limit::Fuel.hit(2, &Limits::default()));
    let said = texts(hit(), ran(true));
    assert_eq!(
        said[1],
        "language: python, guessed from the code; if that is wrong, name the right one with `language`"
    );
    assert!(
        said[0].starts_with("The script was stopped (run "),
        "{said:?}"
    );
    let said = texts(hit(), CodeKind::Component);
    assert!(
        said[0].starts_with("The component was stopped (run "),
        "{said:?}"
    );
}

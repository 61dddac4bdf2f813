//! Output to the model.

use serde_json::json;

use super::*;

fn governed(world: &World, then: &str) -> Builder {
    let labels = format!(
        r#"{{"gives": {{"crm.*": "customers"}}, "refuses": {{"model": {{"labels": "customers", {then}}}}}}}"#
    );
    Governance::builder()
        .servers(world.known())
        .policies(labelled(&labels))
}

async fn that_has_read(world: &World, governance: &Governance) -> GovernedRun {
    let run = begin(governance).await;
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    run
}

#[tokio::test]
async fn the_model_is_given_what_it_may_have() {
    let world = World::new();
    let governance = governed(&world, r#""then": "deny""#).build().unwrap();
    let run = begin(&governance).await;
    let (mut printed, mut value) = ("hello".to_owned(), "[1]".to_owned());
    let over = run.end(&mut [&mut printed, &mut value], returned()).await;
    assert!(over.shown.is_ok());
    assert_eq!((&*printed, &*value), ("hello", "[1]"));
}

#[tokio::test]
async fn what_the_model_must_not_have_is_kept_back() {
    let world = World::new();
    let governance = governed(&world, r#""then": "deny", "reason": "customers stay here""#)
        .build()
        .unwrap();
    let run = that_has_read(&world, &governance).await;
    // Also what is printed before the end, and what an error says.
    let mut line = "a line".to_owned();
    run.to_model(&mut [&mut line]).await.unwrap_err();
    assert_eq!(line, "");
    let (mut printed, mut error) = ("a@b.example".to_owned(), "Error: a@b.example".to_owned());
    let over = run
        .end(
            &mut [&mut printed, &mut error],
            EndFacts {
                outcome: "threw".into(),
                ..returned()
            },
        )
        .await;
    let told = over.shown.unwrap_err().to_string();
    assert!(
        told.contains("customers stay here") && !told.contains("a@b"),
        "{told}"
    );
    assert_eq!((&*printed, &*error), ("", ""));
    assert!(over.carried.labels.has("customers"));
}

#[tokio::test]
async fn fields_are_taken_out_of_output() {
    let world = World::new();
    let mut sources = labelled(r#"{"gives": {"crm.*": "customers"}}"#);
    sources.files = super::sources(
        r#"@id("r") @redact("email") forbid(principal, action == Action::"model", resource)
           when { context.labels.contains("customers") };"#,
    )
    .files;
    let governance = Governance::builder()
        .servers(world.known())
        .policies(sources)
        .build()
        .unwrap();
    let run = that_has_read(&world, &governance).await;
    let (mut printed, mut value) = (
        "it is a@b.example".to_owned(),
        r#"{"email":"a@b.example","n":1}"#.to_owned(),
    );
    let mut nothing = String::new();
    let over = run
        .end(&mut [&mut printed, &mut value, &mut nothing], returned())
        .await;
    assert!(over.shown.is_ok());
    assert_eq!(printed, r#""[redacted]""#);
    assert_eq!(value, r#"{"email":"[redacted]","n":1}"#);
    assert_eq!(nothing, "");
}

#[tokio::test]
async fn a_person_decides_what_the_model_is_given() {
    let world = World::new();
    let governance = governed(&world, r#""then": "ask""#)
        .asking(world.asking())
        .build()
        .unwrap();
    for (said, text) in [
        (Answer::AllowOnce, "42"),
        (
            Answer::Deny {
                reason: String::new(),
            },
            "",
        ),
    ] {
        let run = that_has_read(&world, &governance).await;
        let path = world.path("approvals");
        let person = tokio::spawn(async move {
            let listed = question(&open(&path)).await;
            let shown = &listed.question.calls[0].arguments[0].text;
            assert_eq!(
                (&*listed.question.calls[0].full_name(), &**shown),
                ("model.output", r#"["42"]"#)
            );
            answer(path, said).await;
        });
        let mut output = "42".to_owned();
        let over = run.end(&mut [&mut output], returned()).await;
        person.await.unwrap();
        assert_eq!((over.shown.is_ok(), &*output), (!text.is_empty(), text));
    }
    // Where nobody can be asked, nothing is given.
    let governance = governed(&world, r#""then": "ask""#).build().unwrap();
    let run = that_has_read(&world, &governance).await;
    let mut output = "42".to_owned();
    let told = run
        .end(&mut [&mut output], returned())
        .await
        .shown
        .unwrap_err();
    assert!(told.to_string().contains("[approvals]"), "{told}");
    assert_eq!(output, "");
}

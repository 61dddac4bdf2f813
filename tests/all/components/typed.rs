//! Components whose `run` has types of its own.

use ampoule_tests::command::Workplace;
use serde_json::json;

use super::tools::report;

#[tokio::test]
async fn arguments_and_results_are_json() {
    let workplace = Workplace::default();
    workplace.file("report.wasm", report());
    let run = async |arguments: &str| {
        let arguments = ["run", "report.wasm", "--arguments", arguments, "-q"];
        workplace.run(&arguments).await
    };
    let ran = run(r#"{"city": "Bonn", "days_ahead": 3}"#).await;
    assert_eq!(
        ran.json(),
        json!({"city": "Bonn", "is_warm": true}),
        "{ran:?}"
    );
    let ran = run(r#"{"city": "Bonn"}"#).await;
    assert_eq!(
        ran.json(),
        json!({"city": "Bonn", "is_warm": false}),
        "{ran:?}"
    );
    for (arguments, said) in [
        (r#"{"city": ""}"#, "Error: no city"),
        (
            "{}",
            "do not fit the component's `run`: args: `city` is missing",
        ),
        (
            r#"{"city": "Bonn", "days": 3}"#,
            "args: unknown property \"days\"",
        ),
        (
            r#"{"city": "Bonn", "days_ahead": -1}"#,
            "args.days_ahead: -1 does not fit into the type",
        ),
        ("[]", "args: this must be an object, and is an array"),
    ] {
        let ran = run(arguments).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
}

use serde_json::json;

use super::*;

fn rule(text: &str) -> UndoRule {
    text.parse().unwrap()
}

fn wrong(text: &str) -> String {
    text.parse::<UndoRule>().unwrap_err().to_string()
}

#[test]
fn arguments_come_from_the_call_and_its_result_or_are_written_down() {
    let rule = rule(
        r#"files.move({ from: args.to, to: args["from"], id: result.items[1].id, "why not": 'it\'s', n: -1.5e3, f: false, z: null, of: { ids: [result.items[0]["node-id"], 2,], }, })"#,
    );
    assert_eq!((rule.server(), rule.tool()), (Some("files"), "move"));
    let sent = json!({ "from": "a", "to": "b" });
    let result = json!({ "items": [{ "node-id": "x" }, { "id": 7 }] });
    let arguments = rule.arguments(sent.as_object().unwrap(), &result).unwrap();
    assert_eq!(
        json!(arguments),
        json!({
            "from": "b", "to": "a", "id": 7, "why not": "it's", "n": -1.5e3, "f": false, "z": null,
            "of": { "ids": ["x", 2] },
        })
    );
    assert!(rule.reads_result() && rule.reads_arguments());
}

#[test]
fn a_part_that_is_missing_or_null_is_named() {
    let sent = json!({ "repo": "birch" });
    let missing = |text: &str, result: Value| {
        let arguments = rule(text).arguments(sent.as_object().unwrap(), &result);
        arguments.unwrap_err().to_string()
    };
    let by_id = r#"drop({ id: result.issue["node-id"][0] })"#;
    assert_eq!(
        missing(by_id, json!({ "issue": {} })),
        r#"`result.issue["node-id"][0]` is missing"#
    );
    assert_eq!(
        missing("drop({ id: result })", Value::Null),
        "`result` is missing"
    );
    assert_eq!(
        missing("drop({ id: result.id })", json!({ "id": null })),
        "`result.id` is missing"
    );
    assert_eq!(
        missing("drop({ of: args[0] })", json!(1)),
        "`args[0]` is missing"
    );
    assert_eq!(
        missing("drop({ of: args.id })", json!(1)),
        "`args.id` is missing"
    );
}

#[test]
fn whole_parts_and_no_arguments_are_possible() {
    let sent = json!({ "repo": "birch" });
    let whole = rule("restore({ made: result, with: args })");
    let arguments = whole.arguments(sent.as_object().unwrap(), &json!("id-1"));
    assert_eq!(
        json!(arguments.unwrap()),
        json!({ "made": "id-1", "with": { "repo": "birch" } })
    );
    for text in ["pop()", " pop ( { } ) "] {
        let pop = rule(text);
        assert_eq!((pop.server(), pop.tool()), (None, "pop"));
        assert!(pop.arguments(&Map::new(), &Value::Null).unwrap().is_empty());
        assert!(!pop.reads_result() && !pop.reads_arguments());
    }
}

#[test]
fn names_with_other_signs_stand_in_quotes() {
    let quoted = rule(r#"tracker."issues.delete"({ id: result.id })"#);
    assert_eq!(
        (quoted.server(), quoted.tool()),
        (Some("tracker"), "issues.delete")
    );
    assert_eq!(rule("issues/delete-one({})").tool(), "issues/delete-one");
    assert_eq!(rule("jira@work.drop()").server(), Some("jira@work"));
}

#[test]
fn an_account_stays_the_same() {
    assert_eq!(rule("drop()").server_for("jira@work"), "jira@work");
    assert_eq!(rule("jira.drop()").server_for("jira@work"), "jira@work");
    assert_eq!(rule("jira.drop()").server_for("jira"), "jira");
    assert_eq!(rule("mail.drop()").server_for("jira@work"), "mail");
}

#[test]
fn what_is_wrong_has_its_place() {
    let places = [
        ("", 1, "the name of a tool"),
        ("drop", 5, "expected `(`"),
        ("drop(7)", 6, "in braces"),
        ("drop({ id: result.id }", 23, "expected `)`"),
        ("drop({ id: result.id }) + 1", 25, "nothing after the call"),
        (
            "drop({ id: results.id })",
            19,
            "a part of `args` or `result`",
        ),
        ("drop({ id: result. })", 20, "expected a name"),
        (
            "drop({ id: result[x] })",
            19,
            "a number, or a name in quotes",
        ),
        ("drop({ id })", 11, "expected `:`"),
        ("drop({ id: 1 to: 2 })", 14, "expected `,` or `}`"),
        ("drop({ id: 1, id: 2 })", 17, "each argument once"),
        ("drop({ id: 'x })", 12, "the quote that it begins with"),
        (r"drop({ id: 'x\n' })", 14, "after `\\`"),
        ("drop({ id: 1.2.3 })", 12, "a number as JSON has it"),
        ("a.b.c()", 4, "stands in quotes"),
        ("drop({ id: delete({}) })", 18, "a part of"),
        ("ü drop({})", 3, "expected `(`"),
    ];
    for (text, column, expected) in places {
        let told = wrong(text);
        assert!(
            told.contains(&format!("at character {column}: ")),
            "{text}: {told}"
        );
        assert!(told.contains(expected), "{text}: {told}");
    }
}

#[test]
fn long_and_deep_texts_are_refused() {
    let long = format!("drop({{ id: '{}' }})", "x".repeat(5000));
    assert!(wrong(&long).contains("more than 4096 bytes"));
    let deep = format!("drop({{ id: {}1{} }})", "[".repeat(1000), "]".repeat(1000));
    assert!(wrong(&deep).contains("nested too deeply"));
    let fits = format!("drop({{ id: {}1{} }})", "[".repeat(16), "]".repeat(16));
    assert!(fits.parse::<UndoRule>().is_ok());
}

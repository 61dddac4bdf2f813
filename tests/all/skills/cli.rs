//! `ampoule skills`.

use ampoule_tests::command::{Ran, Workplace};
use serde_json::Value;

const CODE: &str = "/** Counts open orders. */\nexport async function openOrders(): Promise<number> {\n  const { total } = await tools.demo.listOrders({ status: [\"pending\"] });\n  return total;\n}\n";

fn workplace() -> Workplace {
    let workplace = Workplace::default();
    let binary = ampoule_tests::binary();
    let config = format!(
        "[servers.demo]\ncommand = '{}'\nargs = ['demo-server']\n[skills]\n",
        binary.display()
    );
    workplace.file("ampoule.toml", config);
    std::fs::create_dir_all(workplace.path().join("open-orders")).unwrap();
    workplace.file(
        "open-orders/SKILL.md",
        "---\nname: open-orders\ndescription: Counts open orders\n---\nUse it often.\n",
    );
    workplace.file("open-orders/index.ts", CODE);
    workplace.file(
        "open-orders/example.ts",
        "import { openOrders } from './skills/open-orders';\nreturn await openOrders();\n",
    );
    workplace
}

fn ended(ran: &Ran, code: i32) -> &str {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    ran.stdout.trim_end()
}

#[tokio::test]
async fn skills_are_added_tested_shown_approved_and_removed() {
    let workplace = workplace();
    let none = workplace.run(&["skills"]).await;
    assert!(none.stderr.contains("no skills"), "{none:?}");
    let unknown = workplace.run(&["skills", "add", "open-orders"]).await;
    ended(&unknown, 2);
    assert!(
        unknown.stderr.contains("no answer of demo.list_orders"),
        "{unknown:?}"
    );
    let added = workplace
        .run(&["skills", "add", "open-orders", "--live"])
        .await;
    assert_eq!(
        ended(&added, 0),
        "saved open-orders as version 1: import { openOrders } from \"./skills/open-orders\""
    );
    let ran = workplace
        .run(&[
            "run",
            "-q",
            "-e",
            "import { openOrders } from './skills/open-orders'; return await openOrders() > 0",
        ])
        .await;
    assert_eq!(ended(&ran, 0), "true");
    let tested = workplace.run(&["skills", "test"]).await;
    assert_eq!(ended(&tested, 0), "open-orders: the example runs");
    // The answer that the first version's example got holds for the next one.
    workplace.file(
        "open-orders/index.ts",
        CODE.replace("return total", "return total + 0"),
    );
    let added = workplace
        .run(&["skills", "add", "open-orders", "--json"])
        .await;
    let json: Value = serde_json::from_str(ended(&added, 0)).unwrap();
    assert_eq!(json["version"], 2);
    let diff = workplace.run(&["skills", "diff", "open-orders"]).await;
    let diff = ended(&diff, 0);
    assert!(
        diff.contains("-  return total;") && diff.contains("+  return total + 0;"),
        "{diff}"
    );
    let approved = workplace
        .run(&["skills", "approve", "open-orders", "--version", "1"])
        .await;
    assert_eq!(
        ended(&approved, 0),
        "approved open-orders, version 1: every principal's scripts can now import it"
    );
    let listed = workplace.run(&["skills", "--principal", "ada"]).await;
    assert_eq!(
        ended(&listed, 0),
        "open-orders 1, approved: Counts open orders"
    );
    let shown = workplace.run(&["skills", "show", "open-orders"]).await;
    let shown = ended(&shown, 0);
    for part in [
        "offers:  openOrders(): Promise<number>",
        "needs:   demo.list_orders",
        "== SKILL.md\nUse it often.",
        "== index.ts",
        "== example",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let written = workplace
        .run(&["skills", "show", "open-orders", "--to", "out/open-orders"])
        .await;
    ended(&written, 0);
    let text = std::fs::read_to_string(workplace.path().join("out/open-orders/SKILL.md")).unwrap();
    assert_eq!(
        text,
        "---\nname: open-orders\ndescription: \"Counts open orders\"\n---\n\nUse it often.\n"
    );
    let listed = workplace.run(&["skills", "ls", "--json"]).await;
    let json: Value = serde_json::from_str(ended(&listed, 0)).unwrap();
    assert_eq!(
        (&json[0]["origin"], &json[0]["version"]),
        (&"own".into(), &2.into())
    );
    ended(&workplace.run(&["skills", "rm", "open-orders"]).await, 0);
    let listed = workplace.run(&["skills"]).await;
    assert_eq!(
        ended(&listed, 0),
        "open-orders 1, approved: Counts open orders"
    );
    ended(
        &workplace
            .run(&["skills", "rm", "open-orders", "--approved"])
            .await,
        0,
    );
    let gone = workplace.run(&["skills", "show", "open-orders"]).await;
    ended(&gone, 2);
    assert!(
        gone.stderr.contains("unknown skill `open-orders`"),
        "{gone:?}"
    );
}

#[tokio::test]
async fn what_a_skill_says_does_not_steer_the_terminal() {
    let workplace = workplace();
    let script = r#"return (await skills.save("red", { description: "\u001b[31mred\nlines\u202e", code: "// \u001b[2J\nexport const a = 1" })).version"#;
    let saved = workplace.run(&["run", "-q", "-e", script]).await;
    assert_eq!(ended(&saved, 0), "1");
    for command in [
        &["skills"][..],
        &["skills", "show", "red"],
        &["skills", "diff", "red"],
        &["skills", "test"],
    ] {
        let ran = workplace.run(command).await;
        ended(&ran, 0);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            !all.contains(['\u{1b}', '\u{202e}']),
            "{command:?}: {all:?}"
        );
    }
}

#[tokio::test]
async fn without_the_table_it_is_said_what_to_do() {
    let workplace = Workplace::default();
    let ran = workplace.run(&["skills"]).await;
    ended(&ran, 2);
    assert!(
        ran.stderr.contains("add `[skills]` to ampoule.toml"),
        "{ran:?}"
    );
}

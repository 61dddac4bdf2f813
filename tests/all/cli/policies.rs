//! Policies, as an operator types and tries them.

use ampoule_tests::command::{Served, Workplace};
use serde_json::json;

use super::governance::{comes_to, events, governed};

#[tokio::test]
async fn policies_are_checked_against_the_tools() {
    let workplace = Workplace::default();
    governed(&workplace, "");
    let none = workplace.run(&["policy", "check"]).await;
    assert_eq!(none.code, Some(0), "{none:?}");
    assert!(none.stdout.starts_with("no policies"), "{none:?}");
    workplace.file(
        "policies/a.cedar",
        "forbid(principal, action == Action::\"demo.close_tiket\", resource);\n",
    );
    let wrong = workplace.run(&["policy", "check"]).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stdout.starts_with("a.cedar:1:"), "{wrong:?}");
    assert!(wrong.stdout.contains("demo.close_ticket"), "{wrong:?}");
    let json = workplace.run(&["policy", "check", "--json"]).await.json();
    assert_eq!(json["problems"][0]["severity"], "error");
    // With it, nothing runs.
    let ran = workplace.run(&["run", "-e", "1"]).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("a.cedar:1:"), "{ran:?}");
    workplace.file(
        "policies/a.cedar",
        "@id(\"no\") forbid(principal, action == Action::\"demo.close_ticket\", resource)\nwhen { context.arguments.ticketId == \"TIC-0002\" };\n",
    );
    let right = workplace.run(&["policy", "check"]).await;
    assert!(
        right.stdout.starts_with("the policies are valid ("),
        "{right:?}"
    );
    let cedar = workplace.run(&["policy", "check", "--cedar"]).await;
    assert!(cedar.stdout.contains("// a.cedar:1:1\n"), "{cedar:?}");
}

#[tokio::test]
async fn decisions_are_explained() {
    let workplace = Workplace::default();
    governed(
        &workplace,
        "[roles.support]\nprincipals = ['ada']\ngroups = ['support']\ntools = ['demo']\ndestructive = 'ask'\n\
        [labels.gives]\n'demo.get_customer' = 'customers'\n[labels.refuses]\n'demo.create_ticket' = 'customers'",
    );
    let explain = async |more: &[&str]| {
        let arguments = [&["policy", "explain", "--json"], more].concat();
        let ran = workplace.run(&arguments).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()
    };
    let close = [
        "--call",
        "demo.close_ticket {\"ticketId\": \"x\", \"resolution\": \"y\"}",
    ];
    let nobody = explain(&close).await;
    assert_eq!(
        (&nobody["decision"], &nobody["exists"]),
        (&json!("deny"), &json!(false))
    );
    for who in [["--principal", "ada"], ["--group", "support"]] {
        let asked = explain(&[&who[..], &close].concat()).await;
        assert_eq!(asked["decision"], "ask", "{asked}");
    }
    let create =
        "demo.create_ticket {\"customerId\": \"CUS-0001\", \"subject\": \"s\", \"text\": \"b\"}";
    let labelled = [
        "--principal",
        "ada",
        "--labels",
        "customers",
        "--call",
        create,
    ];
    let denied = explain(&labelled).await;
    assert_eq!(denied["decision"], "deny", "{denied}");
    assert_eq!(denied["labels"][0]["read"]["from"], "--labels");
    for (call, said) in [
        ("close", "write `server.tool {\"argument\": 1}`, or `model`"),
        ("demo.close_ticket {", "the arguments: "),
    ] {
        let ran = workplace.run(&["policy", "explain", "--call", call]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
    let ran = workplace
        .run(&["policy", "explain", "--call", "model", "--run", "x"])
        .await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("add `[audit]` to ampoule.toml"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn cases_are_tried() {
    let workplace = Workplace::default();
    governed(
        &workplace,
        "[roles.a]\ntools = ['demo']\ndestructive = 'deny'",
    );
    let case = |expect: &str| {
        format!("[[case]]\nprincipal = 'x'\ncall = 'demo.close_ticket'\nexpect = '{expect}'\n")
    };
    workplace.file("cases.toml", case("absent"));
    let right = workplace.run(&["policy", "test", "cases.toml"]).await;
    assert_eq!(right.code, Some(0), "{right:?}");
    assert!(right.stdout.ends_with("1 of 1 cases pass\n"), "{right:?}");
    workplace.file("cases.toml", case("absent") + &case("allow"));
    let wrong = workplace.run(&["policy", "test", "cases.toml"]).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stdout.contains("FAILED: cases.toml:5:"), "{wrong:?}");
    workplace.file("cases.toml", "[[case]]\nprincipal = 1");
    let broken = workplace.run(&["policy", "test", "cases.toml"]).await;
    assert_eq!(broken.code, Some(2), "{broken:?}");
    assert!(broken.stderr.contains("cases.toml:2:13"), "{broken:?}");
    let missing = workplace.run(&["policy", "test", "none.toml"]).await;
    assert!(
        missing.stderr.contains("none.toml can't be read"),
        "{missing:?}"
    );
}

#[tokio::test]
async fn policies_that_are_half_written_do_not_hold_and_those_of_before_do() {
    let workplace = Workplace::default();
    governed(&workplace, "audit = {}");
    let forbid = "forbid(principal, action == Action::\"demo.create_ticket\", resource);\n";
    workplace.file("policies/a.cedar", forbid);
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut id = 0;
    let mut denied = async |served: &mut Served| {
        id += 1;
        let code = "try { await tools.demo.createTicket({ customerId: 'CUS-0001', subject: 's', text: 'b' }); return 'made' } catch (error) { return error.message }";
        let call = json!({ "name": "execute_code", "arguments": { "code": code } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call });
        let answer = served.ask(request).await.to_string();
        !answer.contains("made")
    };
    assert!(denied(&mut served).await);
    workplace.file("policies/a.cedar", &forbid[..40]);
    comes_to(&workplace, "configuration", "failed").await;
    assert!(denied(&mut served).await);
    workplace.file(
        "policies/a.cedar",
        "forbid(principal, action == Action::\"demo.close_ticket\", resource);\n",
    );
    for _ in 0..600 {
        if !events(&workplace, "policy-changed").await.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(!denied(&mut served).await);
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn policies_that_come_later_hold_from_then_on() {
    let workplace = Workplace::default();
    governed(&workplace, "");
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut id = 0;
    let mut read = async |served: &mut Served| {
        id += 1;
        let code = "return `there are ${(await tools.demo.listProducts({})).total}`";
        let call = json!({ "name": "execute_code", "arguments": { "code": code } });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call });
        served.ask(request).await.to_string()
    };
    assert!(read(&mut served).await.contains("there are 40"));
    let forbid = "forbid(principal, action == Action::\"demo.list_products\", resource);\n";
    workplace.file("policies/a.cedar", forbid);
    let mut told = String::new();
    for _ in 0..600 {
        told = read(&mut served).await;
        // A run that began before is denied at the call.
        if !told.contains("there are 40") && !told.contains("a policy forbids") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(told.contains("has no tool `listProducts`"), "{told}");
    assert_eq!(served.close().await, Some(0));
}

//! `ampoule run`: scripts, what they print and return, how they end, and what they are given.

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::{binary, repository};
use serde_json::{Value, json};

async fn run(arguments: &[&str]) -> Ran {
    Workplace::default().run(arguments).await
}

#[tokio::test]
async fn a_script_comes_from_a_file_or_standard_input_or_an_argument() {
    let workplace = Workplace::default();
    workplace.file("sum.ts", "const n: number = 41; return n + 1");
    assert_eq!(workplace.run(&["run", "sum.ts"]).await.json(), 42);
    let script = b"enum Size { small = 7 } return Size.small";
    let ran = workplace.run_with_input(&["run", "-"], script).await;
    assert_eq!(ran.json(), 7);
    assert_eq!(run(&["run", "-e", "1 + 1"]).await.json(), 2);
}

#[tokio::test]
async fn output_and_errors_are_kept_apart() {
    let script = "console.log('log'); console.warn('warn'); console.error('error'); console.info('info'); return { done: true }";
    let ran = run(&["run", "-e", script]).await;
    assert_eq!(ran.stdout, "log\ninfo\n{\n  \"done\": true\n}\n");
    let told: Vec<&str> = ran.stderr.lines().collect();
    assert!(
        told.contains(&"warn") && told.contains(&"error"),
        "{told:?}"
    );
    assert!(
        told.iter().any(|line| line.contains("units of fuel")),
        "{told:?}"
    );
    let ran = run(&["run", "--quiet", "-e", "console.log(1)"]).await;
    assert_eq!(ran.stdout, "1\n");
    assert!(!ran.stderr.contains("units of fuel"), "{}", ran.stderr);
    let ran = run(&[
        "run",
        "-e",
        "console.log('before'); throw new RangeError('far')",
    ])
    .await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "before\n"));
    assert!(
        ran.stderr.contains("RangeError: far") && ran.stderr.contains("throw new RangeError"),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn json_tells_how_a_run_ended() {
    let script = "console.log('a'); console.error('b'); return (await tools.demo.listProducts({})).items.length > 0";
    let ran = run(&["run", "--json", "-e", script]).await;
    let document = ran.json();
    assert_eq!(
        (&document["ending"], &document["value"]),
        (&json!("returned"), &json!(true))
    );
    assert_eq!(
        document["output"],
        json!([{"level": "log", "text": "a"}, {"level": "error", "text": "b"}])
    );
    let usage = &document["usage"];
    assert!(
        usage["fuel"].as_u64().is_some_and(|fuel| fuel > 1000),
        "{usage}"
    );
    assert_eq!(usage["calls"][0]["server"], "demo");
    assert_eq!(usage["calls"][0]["end"], "returned");

    let ran = run(&["run", "--json", "-e", "\nthrow new TypeError('no')"]).await;
    let document = ran.json();
    assert_eq!(ran.code, Some(1));
    assert_eq!(document["ending"], "threw");
    let error = &document["error"];
    assert_eq!(
        (&error["name"], &error["message"]),
        (&json!("TypeError"), &json!("no"))
    );
    assert_eq!(error["location"]["line"], 2);

    let ran = run(&["run", "--json", "--fuel", "10_000_000", "-e", "for (;;);"]).await;
    let document = ran.json();
    assert_eq!(ran.code, Some(3));
    assert_eq!(
        (
            &document["ending"],
            &document["limit"],
            &document["allowed"],
            &document["unit"]
        ),
        (
            &json!("limit"),
            &json!("fuel"),
            &json!(10_000_000),
            &json!("units")
        )
    );
}

#[tokio::test]
async fn a_failed_run_tells_which_calls_it_made() {
    let script = "await tools.demo.listProducts({});
        await tools.demo.createTicket({ customerId: 'CUS-0001', subject: 'a', text: 'b' });
        throw new Error('x')";
    let ran = run(&["run", "--quiet", "-e", script]).await;
    assert!(
        ran.stderr
            .contains("- demo.create_ticket({\"customerId\":\"CUS-0001\",")
            && ran.stderr.contains("): done"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("list_products("), "{}", ran.stderr);
    let ran = run(&["run", "--json", "-e", script]).await;
    let log = &ran.json()["callLog"];
    assert_eq!(
        (&log["calls"][0]["tool"], &log["calls"][0]["result"]),
        (&json!("create_ticket"), &json!("done"))
    );
    assert_eq!(log["reads"], 1);
    assert!(
        log["text"]
            .as_str()
            .is_some_and(|text| text.contains("): done")),
        "{log}"
    );
}

#[tokio::test]
async fn limits_end_a_run_with_a_code_of_their_own() {
    let hang = "await new Promise((done) => setTimeout(done, 60_000))";
    let grow = "const all = []; for (;;) all.push(new Array(1000).fill(all.length))";
    for (flags, script, limit) in [
        (["--timeout", "100ms"], hang, "wall-time limit"),
        (["--fuel", "10000000"], "for (;;);", "fuel limit"),
        (["--memory", "16MiB"], grow, "memory limit"),
    ] {
        let ran = run(&["run", flags[0], flags[1], "-e", script]).await;
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.contains(limit), "{ran:?}");
    }
}

#[tokio::test]
async fn a_reader_that_goes_away_changes_nothing_about_how_a_run_ended() {
    let workplace = Workplace::default();
    for (script, code) in [("throw new Error('x')", 1), ("return 1", 0)] {
        let script = format!("await new Promise((done) => setTimeout(done, 200)); {script}");
        let mut child = workplace
            .command(binary(), &["run", "--json", "-e", &script])
            .spawn()
            .expect("a process");
        drop(child.stdout.take());
        let status = child.wait().await.expect("a status");
        assert_eq!(status.code(), Some(code), "{script}");
    }
}

#[tokio::test]
async fn env_is_given_to_the_script_and_the_processs_own_is_not() {
    let script = "return [env, typeof process]";
    let ran = run(&[
        "run",
        "--env",
        "REGION=eu",
        "--env",
        "QUERY=a=b",
        "-e",
        script,
    ])
    .await;
    assert_eq!(
        ran.json(),
        json!([{"REGION": "eu", "QUERY": "a=b"}, "undefined"])
    );
}

#[tokio::test]
async fn strings_come_from_the_command_line_and_from_files() {
    let workplace = Workplace::default();
    let text = "a \"quoted\" `text`\nof ${two} lines\\n";
    workplace.file("body.txt", text);
    let script = "return [strings.body, strings['the title'], Object.keys(strings).length]";
    let strings = ["--string", "body=@body.txt", "--string", "the title=t=1"];
    let run = ["run", "-e", script];
    let ran = workplace.run(&[&run[..], &strings[..]].concat()).await;
    assert_eq!(ran.json(), json!([text, "t=1", 2]), "{ran:?}");
    let python = ["run", "--language", "python", "-e", "strings.body"];
    let ran = workplace.run(&[&python[..], &strings[..]].concat()).await;
    assert_eq!(ran.stdout.trim_end_matches('\n'), text);
    let missing = ["--string", "body=@nothing.txt"];
    let ran = workplace.run(&[&run[..], &missing[..]].concat()).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr
            .contains("--string body=@nothing.txt: the file can't be read: "),
        "{}",
        ran.stderr
    );
    // They are part of what the run holds.
    let large = "x".repeat(100_000);
    workplace.file(
        "ampoule.toml",
        "[limits]\nhost-bytes = \"64KiB\"\n[servers.demo]\ncommand = \"ampoule\"\nargs = [\"demo-server\"]\n",
    );
    workplace.file("large.txt", large);
    let given = ["--string", "large=@large.txt"];
    let ran = workplace.run(&[&run[..], &given[..]].concat()).await;
    assert_eq!(ran.code, Some(3), "{ran:?}");
}

#[tokio::test]
async fn only_granted_tools_can_be_called() {
    let script = "const names = (await tools.$search('', { limit: 100 })).map((tool) => tool.name);
        try { await tools.demo.createTicket({}) } catch (error) { return { names, error: error.message } }";
    let ran = run(&[
        "run",
        "--tools",
        "demo.get_*,demo.list_orders",
        "-e",
        script,
    ])
    .await;
    let value = ran.json();
    assert_eq!(
        value["names"],
        json!([
            "get_business",
            "get_customer",
            "get_order",
            "get_product",
            "list_orders"
        ])
    );
    let error = value["error"].as_str().expect("a message");
    assert!(
        error.contains("createTicket") && error.contains("listOrders"),
        "{error}"
    );
}

#[tokio::test]
async fn the_first_command_of_the_readme_gives_the_exact_report() {
    let report = repository().join("examples/quarterly-report.ts");
    let report = report.to_str().expect("a path");
    let ran = run(&["run", report]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json = &ran.stdout[ran.stdout.rfind("\n{\n").expect("a result")..];
    let value: Value = serde_json::from_str(json).expect("JSON");
    let tickets: Vec<String> = (31..40).map(|number| format!("TIC-{number:04}")).collect();
    assert_eq!(
        value,
        json!({"quarter": "2026-Q3", "orders": 570, "revenueEurCents": 251_620_802, "overdueAccounts": 9, "overdueEurCents": 10_010_565, "tickets": tickets})
    );
    assert!(
        ran.stdout
            .starts_with("Birch & Bolt, 2026-Q3: 534 of 570 orders sold, 2,516,208.02 EUR\n"),
        "{}",
        ran.stdout
    );
    let cost = ran.stderr.lines().last().expect("what it cost");
    assert!(
        cost.contains("tokens for a model that makes these 16 calls itself"),
        "{cost}"
    );
}

#[tokio::test]
async fn numbers_are_printed_to_their_last_digit() {
    let workplace = Workplace::default();
    let digits = "1000000000000000000000000000001";
    let code = "[10 ** 30 + 1, {'a': []}]";
    let run = ["run", "-q", "--language", "python", "-e", code];
    let ran = workplace.run(&run).await;
    assert_eq!(
        ran.stdout,
        format!("[\n  {digits},\n  {{\n    \"a\": []\n  }}\n]\n")
    );
    let ran = workplace.run(&[&run[..], &["--json"]].concat()).await;
    assert!(
        ran.stdout
            .contains(&format!("\"value\": [\n    {digits},\n")),
        "{}",
        ran.stdout
    );
}

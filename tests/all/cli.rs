//! The command line: `ampoule run` and `ampoule tools`.

use std::path::PathBuf;

use ampoule_tests::command::{Ran, Workplace, ended};
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
async fn a_fault_of_the_host_has_a_code_of_its_own() {
    let workplace = Workplace::default();
    let folder = std::fs::File::open(workplace.path()).expect("a folder");
    let mut command = workplace.command(binary(), &["run", "-"]);
    command.stdin(folder);
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("directory"), "{ran:?}");
}

#[tokio::test]
async fn runs_go_on_where_address_space_is_short() {
    let workplace = Workplace::default();
    let script = "ulimit -v 3000000; exec \"$0\" run -e 'return \"x\".repeat(2e7).length'";
    let binary = binary();
    let ran =
        ended(workplace.command("sh", &["-c", script, binary.to_str().expect("a path")])).await;
    assert_eq!(ran.json(), 20_000_000, "{ran:?}");
    assert!(ran.stderr.contains("no pool of isolates"), "{ran:?}");
}

#[tokio::test]
async fn wrong_usage_has_a_code_of_its_own_and_says_what_is_wrong() {
    let workplace = Workplace::default();
    workplace.file("latin1.ts", b"return '\xe9'");
    let cases: [(&[&str], &str); 13] = [
        (&["run"], "<FILE|--eval <CODE>>"),
        (&["run", "--nope", "-e", "1"], "'--nope'"),
        (&["run", "file.ts", "-e", "1"], "cannot be used with"),
        (&["run", "missing.ts"], "missing.ts can't be read"),
        (&["run", "latin1.ts"], "UTF-8"),
        (
            &["run", "--timeout", "soon", "-e", "1"],
            "`soon` is not a duration",
        ),
        (&["run", "--memory", "4 apples", "-e", "1"], "is not a size"),
        (&["run", "--fuel", "x", "-e", "1"], "is not a number"),
        (
            &["run", "--memory", "4GiB", "-e", "1"],
            "above the ceiling of 1073741824 bytes",
        ),
        (&["run", "--env", "novalue", "-e", "1"], "write KEY=VALUE"),
        (
            &["run", "--tools", "demmo", "-e", "1"],
            "there is no server `demmo` to grant tools of; did you mean `demo`? Servers: demo",
        ),
        (
            &["run", "--config", "missing.toml", "-e", "1"],
            "missing.toml: it can't be read",
        ),
        (&["walk"], "unrecognized subcommand 'walk'"),
    ];
    for (arguments, message) in cases {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(
            ran.stderr.contains(message),
            "{arguments:?}: {}",
            ran.stderr
        );
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
async fn tools_are_listed_found_and_shown() {
    let workplace = Workplace::default();
    let listed = workplace.run(&["tools"]).await;
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.stdout.lines().count() >= 12, "{}", listed.stdout);
    assert!(
        listed
            .stdout
            .lines()
            .all(|line| line.starts_with("demo.") && line.contains("  ")),
        "{}",
        listed.stdout
    );
    let found = workplace
        .run(&["tools", "search", "--limit", "2", "open", "a", "ticket"])
        .await;
    assert_eq!(found.stdout.lines().count(), 2, "{}", found.stdout);
    assert!(
        found.stdout.starts_with("demo.createTicket "),
        "{}",
        found.stdout
    );

    let shown = workplace.run(&["tools", "show", "demo.createTicket"]).await;
    assert!(
        shown.stdout.contains("function createTicket(args: {")
            && shown
                .stdout
                .contains("\"low\" | \"normal\" | \"high\" | \"urgent\""),
        "{}",
        shown.stdout
    );
    assert!(!shown.stdout.contains("listOrders"), "{}", shown.stdout);
    let shown = workplace
        .run(&["tools", "show", "demo", "--format", "json"])
        .await
        .json();
    let tools = shown["tools"].as_array().expect("a list");
    assert_eq!(tools.len(), listed.stdout.lines().count());
    assert!(
        tools
            .iter()
            .all(|tool| tool["inputSchema"]["type"] == "object" && tool["name"].is_string()),
        "{shown}"
    );
    for (name, near) in [("demo.createTickets", "createTicket"), ("dem", "demo")] {
        let unknown = workplace.run(&["tools", "show", name]).await;
        assert_eq!(unknown.code, Some(2), "{unknown:?}");
        assert!(unknown.stderr.contains(near), "{unknown:?}");
    }
}

#[tokio::test]
async fn a_server_that_changed_is_seen_and_one_that_is_gone_is_missed() {
    let workplace = Workplace::default();
    let server = |tool: &str| {
        let script = format!(
            r#"while read -r line; do
            id=${{line#*\"id\":}}; id=${{id%%[,\}}]*}}
            case "$line" in
                *server/discover*) echo "{{\"id\":$id,\"error\":{{\"code\":-32601,\"message\":\"no\"}}}}";;
                *'"initialize"'*) echo "{{\"id\":$id,\"result\":{{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{{}}}}}}";;
                *tools/list*) echo "{{\"id\":$id,\"result\":{{\"tools\":[{{\"name\":\"{tool}\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}}}";;
                *tools/call*) echo "{{\"id\":$id,\"result\":{{\"structuredContent\":\"{tool}\"}}}}";;
            esac; done"#
        );
        workplace.file("server.sh", script)
    };
    let file = server("old");
    let config = format!(
        "[servers.shop]\ncommand = 'sh'\nargs = ['{}']\n",
        file.display()
    );
    workplace.file("ampoule.toml", config);
    assert_eq!(workplace.run(&["tools"]).await.stdout, "shop.old  \n");
    server("new");
    let ran = workplace
        .run(&["run", "-e", "return await tools.shop.new({})"])
        .await;
    assert_eq!(ran.json(), "new", "{ran:?}");
    server("newer");
    assert_eq!(workplace.run(&["tools"]).await.stdout, "shop.newer  \n");
    std::fs::remove_file(file).expect("it is there");
    let ran = workplace.run(&["tools"]).await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(1), "shop.newer  \n"),
        "{ran:?}"
    );
    assert!(
        ran.stderr
            .contains("Its tools are shown as they were last known"),
        "{ran:?}"
    );
}

/// The files of compiled code below a cache folder.
fn compiled(workplace: &Workplace) -> Vec<PathBuf> {
    let folder = workplace.path().join("cache/ampoule/code");
    let files = std::fs::read_dir(folder).expect("the cache");
    files.map(|file| file.expect("a file").path()).collect()
}

#[tokio::test]
async fn damaged_code_in_the_cache_is_built_again() {
    let workplace = Workplace::default();
    let cached = || {
        let mut command = workplace.command(binary(), &["run", "-e", "return 20 + 22"]);
        command.env("XDG_CACHE_HOME", workplace.path().join("cache"));
        ended(command)
    };
    assert_eq!(cached().await.json(), 42);
    let [file] = &compiled(&workplace)[..] else {
        panic!("{:?}", compiled(&workplace));
    };
    let sound = std::fs::read(file).expect("compiled code");
    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xcc);
    std::fs::write(file, &damaged).expect("it is ours");
    let ran = cached().await;
    assert_eq!(ran.json(), 42);
    assert!(
        ran.stderr.contains("compiled code is not trusted"),
        "{ran:?}"
    );
    let [file] = &compiled(&workplace)[..] else {
        panic!("{:?}", compiled(&workplace));
    };
    assert_eq!(std::fs::read(file).expect("compiled code"), sound);
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

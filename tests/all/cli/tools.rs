//! `ampoule tools`: what is listed, found and shown.

use ampoule_tests::command::Workplace;

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
    let nothing = workplace.run(&["tools", "search", "", " "]).await;
    assert_eq!(nothing.code, Some(2), "{nothing:?}");
    assert!(nothing.stderr.contains("`ampoule tools ls`"), "{nothing:?}");

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
        .run(&["tools", "show", "demo", "--json"])
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
                *server/discover*) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{{\"code\":-32601,\"message\":\"no\"}}}}";;
                *'"initialize"'*) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{{}}}}}}";;
                *tools/list*) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"tools\":[{{\"name\":\"{tool}\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}}}";;
                *tools/call*) echo "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{{\"structuredContent\":\"{tool}\"}}}}";;
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
    assert_eq!(ran.stdout, "new\n", "{ran:?}");
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
            .contains("Its tools are from the last known list"),
        "{ran:?}"
    );
}

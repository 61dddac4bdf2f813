//! Toolkits on the command line.

use std::fs;

use serde_json::{Value, json};

use super::{TOOLKITS, names, workplace, write};

#[tokio::test]
async fn commands_take_a_toolkit() {
    let workplace = workplace("");
    let listed = workplace
        .run(&["tools", "ls", "--json", "--toolkit", "reports"])
        .await;
    let listed = names(&listed);
    assert!(
        listed.len() > 1 && listed.iter().all(|it| it.starts_with("demo.list")),
        "{listed:?}"
    );
    let shown = workplace
        .run(&["tools", "show", "demo", "--toolkit", "support"])
        .await;
    assert!(
        shown.stdout.contains("getOrder") && !shown.stdout.contains("listOrders"),
        "{shown:?}"
    );
    let found = workplace.run(&[
        "tools",
        "search",
        "list orders",
        "--json",
        "--toolkit",
        "support",
    ]);
    assert!(names(&found.await).iter().all(|it| !it.contains("list")));

    let cost = async |toolkit: &[&str]| {
        let arguments = [&["tools", "cost", "--json"], toolkit].concat();
        let counted = workplace.run(&arguments).await.json();
        ["tools", "directly"].map(|key| counted["all"][key].as_u64())
    };
    let (part, whole) = (cost(&["--toolkit", "reports"]).await, cost(&[]).await);
    let is_less = part
        .iter()
        .zip(&whole)
        .all(|(part, whole)| part.is_some() && part < whole);
    assert!(is_less, "{part:?} {whole:?}");

    workplace.file(
        "close.ts",
        "return await tools.demo.closeTicket({ ticketId: 'TIC-1', resolution: 'done' })",
    );
    let right = workplace
        .run(&["check", "close.ts", "--toolkit", "support"])
        .await;
    let wrong = workplace
        .run(&["check", "close.ts", "--toolkit", "reports"])
        .await;
    assert_eq!(
        (right.code, wrong.code),
        (Some(0), Some(1)),
        "{right:?} {wrong:?}"
    );
    let ran = async |more: &[&str]| {
        let code = "return (await tools.demo.listOrders()).items.length > 0";
        workplace
            .run(&[&["run", "-q", "-e", code], more].concat())
            .await
    };
    assert_eq!(ran(&["--toolkit", "reports"]).await.stdout, "true\n");
    // It can only narrow.
    for more in [
        &["--toolkit", "support"][..],
        &["--toolkit", "reports", "--tools", "demo.get_order"],
    ] {
        let refused = ran(more).await;
        assert_ne!(refused.code, Some(0), "{refused:?}");
    }
    let looked = workplace.run(&["doctor", "--json"]).await.json();
    assert_eq!(looked["toolkits"][1]["name"], "support", "{looked}");
}

#[tokio::test]
async fn an_unknown_toolkit_is_an_error_and_a_pattern_without_tools_a_warning() {
    let workplace = workplace("");
    let near = "--toolkit suport: unknown toolkit; did you mean `support`?";
    for command in [
        &["serve"][..],
        &["run", "-e", "return 1"],
        &["check", "-"],
        &["tools"],
        &["tools", "cost"],
        &["tools", "generate", "--lang", "wit", "--out", "out"],
        &[
            "clients",
            "install",
            ".mcp.json",
            "--config",
            "ampoule.toml",
        ],
    ] {
        let arguments = [command, &["--toolkit", "suport"]].concat();
        let ran = workplace.run_with_input(&arguments, b"").await;
        assert_eq!(ran.code, Some(2), "{command:?}: {ran:?}");
        assert!(ran.stderr.contains(near), "{command:?}: {ran:?}");
    }
    let both = workplace
        .run(&["serve", "--http", "0", "--toolkit", "support"])
        .await;
    assert_eq!(both.code, Some(2), "{both:?}");
    assert!(both.stderr.contains("/mcp/NAME"), "{both:?}");

    let config = "[toolkits.odd]\ntools = ['demo.gte_order', 'demo.get_order']\n";
    write(&workplace, config);
    let ran = workplace
        .run(&["tools", "ls", "--json", "--toolkit", "odd"])
        .await;
    assert_eq!(names(&ran), ["demo.getOrder"], "{ran:?}");
    assert!(ran.stderr.contains("[toolkits.odd] tools: "), "{ran:?}");
    let warnings = workplace.run(&["doctor", "--json"]).await.json()["warnings"].take();
    let warning = warnings[0].as_str().unwrap_or_default();
    assert!(
        warning.starts_with("[toolkits.odd] tools: `demo.gte_order`"),
        "{warnings}"
    );

    // As soon as it starts: which tools the server has is known from before.
    for arguments in [&["serve"][..], &["serve", "--toolkit", "odd"]] {
        let served = workplace.run_with_input(arguments, b"").await;
        assert_eq!(served.code, Some(0), "{served:?}");
        let warned = served.stderr.matches("[toolkits.odd] tools: ").count();
        assert_eq!(warned, 1, "{served:?}");
        assert!(served.stderr.contains("demo.gte_order"), "{served:?}");
    }

    write(
        &workplace,
        &format!("{TOOLKITS}[roles.a]\ntools = ['*']\ntoolkits = ['suport']\n"),
    );
    let served = workplace.run_with_input(&["serve"], b"").await;
    assert_eq!(served.code, Some(2), "{served:?}");
    assert!(
        served
            .stderr
            .contains("roles.a.toolkits[0]: unknown toolkit"),
        "{served:?}"
    );
}

#[tokio::test]
async fn a_client_is_given_a_toolkit() {
    let workplace = workplace("");
    let install = [
        "clients",
        "install",
        ".mcp.json",
        "--config",
        "ampoule.toml",
    ];
    let ran = workplace
        .run(&[&install[..], &["--toolkit", "support"]].concat())
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let written = fs::read_to_string(workplace.path().join(".mcp.json")).expect("a file");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    let arguments = written["mcpServers"]["ampoule"]["args"]
        .as_array()
        .expect("arguments");
    assert!(
        arguments.ends_with(&[json!("--toolkit"), json!("support")]),
        "{written}"
    );
}

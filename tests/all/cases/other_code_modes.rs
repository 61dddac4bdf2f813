//! Scripts that were written for other hosted code modes: they run as they are, or one sentence says
//! what to write instead.

use ampoule_tests::command::{Ran, Served, Workplace};
use serde_json::{Value, json};

const INVENTORY: &str = r#"{"sku": "A", "units": 3}"#;

fn listed(workplace: &Workplace, name: &str, tools: &[&str]) {
    let tool = |name: &&str| {
        json!({
            "name": name, "description": format!("What {name} does."),
            "inputSchema": {"type": "object", "properties": {"sku": {"type": "string"}}},
        })
    };
    let answer = |name: &&str| {
        let answer = json!({"content": [{"type": "text", "text": INVENTORY}]});
        ((*name).to_owned(), answer)
    };
    let listed = json!({
        "tools": tools.iter().map(tool).collect::<Vec<_>>(),
        "answers": tools.iter().map(answer).collect::<serde_json::Map<_, _>>(),
    });
    workplace.file(&format!("{name}.json"), listed.to_string());
}

/// One with these servers, each with these tools.
fn workplace(servers: &[(&str, &[&str])]) -> Workplace {
    let workplace = Workplace::default();
    let mut config = String::new();
    for (name, tools) in servers {
        listed(&workplace, name, tools);
        config += &format!(
            "[servers.{name}]\ncommand = '{}'\nargs = ['{name}.json']\n",
            env!("CARGO_BIN_EXE_listed-server")
        );
    }
    workplace.file("ampoule.toml", config);
    workplace
}

fn usual() -> Workplace {
    workplace(&[("t", &["get_inventory"])])
}

async fn run(workplace: &Workplace, source: &str) -> Ran {
    workplace
        .run(&["run", "-q", "--language", "typescript", "-e", source])
        .await
}

async fn run_python(workplace: &Workplace, source: &str) -> Ran {
    workplace
        .run(&["run", "-q", "--language", "python", "-e", source])
        .await
}

async fn prints(workplace: &Workplace, source: &str, printed: &str) {
    let ran = run(workplace, source).await;
    assert_eq!(
        (ran.code, ran.stdout.trim_end()),
        (Some(0), printed),
        "{source}: {ran:?}"
    );
}

async fn fails(workplace: &Workplace, source: &str, said: &[&str]) {
    let ran = run(workplace, source).await;
    assert_eq!(ran.code, Some(1), "{source}: {ran:?}");
    for said in said {
        assert!(ran.stderr.contains(said), "{source}: {said}: {ran:?}");
    }
}

#[tokio::test]
async fn scripts_of_other_code_modes_run_as_they_are() {
    let workplace = usual();
    for (source, printed) in [
        (
            "const [a, b] = await Promise.all([tools.get_inventory({ sku: \"A\" }), tools.get_inventory({ sku: \"B\" })]);
text(JSON.stringify({ short: [a, b].filter((x) => x.units < 10).map((x) => x.sku) }));",
            r#"{"short":["A","A"]}"#,
        ),
        ("notify(\"counting\");\nawait yield_control();\njson(42);", "42"),
        (
            "text(\"stopped early\");\nexit();\nawait tools.t.get_inventory({ sku: \"C\" });",
            "stopped early",
        ),
        (
            "const r = await external_get_inventory({ sku: \"A\" });\nreturn r.units;",
            "3",
        ),
        (
            "text(ALL_TOOLS.map((t) => t.name).filter((n) => n.includes('inventory')));",
            r#"["get_inventory"]"#,
        ),
        (
            "const found = await tools.search(\"inventory\");
return (await tools.call(found[0].id ?? found[0].name, { sku: \"A\" })).units;",
            "3",
        ),
        ("return (await tools.t__get_inventory({})).units", "3"),
        ("return (await tools.mcp__t__get_inventory({})).units", "3"),
        ("store('k', [1]); return load('k')", "[\n  1\n]"),
        ("return load('k') ?? 'nothing'", "nothing"),
        ("const text = 'own'; return text", "own"),
    ] {
        prints(&workplace, source, printed).await;
    }
    let calls = workplace.run(&[
        "run",
        "--json",
        "-e",
        "const a = tools.t.get_inventory({}); text('x'); exit(); await a",
    ]);
    let document = calls.await.json();
    assert_eq!(document["ending"], "returned", "{document}");
    assert_eq!(document["output"][0]["text"], "x", "{document}");
}

#[tokio::test]
async fn what_is_stored_is_there_for_the_next_run_of_the_session() {
    let workplace = usual();
    let session = async |source: &str| {
        let arguments = [
            "run",
            "-q",
            "--session",
            "s",
            "--language",
            "typescript",
            "-e",
            source,
        ];
        workplace.run(&arguments).await
    };
    assert_eq!(
        session("store(\"k\", { n: \"kept\" });").await.code,
        Some(0)
    );
    let loaded = session("text(load(\"k\").n);").await;
    assert_eq!(
        (loaded.code, loaded.stdout.as_str()),
        (Some(0), "kept\n"),
        "{loaded:?}"
    );
    // One that ended early leaves what it did before, and nothing else of it goes on.
    let ended = session(
        "let n = 1; (async () => { await 1; n = 2 })(); store('k', { n: 'later' }); exit(); n = 3",
    )
    .await;
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), ""),
        "{ended:?}"
    );
    let loaded = session("return [load('k').n, n]").await;
    assert_eq!(loaded.stdout, "[\n  \"later\",\n  1\n]\n", "{loaded:?}");
    // What a later run declares is its own.
    let own = session("const text = (x) => x + 1; return text(1)").await;
    assert_eq!(own.stdout, "2\n", "{own:?}");
    let refused = session("store('f', () => 1)").await;
    assert_eq!(refused.code, Some(1));
    assert!(
        refused
            .stderr
            .contains("store can't keep the value for \"f\""),
        "{refused:?}"
    );
    prints(&workplace, "return load('k') ?? 'nothing'", "nothing").await;
}

#[tokio::test]
async fn what_may_be_two_things_is_told_with_both() {
    let workplace = workplace(&[
        ("a", &["get_inventory", "search"]),
        ("b", &["get_inventory"]),
    ]);
    let both = ["a.getInventory", "b.getInventory"];
    for source in [
        "return await tools.get_inventory({ sku: 'A' })",
        "return await tools.call('get_inventory', { sku: 'A' })",
        "return await external_get_inventory({ sku: 'A' })",
        "return await callTool('get_inventory', { sku: 'A' })",
    ] {
        fails(&workplace, source, &both).await;
    }
    let search = ["tools.a.search(", "tools.$search("];
    fails(
        &workplace,
        "return await tools.search('inventory')",
        &search,
    )
    .await;
    prints(
        &workplace,
        "return (await tools.search({ sku: 'A' })).units",
        "3",
    )
    .await;
    let names = r#"["a__get_inventory","search","b__get_inventory"]"#;
    prints(&workplace, "text(ALL_TOOLS.map((t) => t.name))", names).await;
    prints(
        &workplace,
        "const [found] = tools.$search('inventory'); return (await tools.call(found.id, {})).units",
        "3",
    )
    .await;
    let unknown = ["get_inventry"];
    fails(&workplace, "await external_get_inventry({})", &unknown).await;
    fails(&workplace, "await tools.call('get_inventry', {})", &unknown).await;
}

#[tokio::test]
async fn servers_of_such_names_are_those_servers() {
    let workplace = workplace(&[
        ("call", &["get_inventory"]),
        ("search", &["find"]),
        ("text", &["draw"]),
    ]);
    for source in [
        "return (await tools.call.get_inventory({})).units",
        "return (await tools.search.find({})).units",
        "return (await tools.text.draw({})).units",
        "return (await text.draw({})).units",
    ] {
        prints(&workplace, source, "3").await;
    }
}

#[tokio::test]
async fn clients_get_what_such_scripts_say() {
    let workplace = usual();
    let mut served = Served::greeted(&workplace, &[]).await;
    let png = "iVBORw0KGgoAAAA=";
    let code = format!(
        "text('above'); notify('aside'); image('data:image/png;base64,{png}'); exit(); text('no')"
    );
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "execute_code", "arguments": {"code": code}},
    });
    let answer = served.ask(request).await;
    let content = answer["result"]["content"].as_array().expect("content");
    let texts: Vec<&str> = content
        .iter()
        .filter_map(|it| it["text"].as_str())
        .collect();
    let texts = texts.join("\n");
    assert!(
        texts.contains("above") && texts.contains("aside"),
        "{answer}"
    );
    assert!(!texts.contains("no\n"), "{answer}");
    let image = json!({"type": "image", "data": png, "mimeType": "image/png"});
    assert!(content.contains(&image), "{answer}");
    let image: Vec<&Value> = content.iter().filter(|it| it["type"] == "image").collect();
    assert_eq!(image.len(), 1);
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn the_same_in_python() {
    let workplace = usual();
    for (source, printed) in [
        (
            "a = await call_tool('get_inventory', {'sku': 'A'})\ntext({'short': [a['sku']]})",
            r#"{"short":["A"]}"#,
        ),
        ("notify('counting')\nawait yield_control()\ntext(42)", "42"),
        ("store('k', {'n': 'kept'})\ntext(load('k')['n'])", "kept"),
        ("text('stopped early')\nexit()\ntext('no')", "stopped early"),
        ("(await external_get_inventory(sku='A'))['units']", "3"),
        (
            "text([t['name'] for t in ALL_TOOLS if 'inventory' in t['name']])",
            r#"["get_inventory"]"#,
        ),
        ("text = 'own'\ntext", "own"),
    ] {
        let ran = run_python(&workplace, source).await;
        assert_eq!(
            (ran.code, ran.stdout.trim_end()),
            (Some(0), printed),
            "{source}: {ran:?}"
        );
    }
    for (source, said) in [
        (
            "store('k', lambda: 1)",
            "store can't keep the value for 'k'",
        ),
        ("print(text)", "name 'text' is not defined"),
        ("await external_get_inventry()", "get_inventry"),
    ] {
        let ran = run_python(&workplace, source).await;
        assert_eq!(ran.code, Some(1), "{source}: {ran:?}");
        assert!(ran.stderr.contains(said), "{source}: {ran:?}");
    }
    let session = async |source: &str| {
        let arguments = [
            "run",
            "-q",
            "--session",
            "s",
            "--language",
            "python",
            "-e",
            source,
        ];
        workplace.run(&arguments).await
    };
    assert_eq!(session("store('k', [1])").await.code, Some(0));
    assert_eq!(session("text(load('k'))").await.stdout, "[1]\n");
}

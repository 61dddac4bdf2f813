//! Servers whose names are not identifiers, and such as become the same one.

use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

/// As people name them. Each server says which one it is.
const NAMES: [&str; 10] = [
    "Azure MCP Server",
    "com.atlassian/atlassian-mcp-server",
    "MaaS Slack",
    "日本語",
    "class",
    "my server",
    "my-server",
    "a,b*c",
    "a-b-c",
    "foo",
];

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": {}}})
}

fn workplace() -> Workplace {
    let workplace = Workplace::default();
    let mut servers = serde_json::Map::new();
    for (place, name) in NAMES.iter().enumerate() {
        let file = format!("listed-{place}.json");
        let answer = json!({"content": [{"type": "text", "text": name}]});
        let answers = json!({"who": answer.clone(), "bar__baz": answer.clone()});
        let listed = json!({"tools": [tool("who"), tool("bar__baz")], "answers": answers});
        workplace.file(&file, listed.to_string());
        let command = env!("CARGO_BIN_EXE_listed-server");
        servers.insert(
            (*name).to_owned(),
            json!({"command": command, "args": [file]}),
        );
    }
    workplace.file("mcp.json", json!({"mcpServers": servers}).to_string());
    workplace.file("ampoule.toml", "import = [\"./mcp.json\"]\n");
    workplace
}

#[tokio::test]
async fn each_is_called_by_its_own_name_and_none_in_the_place_of_another() {
    let workplace = workplace();
    let names = serde_json::to_string(&NAMES).unwrap();
    let typescript = format!(
        "const out: any = {{}}, all: any = tools; for (const name of {names}) {{ try {{ out[name] = await all[name].who({{}}) }} catch (e: any) {{ out[name] = 'E ' + e.message }} }} for (const {{ name }} of await tools.$servers()) out['$' + name] = await all[name].who({{}}); return out"
    );
    let python = format!(
        "out = {{}}\nfor name in {names}:\n    try:\n        out[name] = await call_tool(name, 'who', {{}})\n    except Exception as e:\n        out[name] = 'E ' + str(e)\nout"
    );
    for (language, code) in [("typescript", &typescript), ("python", &python)] {
        let ran = workplace
            .run(&["run", "--quiet", "--language", language, "-e", code])
            .await;
        let out = ran.json();
        for name in NAMES {
            let told = out[name].as_str().unwrap_or_default();
            match name.contains(['.', ',']) {
                // It has another name here, and none is called in its place.
                true => assert!(
                    told.starts_with("E unknown server"),
                    "{language} {name}: {out}"
                ),
                false => assert_eq!(told, name, "{language}: {out}"),
            }
        }
        let Some(out) = out.as_object().filter(|_| language == "typescript") else {
            continue;
        };
        let mut listed: Vec<&str> = (out.iter())
            .filter(|(name, _)| name.starts_with('$'))
            .filter_map(|(_, who)| who.as_str())
            .collect();
        listed.sort_unstable();
        let mut names = NAMES;
        names.sort_unstable();
        assert_eq!(listed, names);
    }
    let listed = workplace.run(&["servers"]).await;
    for name in [
        "my server:",
        "my-server:",
        "a-b-c:",
        "com-atlassian/atlassian-mcp-server:",
    ] {
        assert!(listed.stdout.contains(name), "{}", listed.stdout);
    }
    let told = &listed.stderr;
    assert!(
        told.contains("`a,b*c` of") && told.contains("it is called `a-b-c-h"),
        "{told}"
    );
}

#[tokio::test]
async fn a_grant_for_one_is_none_for_another_whose_name_is_alike() {
    let workplace = workplace();
    let asks = "const all: any = tools, told = []; for (const name of ['my server', 'my-server']) { try { told.push(await all[name].who({})) } catch (e: any) { told.push(e.message) } } return told";
    for (granted, place) in [("my server", 0), ("my-server", 1)] {
        let ran = workplace
            .run(&["run", "--quiet", "--tools", granted, "-e", asks])
            .await;
        let out = ran.json();
        assert_eq!(out[place], granted, "{out}");
        assert!(
            out[1 - place].as_str().unwrap().contains("unknown server"),
            "{out}"
        );
    }
    // What may mean either is said.
    let ran = workplace
        .run(&[
            "run",
            "-e",
            "return await (tools as any)['MY_SERVER'].who({})",
        ])
        .await;
    assert!(
        ran.stderr
            .contains("`MY_SERVER` may be any of these servers")
            && ran.stderr.contains("my-server"),
        "{}",
        ran.stderr
    );
}

#[tokio::test]
async fn what_is_generated_of_them_compiles_and_is_apart() {
    let workplace = workplace();
    for (language, places) in [
        (
            "typescript",
            ["servers/myServer/who.ts", "servers/aBC/who.ts"],
        ),
        (
            "python",
            [
                "servers/my_server/__init__.pyi",
                "servers/a_b_c/__init__.pyi",
            ],
        ),
        (
            "wit",
            [
                "wit/deps/mcp-my-server/tools.wit",
                "wit/deps/mcp-a-b-c/tools.wit",
            ],
        ),
    ] {
        let out = format!("out-{language}");
        let ran = workplace
            .run(&["tools", "generate", "--lang", language, "--out", &out])
            .await;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        for place in places {
            assert!(
                workplace.path().join(&out).join(place).exists(),
                "{language} {place}"
            );
        }
        // One folder for each server, whatever its name.
        let folder = match language {
            "wit" => "wit/deps",
            _ => "servers",
        };
        let folders = std::fs::read_dir(workplace.path().join(&out).join(folder)).unwrap();
        let folders = folders.filter(|entry| entry.as_ref().unwrap().path().is_dir());
        let own = usize::from(language == "wit");
        assert_eq!(folders.count(), NAMES.len() + own, "{language}");
    }
    let mut resolve = wit_parser::Resolve::default();
    resolve
        .push_path(workplace.path().join("out-wit/wit"))
        .unwrap();
}

#[tokio::test]
async fn a_joined_name_that_may_be_either_of_two_tools_names_both() {
    let workplace = Workplace::default();
    for (name, tools) in [
        ("foo", ["bar__baz", "only"]),
        ("foo__bar", ["baz", "other"]),
    ] {
        let answers: serde_json::Map<String, Value> = (tools.iter())
            .map(|tool| {
                (
                    tool.to_string(),
                    json!({"content": [{"type": "text", "text": name}]}),
                )
            })
            .collect();
        let listed = json!({"tools": tools.map(tool), "answers": answers});
        workplace.file(&format!("{name}.json"), listed.to_string());
    }
    let entry = |name: &str| {
        let command = env!("CARGO_BIN_EXE_listed-server");
        format!("[servers.{name}]\ncommand = '{command}'\nargs = ['{name}.json']\n")
    };
    workplace.file("ampoule.toml", entry("foo") + &entry("foo__bar"));
    for (asked, told) in [
        ("foo__bar__baz", ""),
        ("mcp__foo__bar__baz", ""),
        ("foo__bar__other", "foo__bar"),
        ("foo__only", "foo"),
        ("foo.bar__baz", "foo"),
        ("foo__bar.baz", "foo__bar"),
    ] {
        let typescript = format!(
            "try {{ return await callTool('{asked}', {{}}) }} catch (e: any) {{ return e.message }}"
        );
        let python = format!(
            "try:\n    told = await call_tool('{asked}', {{}})\nexcept Exception as e:\n    told = str(e)\ntold"
        );
        for (language, code) in [("typescript", &typescript), ("python", &python)] {
            let ran = workplace
                .run(&["run", "--quiet", "--language", language, "-e", code])
                .await;
            let out = ran.stdout.trim_end();
            match told {
                "" => assert!(
                    out.contains("may be any of these tools")
                        && ["barBaz", "bar_baz", "bar__baz"]
                            .iter()
                            .any(|name| out.contains(&format!("`foo.{name}`")))
                        && out.contains("foo__bar.baz"),
                    "{language} {asked}: {out}"
                ),
                told => assert_eq!(out, told, "{language} {asked}"),
            }
        }
    }
}

//! Files of servers as people paste them: each gives its servers, or one sentence that says what to
//! write.

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::repository;
use serde_json::{Value, json};

const BEFORE: &str = "# servers are imported into this file\n";

/// A folder with this file in it, which is imported.
async fn imported(name: &str, text: &str) -> (Workplace, Ran) {
    let workplace = Workplace::default();
    let script = repository().join("tests/servers/who.py");
    workplace.file("server.py", std::fs::read(script).expect("a script"));
    workplace.file("ampoule.toml", BEFORE);
    workplace.file(name, text);
    let ran = workplace
        .run_at_home(&["clients", "import", &format!("./{name}")])
        .await;
    (workplace, ran)
}

fn is_as_before(workplace: &Workplace) -> bool {
    let text = std::fs::read_to_string(workplace.path().join("ampoule.toml"));
    text.expect("a file") == BEFORE
}

/// What a server says of itself.
async fn who(workplace: &Workplace, server: &str) -> Value {
    let code = format!("return await tools['{server}'].who({{}});");
    let ran = workplace
        .run_at_home(&["run", "--quiet", "-e", &code])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

#[tokio::test]
async fn servers_that_are_pasted_start_as_they_are_meant() {
    let commented = "\u{feff}{
  \"mcpServers\": {
    \"papers\": {
      \"command\": \"python3\",
      \"args\": [\"server.py\",],
      \"env\": {
        \"WHO\": \"\" // Optional: for more
      }, /* and so on */
    },
  },
}";
    for (text, server, expected) in [
        (commented, "papers", json!({"WHO": "", "args": []})),
        (
            r#"{"name": "Internal MCP", "slug": "internal", "transport": "stdio", "command": "python3", "args": ["server.py"], "env": {"WHO": "a"}}"#,
            "Internal MCP",
            json!({"WHO": "a", "args": []}),
        ),
        (
            r#"{"mcpServers": {"other": {"command": "python3", "arguments": ["server.py"], "environment": {"WHO": "a"}}}}"#,
            "other",
            json!({"WHO": "a", "args": []}),
        ),
        (
            r#"{"mcpServers": {"typed": {"command": "python3", "args": ["server.py", 3000, true, null], "env": {"WHO": "a", "PORT": 3000, "DEBUG": true, "SHARE": 0.5, "NONE": null}, "timeout": "60"}}}"#,
            "typed",
            json!({"WHO": "a", "PORT": "3000", "DEBUG": "true", "SHARE": "0.5", "args": ["3000", "true"]}),
        ),
        (
            r#"{"mcpServers": {"line": {"command": "python3 server.py", "args": ["more"], "env": {"WHO": "a"}}}}"#,
            "line",
            json!({"WHO": "a", "args": ["more"]}),
        ),
        (
            r#"{"mcp": {"servers": {"vs": {"type": "stdio", "command": "python3", "args": ["server.py"], "env": {"WHO": "a"}}}}, "editor.fontSize": 12}"#,
            "vs",
            json!({"WHO": "a", "args": []}),
        ),
        (
            r#"[{"name": "listed", "command": "python3", "args": "server.py --flag", "env": [{"name": "WHO", "value": "a"}]}]"#,
            "listed",
            json!({"WHO": "a", "args": ["--flag"]}),
        ),
    ] {
        let (workplace, ran) = imported("pasted.json", text).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(who(&workplace, server).await, expected, "{text}");
        let has_null = text.contains("null");
        assert_eq!(
            ran.stderr.contains("`env.NONE` is null, and is left out"),
            has_null,
            "{ran:?}"
        );
        assert_eq!(
            ran.stderr.contains("`args[3]` is null, and is left out"),
            has_null,
            "{ran:?}"
        );
    }
}

/// The servers of a file, each with its command line or its address.
async fn listed(workplace: &Workplace) -> Vec<(String, String)> {
    let ran = workplace.run_at_home(&["servers", "--json"]).await;
    let document = ran.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let servers = document["servers"].as_array().expect("a list").iter();
    servers
        .map(|it| {
            (
                text(&it["name"]),
                text(&it["command"]) + &text(&it["url"]) + &text(&it["problem"]),
            )
        })
        .collect()
}

const NPX: &str = "npx -y @acme/mcp";
const URL: &str = "https://mcp.example.com/mcp";

#[tokio::test]
async fn each_way_to_write_servers_is_understood() {
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
    let cases: &[Case<'_>] = &[
        (
            "a.json",
            "# Acme\n\nAdd this:\n\n```json\n{\"mcpServers\": {\"acme\": {\"command\": \"npx\", \"args\": [\"-y\", \"@acme/mcp\"]}}}\n```\n\nThen restart.\n",
            &[("acme", NPX)],
        ),
        (
            "a.md",
            "```jsonc\n// in settings.json\n\"acme\": {\"command\": \"npx\", \"args\": [\"-y\", \"@acme/mcp\"]},\n```\n",
            &[("acme", NPX)],
        ),
        (
            "a.md",
            "~~~toml\n[mcp_servers.acme]\ncommand = \"npx\"\nargs = [\"-y\", \"@acme/mcp\"]\n~~~\n",
            &[("acme", NPX)],
        ),
        (
            "a.md",
            "```yaml\nmcpServers:\n  - name: acme\n    command: npx\n    args: [-y, '@acme/mcp']\n```\n",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "\"acme\": {\n  \"command\": \"npx\",\n  \"args\": [\"-y\", \"@acme/mcp\"]\n}\n",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "\"acme\": {\"command\": \"npx -y @acme/mcp\"}, \"far\": {\"url\": \"https://mcp.example.com/mcp\"},",
            &[("acme", NPX), ("far", URL)],
        ),
        (
            "a.json",
            "\"mcpServers\": {\"acme\": {\"command\": \"npx\", \"args\": [\"-y\", \"@acme/mcp\"]}}",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "{\"acme\": {\"command\": \"npx\", \"args\": [\"-y\", \"@acme/mcp\"]}}",
            &[("acme", NPX)],
        ),
        (
            "acme.json",
            "{\"command\": \"npx\", \"args\": [\"-y\", \"@acme/mcp\"]}",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "{\"servers\": [{\"id\": \"acme\", \"cmd\": \"npx\", \"arguments\": [\"-y\", \"@acme/mcp\"]}]}",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "{\"mcpServers\": [{\"name\": \"far\", \"transport\": {\"type\": \"streamable-http\", \"url\": \"https://mcp.example.com/mcp\"}}]}",
            &[("far", URL)],
        ),
        (
            "a.json",
            "{\"mcpServers\": {\"a\": {\"serverUrl\": \"https://mcp.example.com/mcp\"}, \"b\": {\"httpUrl\": \"https://mcp.example.com/mcp\"}, \"c\": {\"uri\": \"https://mcp.example.com/mcp\"}, \"d\": {\"endpoint\": \"https://mcp.example.com/mcp\", \"headers\": [{\"name\": \"X-A\", \"value\": 1}]}}}",
            &[("a", URL), ("b", URL), ("c", URL), ("d", URL)],
        ),
        (
            "a.json",
            "{\"context_servers\": {\"acme\": {\"source\": \"custom\", \"command\": {\"path\": \"npx\", \"args\": [\"-y\", \"@acme/mcp\"]}}}}",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "{\"mcp\": {\"acme\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"@acme/mcp\"], \"enabled\": true}}}",
            &[("acme", NPX)],
        ),
        (
            "a.json",
            "{\"mcp\": {\"servers\": {\"acme\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"@acme/mcp\"]}}}}",
            &[("acme", NPX)],
        ),
        (
            "a.toml",
            "[mcp_servers.acme]\ncommand = 'npx'\nargs = ['-y', '@acme/mcp']\n[mcp_servers.far]\nurl = 'https://mcp.example.com/mcp'\n",
            &[("acme", NPX), ("far", URL)],
        ),
        (
            "a.toml",
            "[mcpServers.acme]\ncommand = 'npx'\nargs = ['-y', '@acme/mcp']\n",
            &[("acme", NPX)],
        ),
        (
            "a.yaml",
            "extensions:\n  acme:\n    type: stdio\n    cmd: npx\n    args: [-y, '@acme/mcp']\n",
            &[("acme", NPX)],
        ),
        (
            "a.yaml",
            "mcpServers:\n  acme:\n    command: npx\n    args: [-y, '@acme/mcp']\n",
            &[("acme", NPX)],
        ),
        (
            "a.yaml",
            "mcp_servers:\n  acme:\n    command: npx\n    args: [-y, '@acme/mcp']\n",
            &[("acme", NPX)],
        ),
    ];
    for (file, text, servers) in cases {
        let (workplace, ran) = imported(file, text).await;
        assert_eq!(ran.code, Some(0), "{text}: {ran:?}");
        let found = listed(&workplace).await;
        let found: Vec<(&str, &str)> = found.iter().map(|(name, it)| (&**name, &**it)).collect();
        assert_eq!(found, *servers, "{text}");
    }
}

#[tokio::test]
async fn what_has_no_server_is_refused_in_one_sentence_and_nothing_is_written() {
    let adds = "ampoule servers add NAME";
    for (text, said) in [
        ("npx -y @acme/mcp", adds),
        ("$ uvx mcp-server-time --local-timezone=Europe/Oslo", adds),
        ("docker run -i --rm -e TOKEN acme/mcp", adds),
        (
            "claude mcp add acme -s user -e KEY=hunter2 -- npx -y @acme/mcp",
            adds,
        ),
        ("codex mcp add acme -- npx -y @acme/mcp", adds),
        ("code --add-mcp '{\"name\":\"acme\"}'", adds),
        (
            "```bash\nclaude mcp add --transport http acme https://mcp.example.com/mcp\n```",
            adds,
        ),
        (
            "cursor://anysphere.cursor-deeplink/mcp/install?name=acme&config=eyJhIjoxfQ==",
            adds,
        ),
        ("vscode:mcp/install?%7B%22name%22%3A%22acme%22%7D", adds),
        ("https://mcp.example.com/mcp", "--url URL"),
        ("{}", "no server is in it"),
        ("", "no server is in it"),
        ("[]", "no server is in it"),
        ("{\"mcpServers\": {}}", "no server is in it"),
        ("{\"editor.fontSize\": 12}", "`mcp.servers`"),
        (
            "{\"mcpServers\": {\"a\": {}}}",
            "`command` is missing, or `url`",
        ),
        (
            "{\"mcpServers\": {\"a\": {\"comand\": \"x\"}}}",
            "`command` is missing, or `url`",
        ),
        (
            "{\"mcp\": {\"allowed\": [\"a\"]}, \"extensions\": {\"x\": true}}",
            "no server is in it",
        ),
        (
            "{\"mcpServers\": [{\"command\": \"x\"}]}",
            "mcpServers[0]: a server of a list needs a `name`",
        ),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"python3 'my server.py'\"}}}",
            "`command = \"python3\", args = [",
        ),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": \"-c 'a b'\"}}}",
            "each argument as an item of a list",
        ),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\"}",
            "pasted.json:1:",
        ),
        ("{mcpServers: {}}", "a name in JSON needs quotes"),
        ("{“mcpServers”: {}}", "a typographic quotation mark"),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"y\", ...]}}}",
            "something that was left out",
        ),
        (
            "{\"mcpServers\": {}}\n{\"mcpServers\": {}}",
            "pasted.json:2:1: a second object begins here",
        ),
        ("{\"mcpServers\": {}}}", "this closes nothing"),
        ("mcpServers:\n  a:\n    command: npx", "`.toml` or `.yaml`"),
        (
            "{\"mcpServers\": {\"ampoule\": {\"command\": \"ampoule\", \"args\": [\"serve\"]}}}",
            "no server but Ampoule itself",
        ),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"/opt/My App/server\"}}}",
            "there is no program of this name",
        ),
        ("just a note", "pasted.json:1:"),
    ] {
        let (workplace, ran) = imported("pasted.json", text).await;
        assert_eq!(ran.code, Some(2), "{text}: {ran:?}");
        assert!(ran.stderr.contains(said), "{text}: {ran:?}");
        assert!(!ran.stderr.contains("hunter2"), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{text}: {ran:?}");
        assert!(is_as_before(&workplace), "{text}");
    }
}

#[tokio::test]
async fn of_several_servers_those_that_are_right_are_imported_and_the_others_told() {
    let text = r#"{"mcpServers": {"good": {"command": "npx"}, "bad": {"arg": ["x"]}}}"#;
    let (workplace, ran) = imported("pasted.json", text).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = "`bad` can't be used: ";
    assert!(
        ran.stderr.contains(told) && ran.stderr.contains("pasted.json:1:"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("did you mean `args`?"), "{ran:?}");
    assert_eq!(listed(&workplace).await.len(), 2);
}

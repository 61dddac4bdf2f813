//! Other clients' files and `ampoule.toml`, changed by commands as people type them.

use ampoule_tests::command::Workplace;
use serde_json::json;

const CURSOR: &str = "{\n  // mine\n  \"mcpServers\": {\n    \"docs\": { \"url\": \"https://example.com/mcp\", \"headers\": { \"Authorization\": \"Bearer hunter2\" } },\n  },\n}\n";
const CODEX: &str = "model = \"gpt-5\" # mine\n\n[mcp_servers.docs]\nurl = \"https://example.com/mcp\"\nhttp_headers = { Authorization = \"Bearer hunter2\" }\n";
const OWN: &str = ".config/ampoule/ampoule.toml";

fn read(workplace: &Workplace, file: &str) -> String {
    std::fs::read_to_string(workplace.path().join(file)).expect("a file")
}

#[tokio::test]
async fn ampoule_moves_into_a_client_and_out_again() {
    for (client, file, text) in [
        ("cursor", ".cursor/mcp.json", CURSOR),
        ("codex", ".codex/config.toml", CODEX),
    ] {
        let workplace = Workplace::default();
        workplace.file(file, text);
        let install = ["clients", "install", client, "--move"];
        let tried = workplace
            .run_at_home(&[&install[..], &["--dry-run"]].concat())
            .await;
        assert_eq!(tried.code, Some(0), "{tried:?}");
        assert!(
            tried.stdout.contains("+    \"ampoule\": {")
                || tried.stdout.contains("+[mcp_servers.ampoule]"),
            "{tried:?}"
        );
        assert!(tried.stderr.contains("nothing was written"), "{tried:?}");
        assert_eq!(read(&workplace, file), text);

        let done = workplace.run_at_home(&install).await;
        assert_eq!(
            (done.code, &done.stdout),
            (Some(0), &tried.stdout),
            "{done:?}"
        );
        assert!(!format!("{done:?}").contains("hunter2"), "{done:?}");
        let changed = read(&workplace, file);
        assert!(
            changed.contains("mine") && !changed.contains("example.com"),
            "{changed}"
        );
        let listed = workplace.run_at_home(&["servers", "--json"]).await.json();
        let docs = json!([{"name": "docs", "state": "ready", "url": "https://example.com/mcp"}]);
        assert_eq!(listed["servers"], docs);

        let undone = workplace
            .run_at_home(&["clients", "uninstall", client])
            .await;
        assert_eq!(undone.code, Some(0), "{undone:?}");
        assert_eq!(read(&workplace, file), text);
        assert!(!workplace.path().join(OWN).exists());
    }
}

#[tokio::test]
async fn a_file_of_a_project_is_told_to_be_shared() {
    let workplace = Workplace::default();
    let text = "{\"mcpServers\": {\"files\": {\"command\": \"x\"}}}\n";
    workplace.file(".mcp.json", text);
    let ran = workplace
        .run_at_home(&["clients", "install", ".mcp.json", "--move"])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr
            .contains("GitHub Copilot and Mastra read this file too"),
        "{ran:?}"
    );
    assert!(read(&workplace, ".mcp.json").contains("\"command\": \"ampoule\""));
    let ran = workplace
        .run_at_home(&["clients", "uninstall", ".mcp.json"])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(read(&workplace, ".mcp.json"), text);
}

#[tokio::test]
async fn servers_are_added_imported_and_removed() {
    let workplace = Workplace::default();
    workplace.file(".cursor/mcp.json", CURSOR);
    let run = async |arguments: &str| {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        workplace.run_at_home(&arguments).await
    };
    let ran = run("servers add files --env ROOT=${HOME} -- npx -y files").await;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let ran = run("servers add web --url https://example.com/mcp --header Authorization=hunter2 --transport http").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("Authorization may be secret"),
        "{ran:?}"
    );
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    let ran = run("servers add later --url https://example.com/${AMPOULE_TEST_UNSET}").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains("`later` can't be used yet: "),
        "{ran:?}"
    );
    let removed = run("servers rm later --json").await;
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(removed.json()["changed"], true);
    let ran = run("clients import cursor").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("new: docs"), "{ran:?}");
    assert_eq!(
        read(&workplace, OWN),
        "import = [\"cursor\"]\n\n[servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"files\"]\nenv = { ROOT = \"${HOME}\" }\n\n\
        [servers.web]\nurl = \"https://example.com/mcp\"\ntransport = \"http\"\nheaders = { Authorization = \"hunter2\" }\n"
    );
    let ran = run("servers").await;
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (
            Some(0),
            "docs: remote, ready to connect\n  https://example.com/mcp\n  imported from Cursor's ~/.cursor/mcp.json\n\
            files: ready to start\n  npx -y files\n\
            web: remote, ready to connect\n  https://example.com/mcp\n"
        ),
        "{ran:?}"
    );
    assert_eq!(run("servers ls").await.stdout, ran.stdout);
    let ran = run("servers rm web").await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for (arguments, said) in [
        (
            "servers rm docs",
            "`docs` is imported from Cursor's ~/.cursor/mcp.json; remove it there",
        ),
        ("servers rm web", "there is no server `web`"),
        (
            "servers add files -- x",
            "there is a server `files` already",
        ),
        ("servers add a --url example.com", "this must be an address"),
        (
            "servers add a",
            "give a command behind `--`, or `--url URL`",
        ),
        ("clients import crsor", "did you mean `cursor`?"),
        ("clients install crsor", "did you mean `cursor`?"),
    ] {
        let ran = run(arguments).await;
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{arguments}: {ran:?}"
        );
        assert!(ran.stderr.contains(said), "{arguments}: {ran:?}");
    }
}

#[tokio::test]
async fn a_configuration_is_begun_once() {
    let workplace = Workplace::default();
    let ran = workplace.run_at_home(&["init"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(read(&workplace, OWN).starts_with("#:schema ./ampoule.schema.json\n"));
    let ran = workplace.run_at_home(&["servers"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
    let ran = workplace.run_at_home(&["init"]).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("is not overwritten"), "{ran:?}");
    let ran = workplace
        .run_at_home(&["init", "--file", "ampoule.toml"])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let schema = workplace.run_at_home(&["init", "--schema"]).await;
    assert_eq!(schema.stdout, read(&workplace, "ampoule.schema.json"));
}

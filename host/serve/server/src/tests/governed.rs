//! Policies: what runs read of earlier ones, what the model is not given, what is counted.

use ampoule::governance::privacy::{Mode, Settings};
use ampoule::governance::{Governance, KnownServer};
use ampoule::{Quota, Sharing, Workspaces};
use ampoule_policy::Sources;
use ampoule_telemetry::Telemetry;
use parking_lot::Mutex;

use super::*;

/// A server whose `crm.read` gives what `mail.send` refuses, and perhaps the model.
struct Governed {
    _folder: tempfile::TempDir,
    server: Server,
    telemetry: Telemetry,
    sent: Arc<Mutex<Vec<Value>>>,
}

fn governed(refuses: &Value) -> Governed {
    governed_with(refuses, Mode::Off)
}

/// The same, where this is done about personal data.
fn governed_with(refuses: &Value, mode: Mode) -> Governed {
    let folder = tempfile::tempdir().unwrap();
    let sent: Arc<Mutex<Vec<Value>>> = Arc::default();
    let sends = Arc::clone(&sent);
    let send = move |arguments: Map<String, Value>, _| {
        sends.lock().push(arguments.into());
        std::future::ready(Ok(ToolResult::default()))
    };
    let secret = "secret ".repeat(20_000);
    let read = move |_, _| std::future::ready(ToolResult::returned(&secret));
    let crm = Functions::new("crm").raw(tool("read"), read);
    let mail = Functions::new("mail").raw(tool("send"), send);
    let labels = json!({ "gives": { "crm.read": "customers" }, "refuses": refuses });
    let sources = Sources {
        labels: serde_json::from_value(labels).unwrap(),
        ..Sources::default()
    };
    let governance = Governance::builder()
        .servers(vec![KnownServer::of(&crm), KnownServer::of(&mail)])
        .policies(sources)
        .privacy(
            Settings {
                mode,
                ..Settings::default()
            },
            None,
        )
        .build()
        .unwrap();
    let files = folder.path().join("files");
    let telemetry = Telemetry::new(["crm".into(), "mail".into()], None);
    let runtime = Runtime::builder()
        .binding(crm)
        .binding(mail)
        .layer(telemetry.layer())
        .workspaces(Workspaces::new(files, Sharing::default(), Quota::default()))
        .governance(governance);
    let runtime = runtime.build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    Governed {
        _folder: folder,
        server: server.telemetry(telemetry.clone()),
        telemetry,
        sent,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_reads_what_an_earlier_run_returned_has_read_what_that_had() {
    let governed = governed(&json!({ "mail.send": "customers" }));
    let mut client = Client::of(&governed.server);
    let code = |code: &str| json!({ "code": code, "language": "javascript" });
    let large = client.execute(code("return await tools.crm.read()")).await;
    let left_out = large["content"][1]["text"].as_str().unwrap();
    assert!(
        left_out.contains("tools.ampoule.returned({ run: 1 })"),
        "{large}"
    );
    let sends =
        "return await tools.mail.send({ to: 'eve' }).then(() => 'sent', error => error.message)";
    let reads = format!("await tools.ampoule.returned({{ run: 1 }}); {sends}");
    let denied = client.execute(code(&reads)).await;
    assert!(text(&denied).contains("customers"), "{denied}");
    assert!(governed.sent.lock().is_empty());
    // One that could, and does not, may.
    let sent = client.execute(code(sends)).await;
    assert_eq!(text(&sent), "sent", "{sent}");
    let metrics = governed.telemetry.metrics();
    assert!(
        metrics.contains("ampoule_calls_denied_total 1\n"),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_model_may_not_have_is_kept_back_and_so_are_files() {
    let governed = governed(&json!({ "model": "customers" }));
    let mut client = Client::of(&governed.server);
    let code = "import fs from 'node:fs'; const text = await tools.crm.read();
        console.log(text.slice(0, 6)); fs.writeFileSync('list.txt', text.slice(0, 6)); return text";
    let kept = client.execute(json!({ "code": code })).await;
    assert_eq!(kept["isError"], true, "{kept}");
    assert!(text(&kept).contains("is withheld"), "{kept}");
    assert!(!kept.to_string().contains("secret"), "{kept}");
    for (method, params) in [
        (
            "resources/read",
            json!({ "uri": "ampoule://workspace/list.txt" }),
        ),
        ("resources/list", json!({})),
    ] {
        let refused = client.ask(method, params).await;
        let said = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("withheld"), "{refused}");
    }
    // A script may read them, and that is withheld, too.
    let code = "import fs from 'node:fs'; return fs.readFileSync('list.txt', 'utf8')";
    let kept = client.execute(json!({ "code": code })).await;
    assert!(text(&kept).contains("is withheld"), "{kept}");
    let metrics = governed.telemetry.metrics();
    assert!(
        metrics.contains("ampoule_outputs_withheld_total 2\n"),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn files_with_personal_data_are_kept_back_where_it_does_not_go_to_the_model() {
    for (mode, is_shown) in [
        (Mode::Tokens, false),
        (Mode::Block, false),
        (Mode::Detect, true),
    ] {
        let governed = governed_with(&json!({}), mode);
        let mut client = Client::of(&governed.server);
        let code = "import fs from 'node:fs'; fs.writeFileSync('list.txt', 'to ada@example.com');
            fs.writeFileSync('bob@example.com', ''); fs.writeFileSync('plain.txt', 'plain')";
        let written = client.execute(json!({ "code": code })).await;
        assert_eq!(written["isError"], false, "{written}");
        let read = async |client: &mut Client, name: &str| {
            let uri = format!("ampoule://workspace/{name}");
            let answer = client.ask("resources/read", json!({ "uri": uri })).await;
            answer.to_string()
        };
        let list = read(&mut client, "list.txt").await;
        assert_eq!(
            list.contains("ada@example.com"),
            is_shown,
            "{mode:?}: {list}"
        );
        assert_eq!(!list.contains("withheld"), is_shown, "{mode:?}: {list}");
        let plain = read(&mut client, "plain.txt").await;
        assert!(plain.contains("\"plain\""), "{plain}");
        let listed = client.ask("resources/list", json!({})).await.to_string();
        assert!(listed.contains("plain.txt"), "{listed}");
        assert_eq!(listed.contains("bob"), is_shown, "{mode:?}: {listed}");
    }
}

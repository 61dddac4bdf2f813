//! The console over a real server: three principals, a runtime with stores, policies that ask, and an
//! audit log.
//!
//! - `rights`: each route as its own principal, another one, an operator, and nobody; `withheld`: what
//!   policies withhold from the model, and so from its token
//! - `browsers`: one-time addresses, cookies, forged requests; `standing`: sign-ins that end;
//!   `by_issuer`: signing in at the issuer of a `company`
//! - `runs`: runs, their events, replays, cancellations; `approvals`: answers that let runs
//!   continue
//! - `lasting`: what runs leave; `settings`: a configuration that never changes;
//!   `sign_ins`: sign-ins to servers
//! - `lists`: cursors; `document`: the OpenAPI document, held against real answers

mod approvals;
mod browsers;
mod by_issuer;
mod company;
mod document;
mod lasting;
mod lists;
mod rights;
mod runs;
mod settings;
mod sign_ins;
mod standing;
mod withheld;

use std::fs::Permissions;
use std::num::NonZeroU16;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use ampoule::governance::privacy::{Mode, Settings as PrivacySettings};
use ampoule::governance::{Governance, KnownServer};
use ampoule::{
    Functions, Grant, Keep, Quota, RecordOptions, Runtime, SessionLimits, Sharing, SkillOptions,
    Tool, ToolResult, Workspaces,
};
use ampoule_access::tokens::{Entry, Token, edit};
use ampoule_access::{Access, AccessOptions, Source};
use ampoule_approvals::{ApprovalLimits, Approvals, CommandLine, Store};
use ampoule_audit::{Log, Settings};
use ampoule_policy::{File, Sources as PolicySources};
use ampoule_server::{ClientComponents, Server};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Notify;
use tower::ServiceExt;

use crate::access::{Admission, Browsers};
use crate::{Answerers, Console, Sources, router};

use self::settings::FixedSettings;
use self::sign_ins::NoSignIns;

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(180);
/// How often the sign-in behind a live stream is looked at.
const RECHECKED: Duration = Duration::from_millis(200);
/// The largest answer that is read, in bytes.
const MOST: usize = 16 << 20;

/// A console, and the tokens of its principals.
struct Fixture {
    folder: TempDir,
    console: Console,
    router: Router,
    let_go: Arc<Notify>,
    ada: String,
    bob: String,
    olga: String,
}

/// An answer, read.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: http::HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("JSON: {self:?}"))
    }

    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }
}

fn tool(name: &str) -> Tool {
    let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
    let tool =
        json!({ "name": name, "description": format!("does {name}"), "inputSchema": schema });
    serde_json::from_value(tool).unwrap()
}

/// `echo` gives its arguments, `wait` waits until it is let go, `delete` needs an approval. `secret`
/// is for olga alone, and `desk` for the console alone.
fn functions(let_go: &Arc<Notify>) -> Functions {
    let held = Arc::clone(let_go);
    let wait = move |_, _| {
        let held = Arc::clone(&held);
        async move {
            held.notified().await;
            Ok(ToolResult::default())
        }
    };
    let echo = |arguments: serde_json::Map<String, Value>, _| {
        std::future::ready(ToolResult::returned(&Value::Object(arguments)))
    };
    Functions::new("demo")
        .raw(tool("echo"), echo)
        .raw(tool("wait"), wait)
        .raw(tool("delete"), echo)
        .raw(tool("secret"), echo)
        .raw(tool("desk"), echo)
}

/// Policies that ask a person before `demo.delete`, and hide two tools.
fn policies() -> PolicySources {
    let text = "@id(\"careful\")\n@ask\n@reason(\"deleting can't be undone\")\n\
        forbid(principal, action == Action::\"demo.delete\", resource);\n\
        @id(\"secret\")\nforbid(principal, action == Action::\"demo.secret\", resource) unless { principal == User::\"olga\" };\n\
        @id(\"desk\")\nforbid(principal, action == Action::\"demo.desk\", resource) unless { context.client == \"console\" };\n";
    PolicySources {
        files: vec![File {
            name: "careful.cedar".into(),
            text: text.into(),
        }],
        ..PolicySources::default()
    }
}

/// What the fixture withholds from models.
#[derive(Clone, Copy)]
enum Withholding {
    Nothing,
    /// Whatever comes from `demo.echo`.
    Labels,
    /// Personal data.
    Personal,
    /// The tool that saves skills.
    SavingSkills,
}

fn governance(folder: &TempDir, functions: &Functions, withholding: Withholding) -> Governance {
    let mut policies = policies();
    if let Withholding::Labels = withholding {
        let labels =
            json!({ "gives": { "demo.echo": "customers" }, "refuses": { "model": "customers" } });
        policies.labels = serde_json::from_value(labels).unwrap();
    }
    let privacy = PrivacySettings {
        mode: match withholding {
            Withholding::Personal => Mode::Block,
            Withholding::Nothing | Withholding::Labels | Withholding::SavingSkills => Mode::Off,
        },
        ..PrivacySettings::default()
    };
    let store = Store::open(&folder.path().join("approvals"), ApprovalLimits::default()).unwrap();
    let log = Log::open(&folder.path().join("audit"), Settings::default()).unwrap();
    Governance::builder()
        .servers(vec![KnownServer::of(functions)])
        .policies(policies)
        .privacy(privacy, None)
        .asking(Approvals::new(store, vec![Arc::new(CommandLine)]))
        .audit(Arc::new(log))
        .build()
        .unwrap()
}

fn runtime(folder: &TempDir, let_go: &Arc<Notify>, withholding: Withholding) -> Runtime {
    let functions = functions(let_go);
    let governance = governance(folder, &functions, withholding);
    let mut records = RecordOptions::default();
    records.keep = Keep::All;
    let mut skills = SkillOptions::default();
    skills.save = !matches!(withholding, Withholding::SavingSkills);
    let place = |name: &str| folder.path().join(name);
    let workspaces = Workspaces::new(place("files"), Sharing::default(), Quota::default());
    Runtime::builder()
        .binding(functions)
        .governance(governance)
        .records(place("records"), records)
        .sessions(place("sessions"), SessionLimits::default())
        .skills(place("skills"), skills)
        .workspaces(workspaces)
        .build()
        .unwrap()
}

/// Everybody answers what they may see.
const EVERYBODY: Answerers = Answerers {
    principals: true,
    operators: true,
};

/// A list with a token for each name.
async fn access(folder: &TempDir, names: [&str; 3]) -> (Access, [String; 3]) {
    let mut list = String::new();
    let tokens = names.map(|name| {
        let token = Token::random().unwrap();
        let entry = Entry::new(name, &token, NonZeroU16::MIN, None).unwrap();
        list = edit::with(&list, &entry).unwrap();
        token.expose().to_owned()
    });
    let file = folder.path().join("tokens");
    std::fs::write(&file, &list).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let options = AccessOptions {
        tokens: vec![Source::File(file)],
        ..AccessOptions::default()
    };
    let access = Access::new(options, reqwest::Client::builder()).await;
    (access.unwrap(), tokens)
}

/// What a fixture is made of.
struct FixtureParts {
    folder: TempDir,
    let_go: Arc<Notify>,
    runtime: Runtime,
    browsers: Browsers,
    answerers: Answerers,
}

impl FixtureParts {
    fn fixture(self, tokens: [String; 3]) -> Fixture {
        let Self {
            folder,
            let_go,
            runtime,
            browsers,
            answerers,
        } = self;
        let asking = runtime.governance().and_then(Governance::asking);
        let approvals = asking.map(|asking| asking.store().clone());
        let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
        let sources = Sources {
            server,
            sockets: None,
            approvals,
            answerers,
            audit: Some(folder.path().join("audit")),
            settings: Arc::new(FixedSettings),
            sign_ins: Arc::new(NoSignIns),
            unattended: None,
        };
        let console = Console::new(sources, browsers);
        let [ada, bob, olga] = tokens;
        Fixture {
            folder,
            router: router(&console),
            console,
            let_go,
            ada,
            bob,
            olga,
        }
    }
}

impl Fixture {
    /// For principals: ada, bob, and olga, who is an operator.
    async fn principals() -> Self {
        Self::answered_by(EVERYBODY).await
    }

    /// The same, where this is withheld from models.
    async fn withholding(withholding: Withholding) -> Self {
        Self::with(EVERYBODY, withholding).await
    }

    /// The same, where only these may answer questions in the console.
    async fn answered_by(answerers: Answerers) -> Self {
        Self::with(answerers, Withholding::Nothing).await
    }

    async fn with(answerers: Answerers, withholding: Withholding) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (access, [ada, bob, olga]) = access(&folder, ["ada", "bob", "olga"]).await;
        let admission = Admission::Principals {
            access,
            operators: vec!["olga".to_owned()],
            operator_groups: Vec::new(),
        };
        let browsers = Browsers::new(admission, true).recheck_every(RECHECKED);
        let let_go = Arc::<Notify>::default();
        let runtime = runtime(&folder, &let_go, withholding);
        let parts = FixtureParts {
            folder,
            let_go,
            runtime,
            browsers,
            answerers,
        };
        parts.fixture([ada, bob, olga])
    }

    /// For the user of this machine.
    fn local() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let browsers = Browsers::new(Admission::Local, false).recheck_every(RECHECKED);
        let let_go = Arc::<Notify>::default();
        let runtime = runtime(&folder, &let_go, Withholding::Nothing);
        let parts = FixtureParts {
            folder,
            let_go,
            runtime,
            browsers,
            answerers: EVERYBODY,
        };
        parts.fixture(Default::default())
    }

    /// Sends a request, and reads the whole answer.
    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.response(request).await;
        let (parts, body) = response.into_parts();
        let read = tokio::time::timeout(PATIENCE, to_bytes(body, MOST));
        let bytes = read.await.expect("in time").unwrap();
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    async fn response(&self, request: Request<Body>) -> Response {
        let answered = tokio::time::timeout(PATIENCE, self.router.clone().oneshot(request));
        answered.await.expect("in time").unwrap()
    }

    /// Asks the API with a token.
    async fn get(&self, token: &str, path: &str) -> Answer {
        self.send(bearer(token, Method::GET, path, None)).await
    }

    /// Has the API do something, with a token.
    async fn post(&self, token: &str, path: &str, body: &Value) -> Answer {
        self.send(bearer(token, Method::POST, path, Some(body)))
            .await
    }

    /// Starts a script of a principal's, and gives the run's id.
    async fn start(&self, token: &str, code: &str) -> String {
        let body = json!({ "code": code, "language": "javascript" });
        let started = self.post(token, "/api/v1/runs", &body).await;
        assert_eq!(started.status, StatusCode::ACCEPTED, "{started:?}");
        started.json()["run"].as_str().unwrap().to_owned()
    }

    /// The events of a run, to its end.
    async fn events(&self, token: &str, run: &str) -> Vec<Value> {
        let streamed = self.get(token, &format!("/api/v1/runs/{run}/events")).await;
        assert_eq!(streamed.status, StatusCode::OK, "{streamed:?}");
        assert_eq!(streamed.header("content-type"), "text/event-stream");
        let data = streamed
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        data.map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Runs a script to its end, and shows the run.
    async fn run(&self, token: &str, code: &str) -> Value {
        let run = self.start(token, code).await;
        self.events(token, &run).await;
        let shown = self.get(token, &format!("/api/v1/runs/{run}")).await;
        assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
        shown.json()
    }
}

/// A request of a program.
fn bearer(token: &str, method: Method, path: &str, body: Option<&Value>) -> Request<Body> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "ampoule.example")
        .header("authorization", format!("Bearer {token}"));
    match body {
        None => request.body(Body::empty()),
        Some(body) => request
            .header("content-type", "application/json")
            .body(Body::from(body.to_string())),
    }
    .unwrap()
}

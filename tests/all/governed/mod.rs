//! Runs that are governed: what they may call and who is asked, what goes with what they leave, what
//! is shown of them, and what goes on in the next process.

mod absent;
mod asked;
mod components;
mod labels;
mod own;
mod previews;
mod shown;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ampoule::governance::approvals::{
    Answer, AnswerSource, Answerer, ApprovalLimits, Approvals, Caller, Channel, PersonAnswer,
    Question, QuestionEntry, State, Store,
};
use ampoule::governance::audit::{Against, Log, verify};
use ampoule::governance::policy::{File, Sources};
use ampoule::governance::privacy::{Mode, Settings, TableLimits, Tables};
use ampoule::governance::{Builder, Governance, KnownServer};
use ampoule::{
    Functions, Grant, Isolate, Language, Outcome, ParkedLimits, Principal, Run, Runtime,
    RuntimeBuilder, Script, SessionLimits, SkillOptions, Tool, ToolResult,
};
use ampoule_tests::runtime_builder;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(20);
/// After how long runs are parked here.
const SOON: Duration = Duration::from_millis(20);
/// A customer, whom nobody must see.
const ADA: &str = "ada@example.com";

const BOTH: [Language; 2] = [Language::TypeScript, Language::Python];

/// A company, over several processes, as it were.
struct World {
    folder: TempDir,
    /// What the tools that change something were called with.
    sent: Arc<Mutex<Vec<(String, Value)>>>,
}

/// A place where people are asked.
#[derive(Debug)]
struct Desk;

impl Channel for Desk {
    fn reaches(&self, _: &Caller) -> bool {
        true
    }

    fn asked(&self, _: &Arc<Question>) {}
}

impl World {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            sent: Arc::default(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A runtime, as a new process would make it.
    fn runtime(&self, governance: &Governance) -> Runtime {
        self.builder(governance).build().unwrap()
    }

    fn builder(&self, governance: &Governance) -> RuntimeBuilder {
        runtime_builder()
            .binding(self.crm())
            .binding(self.mail())
            .governance(governance.clone())
            .sessions(self.path("sessions"), SessionLimits::default())
            .skills(self.path("skills"), SkillOptions::default())
            .parked(self.path("parked"), ParkedLimits::default())
    }

    fn crm(&self) -> Functions {
        let reads = json!({ "readOnlyHint": true, "openWorldHint": false });
        let customer = move |_, _| answered(json!({ "name": "Ada", "email": ADA }));
        let refused = move |_, _| async {
            let mut failed = ToolResult::failed(&format!("there is no {ADA} any more"));
            let card = json!({ "uri": "crm://cards/1", "text": format!("card of {ADA}") });
            failed
                .content
                .push(json!({ "type": "resource", "resource": card }));
            Ok(failed)
        };
        Functions::new("crm")
            .raw(tool("get", reads.clone()), customer)
            .raw(tool("fail", reads), refused)
            .raw(tool("purge", json!({})), self.sends("purge"))
    }

    fn mail(&self) -> Functions {
        let reads = json!({ "readOnlyHint": true });
        Functions::new("mail")
            .raw(tool("send", json!({})), self.sends("send"))
            .raw(tool("read", reads), |_, _| answered(json!("hello")))
    }

    fn sends(
        &self,
        name: &str,
    ) -> impl Fn(
        Map<String, Value>,
        ampoule::CallContext,
    ) -> std::future::Ready<Result<ToolResult, ampoule::CallError>>
    + Send
    + Sync
    + 'static
    + use<> {
        let (sent, name) = (Arc::clone(&self.sent), name.to_owned());
        move |arguments, _| {
            sent.lock()
                .unwrap()
                .push((name.clone(), Value::Object(arguments)));
            std::future::ready(ToolResult::returned(&json!({ "id": "m-1" })))
        }
    }

    /// What was really done.
    fn sent(&self) -> Vec<(String, Value)> {
        self.sent.lock().unwrap().clone()
    }

    fn store(&self) -> Store {
        let mut limits = ApprovalLimits::default();
        limits.gather = Duration::from_millis(1);
        Store::open(&self.path("approvals"), limits).unwrap()
    }

    fn asking(&self) -> Approvals {
        Approvals::new(self.store(), vec![Arc::new(Desk)])
    }

    fn log(&self) -> Arc<Log> {
        let settings = ampoule::governance::audit::Settings::default();
        Arc::new(Log::open(&self.path("audit"), settings).unwrap())
    }

    /// Whether all that is on record is as it was written. Nobody may write any more.
    async fn is_sound(&self, mut log: Arc<Log>) {
        let until = std::time::Instant::now() + LONG;
        log = loop {
            log = match Arc::try_unwrap(log) {
                Ok(log) => {
                    log.close().unwrap();
                    break Arc::new(Log::open(&self.path("audit"), Default::default()).unwrap());
                }
                Err(log) => log,
            };
            assert!(std::time::Instant::now() < until, "somebody has the log");
            tokio::time::sleep(Duration::from_millis(4)).await;
        };
        drop(log);
        let report = verify(&self.path("audit"), &Against::default()).unwrap();
        assert!(report.broken == 0, "{:?}", report.findings);
    }

    /// Waits until somebody is asked.
    async fn question(&self) -> QuestionEntry {
        let store = self.store();
        let until = std::time::Instant::now() + LONG;
        while std::time::Instant::now() < until {
            let listed = store.list().unwrap().into_iter().filter_map(Result::ok);
            if let Some(open) = listed.into_iter().find(|it| it.state == State::Open) {
                return open;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        panic!("nobody is asked");
    }

    /// Answers, as another process does.
    async fn answer(&self, answer: Answer) {
        let (store, listed) = (self.store(), self.question().await);
        let seen = listed.seen(&store).unwrap();
        let by = Answerer::new("grace", AnswerSource::CommandLine);
        store
            .answer(listed.question.id, PersonAnswer::new(seen, answer), by)
            .unwrap();
    }

    fn tables(&self) -> Tables {
        Tables::open(&self.path("tables"), TableLimits::default()).unwrap()
    }
}

async fn answered(value: Value) -> Result<ToolResult, ampoule::CallError> {
    ToolResult::returned(&value)
}

fn tool(name: &str, annotations: Value) -> Tool {
    let schema = json!({ "type": "object", "properties": { "to": { "type": "string" }, "text": { "type": "string" } } });
    let output = json!({ "type": "object", "properties": { "id": { "type": "string", "examples": ["m-1"] } } });
    let mut tool = json!({ "name": name, "inputSchema": schema, "annotations": annotations });
    if name == "send" {
        tool["outputSchema"] = output;
    }
    serde_json::from_value(tool).unwrap()
}

/// The host stops: nothing of it goes on.
async fn stopped(runtime: Runtime, run: Run) {
    runtime.suspend();
    drop((run, runtime));
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

fn policies(cedar: &str) -> Builder {
    let file = File {
        name: "test.cedar".into(),
        text: cedar.into(),
    };
    let sources = Sources {
        files: vec![file],
        ..Sources::default()
    };
    Governance::builder().policies(sources).servers(known())
}

/// The servers that there will be, of whose tools nothing is known yet.
fn known() -> Vec<KnownServer> {
    let known = |name: &str| KnownServer {
        name: name.into(),
        says_it_is: None,
        tools: None,
        offered: Arc::default(),
    };
    ["crm", "mail", "skills"].map(known).into()
}

/// What comes of customers, and what must not get it.
fn labelled(refuses: Value) -> Builder {
    let labels =
        json!({ "gives": { "crm.get": "customers", "crm.fail": "customers" }, "refuses": refuses });
    let sources = Sources {
        labels: serde_json::from_value(labels).unwrap(),
        ..Sources::default()
    };
    Governance::builder().policies(sources).servers(known())
}

fn tokens(builder: Builder, world: &World) -> Builder {
    let settings = Settings {
        mode: Mode::Tokens,
        ..Settings::default()
    };
    builder.privacy(settings, Some(world.tables()))
}

fn script(runtime: &Runtime, language: Language, source: &str) -> Isolate {
    runtime
        .isolate(Script::new(language, source))
        .grant(Grant::all())
}

fn typescript(runtime: &Runtime, source: &str) -> Isolate {
    script(runtime, Language::TypeScript, source)
}

/// Its value, or why there is none.
fn value(outcome: &Outcome) -> Value {
    outcome
        .value()
        .unwrap_or_else(|error| panic!("{error}, {:?}", outcome.withheld))
}

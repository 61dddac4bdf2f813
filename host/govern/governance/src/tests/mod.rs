//! Each path of a call, with real stores, and what must hold for every caller.

mod asking;
mod attacks;
mod counting;
mod ending;
mod meant;
mod personal;
mod policies;
mod recorded;
mod redaction;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_approvals::{
    Answer, AnswerSource, Answerer, ApprovalLimits, Approvals, Channel, PersonAnswer,
    QuestionEntry, State, Store,
};
use ampoule_audit::{Event, Events, Filter, Log, Settings};
use ampoule_policy::{File, Sources};
use ampoule_projection::Tool;
use ampoule_tools::testing::Stub;
use ampoule_tools::{
    Call, CallContext, CallError, Deadline, Layer, Layers, Principal, RunId, ToolResult,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::Semaphore;

use crate::{Builder, EndFacts, Governance, GovernedRun, KnownServer, RunFacts};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(20);

/// Servers, and a folder for what is kept.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) mail: Stub,
    pub(crate) crm: Stub,
    bell: Bell,
}

/// A place where people are asked, which tells that they are.
#[derive(Debug, Clone)]
struct Bell(Arc<Semaphore>);

impl Channel for Bell {
    fn reaches(&self, _: &ampoule_approvals::Caller) -> bool {
        true
    }

    fn asked(&self, _: &Arc<ampoule_approvals::Question>) {
        self.0.add_permits(1);
    }
}

pub(crate) fn tool(name: &str, hints: Value, output: Option<Value>) -> Tool {
    let schema = json!({"type": "object", "properties": {
        "to": {"type": "string"}, "text": {"type": "string"}, "email": {"type": "string"},
    }});
    let mut tool = json!({"name": name, "inputSchema": schema, "annotations": hints});
    if let Some(output) = output {
        tool["outputSchema"] = output;
    }
    serde_json::from_value(tool).unwrap()
}

impl World {
    pub(crate) fn new() -> Self {
        let reads = json!({"readOnlyHint": true, "openWorldHint": false});
        let sent = json!({"type": "object", "properties": {"id": {"type": "string", "examples": ["m-1"]}}, "required": ["id"]});
        let mail = [
            tool("send", json!({}), Some(sent)),
            tool("read", reads.clone(), None),
            tool("drafts", json!({}), None),
        ];
        let crm = [tool("get", reads.clone(), None), tool("find", reads, None)];
        Self {
            folder: tempfile::tempdir().unwrap(),
            mail: Stub::new("mail", mail),
            crm: Stub::new("crm", crm),
            bell: Bell(Arc::new(Semaphore::new(0))),
        }
    }

    pub(crate) fn known(&self) -> Vec<KnownServer> {
        vec![KnownServer::of(&self.mail), KnownServer::of(&self.crm)]
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn builder(&self, cedar: &str) -> Builder {
        let builder = Governance::builder().servers(self.known());
        match cedar {
            "" => builder,
            cedar => builder.policies(sources(cedar)),
        }
    }

    pub(crate) fn governance(&self, cedar: &str) -> Governance {
        self.builder(cedar).build().unwrap()
    }

    pub(crate) fn log(&self) -> Arc<Log> {
        Arc::new(Log::open(&self.path("audit"), Settings::default()).unwrap())
    }

    /// The log's events, without its own. The log must be closed.
    pub(crate) fn events(&self) -> Vec<Event> {
        let events = Events::read(&self.path("audit"), Filter::default()).unwrap();
        let events = events.filter_map(|entry| entry.event);
        events.filter(is_ours).collect()
    }

    pub(crate) fn store(&self) -> Store {
        open(&self.path("approvals"))
    }

    pub(crate) fn asking(&self) -> Approvals {
        Approvals::new(self.store(), vec![Arc::new(self.bell.clone())])
    }

    /// Waits until somebody is asked.
    pub(crate) async fn is_asked(&self) {
        let rings = tokio::time::timeout(LONG, self.bell.0.acquire());
        rings.await.expect("somebody is asked").unwrap().forget();
    }

    /// Closes the log, once nothing writes to it any more.
    pub(crate) async fn close(&self, mut log: Arc<Log>) {
        for _ in 0..1000 {
            log = match Arc::try_unwrap(log) {
                Ok(log) => return log.close().unwrap(),
                Err(log) => log,
            };
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
        panic!("somebody has the log");
    }

    pub(crate) fn stub(&self, server: &str) -> &Stub {
        if server == "mail" {
            &self.mail
        } else {
            &self.crm
        }
    }

    /// Calls a tool as a run does.
    pub(crate) async fn call(
        &self,
        run: &GovernedRun,
        number: u32,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<ToolResult, CallError> {
        let layers = run.inside_of(&Layers::default());
        self.through(&layers, run, number, server, tool, arguments)
            .await
    }

    pub(crate) async fn through(
        &self,
        layers: &Layers,
        run: &GovernedRun,
        number: u32,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<ToolResult, CallError> {
        let next = layers.before(self.stub(server), tool);
        let context = context(run, number, server, tool, Deadline::never());
        next.call(object(arguments), context).await
    }
}

pub(crate) fn context(
    run: &GovernedRun,
    number: u32,
    server: &str,
    tool: &str,
    deadline: Deadline,
) -> CallContext {
    let id: RunId = run.shared.whose.run.parse().unwrap();
    let (server, tool) = (server.into(), tool.into());
    let call = Call::new(id, number, &server, &tool, None, deadline.time());
    CallContext::new(call, 1 << 20, deadline, None)
}

fn is_ours(event: &Event) -> bool {
    !matches!(
        event,
        Event::Segment(_)
            | Event::Opened(_)
            | Event::Checkpoint(_)
            | Event::Gap(_)
            | Event::Removed(_)
    )
}

pub(crate) fn open(path: &Path) -> Store {
    let mut limits = ApprovalLimits::default();
    limits.gather = Duration::from_millis(1);
    Store::open(path, limits).unwrap()
}

pub(crate) fn sources(cedar: &str) -> Sources {
    Sources {
        files: vec![File {
            name: "test.cedar".into(),
            text: cedar.into(),
        }],
        ..Sources::default()
    }
}

pub(crate) fn labelled(labels: &str) -> Sources {
    Sources {
        labels: serde_json::from_str(labels).unwrap(),
        ..Sources::default()
    }
}

pub(crate) fn facts() -> RunFacts {
    RunFacts {
        principal: Some(Principal::new("ada")),
        client: Some("an editor".into()),
        language: "javascript".into(),
        script: "d1g3st".into(),
        ..RunFacts::new(RunId::new())
    }
}

pub(crate) fn of_session(session: &str) -> RunFacts {
    RunFacts {
        session: Some(session.into()),
        ..facts()
    }
}

pub(crate) async fn begin(governance: &Governance) -> GovernedRun {
    governance.run(facts()).await.unwrap()
}

pub(crate) fn returned() -> EndFacts {
    EndFacts {
        outcome: "returned".into(),
        fuel: 1000,
        took: Duration::from_millis(3),
        ..EndFacts::default()
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    }
}

pub(crate) fn structured(value: Value) -> ToolResult {
    ToolResult::returned(&value).unwrap()
}

pub(crate) fn value(result: &ToolResult) -> Value {
    serde_json::from_str(result.structured_content.as_ref().unwrap().get()).unwrap()
}

pub(crate) fn denied(answer: Result<ToolResult, CallError>) -> String {
    match answer {
        Err(CallError::Denied(told)) => told,
        other => panic!("{other:?}"),
    }
}

/// Waits for the only open question.
pub(crate) async fn question(store: &Store) -> QuestionEntry {
    let until = std::time::Instant::now() + LONG;
    while std::time::Instant::now() < until {
        let listed = store.list().unwrap();
        let mut open = listed
            .into_iter()
            .filter_map(Result::ok)
            .filter(|listed| listed.state == State::Open);
        if let Some(listed) = open.next() {
            return listed;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("nothing is asked");
}

/// Answers it, as another process does.
pub(crate) async fn answer(path: std::path::PathBuf, answer: Answer) {
    let store = open(&path);
    let listed = question(&store).await;
    let seen = listed.seen(&store).unwrap();
    let by = Answerer::new("grace", AnswerSource::CommandLine);
    store
        .answer(listed.question.id, PersonAnswer::new(seen, answer), by)
        .unwrap();
}

/// A layer that does something to arguments.
pub(crate) struct Changes(pub(crate) &'static str);

impl Layer for Changes {
    fn call<'a>(
        &'a self,
        mut arguments: Map<String, Value>,
        context: CallContext,
        next: ampoule_tools::Next<'a>,
    ) -> futures::future::BoxFuture<'a, Result<ToolResult, CallError>> {
        arguments.insert("to".into(), self.0.into());
        next.call(arguments, context)
    }
}

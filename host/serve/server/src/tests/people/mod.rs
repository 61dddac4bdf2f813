//! People who are asked in clients whether calls may be made, and who tries to answer in their place.
//!
//! - `questions`: what they are shown, and which answers count; `waiting_runs`: runs that wait for them

mod questions;
mod waiting_runs;

use ampoule::governance::{Governance, KnownServer};
use ampoule::{ParkedLimits, Principal};
use ampoule_approvals::{
    Answer, AnswerRecord, AnswerSource, Answerer, ApprovalLimits, Approvals, Channel, CommandLine,
    PersonAnswer, QuestionEntry, State, Store,
};
use ampoule_policy::Sources;
use parking_lot::{Mutex, MutexGuard};
use tempfile::TempDir;

use super::*;
use crate::approvals::Dialogues;

pub(super) const SENDS: &str = "await tools.mail.send({ to: 'ada', text: 'hello' }); return 'sent'";

/// A server whose calls of `mail.send` people must allow.
pub(super) struct People {
    folder: TempDir,
    store: Store,
    dialogues: Dialogues,
    pub(super) server: Server,
    sent: Arc<Outbox>,
}

/// What was sent; and what a call of `mail.read` with `held` waits for.
#[derive(Default)]
struct Outbox {
    sent: Mutex<Vec<Value>>,
    lets_go: Notify,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Vec<Value>> {
        self.sent.lock()
    }
}

fn store(folder: &TempDir) -> Store {
    let mut limits = ApprovalLimits::default();
    // On a loaded machine, too.
    limits.gather = Duration::from_millis(300);
    Store::open(&folder.path().join("approvals"), limits).unwrap()
}

fn mail(outbox: &Arc<Outbox>) -> Functions {
    let (sent, held) = (Arc::clone(outbox), Arc::clone(outbox));
    let send = move |arguments: Map<String, Value>, _| {
        sent.lock().push(arguments.into());
        std::future::ready(Ok(ToolResult::default()))
    };
    let read = json!({
        "name": "read", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true },
    });
    let read: Tool = serde_json::from_value(read).unwrap();
    let text = "x".repeat(100_000);
    let reads = move |arguments: Map<String, Value>, _| {
        let (text, held) = (text.clone(), Arc::clone(&held));
        async move {
            if arguments.contains_key("held") {
                held.lets_go.notified().await;
            }
            ToolResult::returned(&text)
        }
    };
    Functions::new("mail")
        .raw(tool("send"), send)
        .raw(read, reads)
}

impl People {
    /// Asked in their clients, and in these places.
    pub(super) fn new(others: Vec<Arc<dyn Channel>>) -> Self {
        Self::with(others, |runtime, _| runtime)
    }

    fn with(
        others: Vec<Arc<dyn Channel>>,
        more: impl FnOnce(ampoule::RuntimeBuilder, &TempDir) -> ampoule::RuntimeBuilder,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (sent, store) = (Arc::default(), store(&folder));
        let (server, dialogues) = server(&folder, &store, &sent, others, more);
        Self {
            folder,
            store,
            dialogues,
            server,
            sent,
        }
    }

    fn client(&self) -> Client {
        Client::of(&self.server)
    }

    async fn client_with_session(&self) -> Client {
        self.client().with_session().await
    }

    /// The only question, once there is one.
    pub(super) async fn question(&self) -> QuestionEntry {
        let found = async {
            loop {
                let mut listed = self.store.list().unwrap().into_iter().map(Result::unwrap);
                match listed.find(|listed| listed.state == State::Open) {
                    Some(listed) => return listed,
                    None => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        };
        let found = tokio::time::timeout(PATIENCE, found).await;
        found.expect("somebody is asked")
    }

    /// Somebody answers elsewhere.
    async fn answer(&self, answer: Answer) {
        let listed = self.question().await;
        let seen = listed.seen(&self.store).unwrap();
        let by = Answerer::new("grace", AnswerSource::CommandLine);
        let given = PersonAnswer::new(seen, answer);
        self.store.answer(listed.question.id, given, by).unwrap();
    }

    /// What was sent.
    pub(super) fn sent(&self) -> Vec<Value> {
        self.sent.lock().clone()
    }

    /// What was answered, in the order of the questions.
    fn given(&self) -> Vec<AnswerRecord> {
        let listed = self.store.list().unwrap().into_iter().map(Result::unwrap);
        let given = listed.filter_map(|listed| match listed.state {
            State::Answered(given) => Some(given),
            _ => None,
        });
        given.collect()
    }
}

fn server(
    folder: &TempDir,
    store: &Store,
    sent: &Arc<Outbox>,
    others: Vec<Arc<dyn Channel>>,
    more: impl FnOnce(ampoule::RuntimeBuilder, &TempDir) -> ampoule::RuntimeBuilder,
) -> (Server, Dialogues) {
    let dialogues = Dialogues::new(store);
    let mut places: Vec<Arc<dyn Channel>> = vec![Arc::new(dialogues.clone())];
    places.extend(others);
    let roles = json!({
        "all": { "tools": ["mail"], "destructive": "ask", "reason": "mail leaves the house" },
    });
    let sources = Sources {
        roles: serde_json::from_value(roles).unwrap(),
        ..Sources::default()
    };
    let mail = mail(sent);
    let governance = Governance::builder()
        .servers(vec![KnownServer::of(&mail)])
        .policies(sources)
        .asking(Approvals::new(store.clone(), places))
        .build()
        .unwrap();
    let runtime = Runtime::builder().binding(mail).governance(governance);
    let runtime = more(runtime, folder).build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    (server.dialogues(dialogues.clone()), dialogues)
}

impl Client {
    async fn begins(&mut self, arguments: Value) -> u64 {
        let call = json!({ "name": "execute_code", "arguments": arguments });
        self.send("tools/call", call).await
    }

    /// What a client with a session is asked next.
    pub(super) async fn is_asked(&mut self) -> Value {
        loop {
            let message = self.message().await;
            if message["method"] == "elicitation/create" {
                return message;
            }
            assert!(message.get("result").is_none(), "{message}");
        }
    }

    pub(super) async fn says(&mut self, asked: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
        self.say(&answer).await;
    }

    /// Continues with what it was asked, of 2026-07-28.
    async fn goes_on(&mut self, asks: &Value, answer: Value) -> Value {
        self.came_back(asks, answer).await["result"].clone()
    }

    /// The error for a state that is not valid.
    async fn is_refused(&mut self, asks: &Value, answer: Value) -> String {
        let refused = self.came_back(asks, answer).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let message = refused["error"]["message"].as_str();
        message.expect("a message").to_owned()
    }

    async fn came_back(&mut self, asks: &Value, answer: Value) -> Value {
        let (name, _) = only(&asks["inputRequests"]);
        let params = json!({
            "name": "execute_code",
            "requestState": asks["requestState"],
            "inputResponses": { name: answer },
        });
        self.ask("tools/call", params).await
    }
}

pub(super) fn only(requests: &Value) -> (String, Value) {
    let mut all = object(requests.clone()).into_iter();
    let only = all.next().expect("a request");
    assert!(all.next().is_none(), "{requests}");
    only
}

pub(super) fn allows(answer: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": answer } })
}

pub(super) fn to(whom: &str) -> Value {
    json!({ "to": whom, "text": "hello" })
}

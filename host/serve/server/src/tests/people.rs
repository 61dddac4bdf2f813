//! People who are asked in clients whether calls may be made, and who tries to answer in their place.

use ampoule::governance::{Governance, Known};
use ampoule::{ParkedLimits, Principal};
use ampoule_approvals::{
    Answer, AnswerRecord, AnswerSource, Answerer, ApprovalLimits, Approvals, Channel, CommandLine,
    QuestionEntry, State, Store,
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
        let given = (seen, answer, None);
        self.store.answer(listed.question.id, given, by).unwrap();
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
        .servers(vec![Known::of(&mail)])
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
    async fn is_asked(&mut self) -> Value {
        loop {
            let message = self.message().await;
            if message["method"] == "elicitation/create" {
                return message;
            }
            assert!(message.get("result").is_none(), "{message}");
        }
    }

    async fn says(&mut self, asked: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
        self.say(&answer).await;
    }

    /// Goes on with what it was asked, of 2026-07-28.
    async fn goes_on(&mut self, asks: &Value, answer: Value) -> Value {
        let (name, _) = only(&asks["inputRequests"]);
        let params = json!({
            "name": "execute_code",
            "requestState": asks["requestState"],
            "inputResponses": { name: answer },
        });
        self.ask("tools/call", params).await["result"].clone()
    }
}

fn only(requests: &Value) -> (String, Value) {
    let mut all = object(requests.clone()).into_iter();
    let only = all.next().expect("a request");
    assert!(all.next().is_none(), "{requests}");
    only
}

fn allows(answer: &str) -> Value {
    json!({ "action": "accept", "content": { "answer": answer } })
}

fn to(whom: &str) -> Value {
    json!({ "to": whom, "text": "hello" })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_shown_calls_in_a_client_of_2025_and_they_are_made_once() {
    let people = People::new(Vec::new());
    let mut client = people.client_with_session().await;
    let code = "const to = (to) => tools.mail.send({ to, text: 'hello' });
        await Promise.all([to('ada'), to('bob')]); return 'sent'";
    let request = client.begins(json!({ "code": code })).await;
    let asked = client.is_asked().await;
    let message = asked["params"]["message"].as_str().unwrap();
    for shown in [
        "mail.send × 2",
        "ada",
        "bob",
        "hello",
        "mail leaves the house",
    ] {
        assert!(message.contains(shown), "{message}");
    }
    assert!(people.sent.lock().is_empty());
    client.says(&asked, allows("allow-once")).await;
    let (answer, _) = client.answer(request).await;
    assert_eq!(text(&answer["result"]), "sent", "{answer}");
    let mut sent = people.sent.lock().clone();
    sent.sort_by_key(Value::to_string);
    assert_eq!(sent, [to("ada"), to("bob")]);
    let given = people.given();
    assert_eq!(given.len(), 1, "{given:?}");
    assert_eq!(
        given[0].by,
        Answerer::new("the local user, in tester", AnswerSource::Dialogue)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_no_and_who_closes_the_question_is_told_of_and_nothing_is_sent() {
    let people = People::new(Vec::new());
    let mut client = people.client_with_session().await;
    let no = json!({ "action": "accept", "content": { "answer": "deny", "reason": "not today" } });
    for (said, told) in [
        (no, "a person did not allow this call: not today"),
        (
            json!({ "action": "decline" }),
            "a person did not allow this call",
        ),
        (
            json!({ "action": "cancel" }),
            "the question was closed without an answer",
        ),
        (
            allows("allow-everything"),
            "the question was closed without an answer",
        ),
        (
            json!({ "action": "accept" }),
            "the question was closed without an answer",
        ),
        (json!({}), "the question was closed without an answer"),
    ] {
        let request = client.begins(json!({ "code": SENDS })).await;
        let asked = client.is_asked().await;
        client.says(&asked, said.clone()).await;
        let (answer, _) = client.answer(request).await;
        assert_eq!(answer["result"]["isError"], true, "{said}: {answer}");
        assert!(text(&answer["result"]).contains(told), "{said}: {answer}");
    }
    // Nor does a client that can't ask after all.
    let request = client.begins(json!({ "code": SENDS })).await;
    let asked = client.is_asked().await;
    let error = json!({ "code": -32601, "message": "no" });
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error });
    client.say(&answer).await;
    let (answer, _) = client.answer(request).await;
    assert!(
        text(&answer["result"]).contains("closed without"),
        "{answer}"
    );
    assert!(people.sent.lock().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_closed_in_a_client_stays_open_elsewhere() {
    let people = People::new(vec![Arc::new(CommandLine)]);
    let mut client = people.client_with_session().await;
    let request = client.begins(json!({ "code": SENDS })).await;
    let asked = client.is_asked().await;
    client.says(&asked, json!({ "action": "cancel" })).await;
    people.answer(Answer::AllowOnce).await;
    let (answer, _) = client.answer(request).await;
    assert_eq!(text(&answer["result"]), "sent", "{answer}");
    // And one that was answered elsewhere is taken back.
    let request = client.begins(json!({ "code": SENDS })).await;
    let asked = client.is_asked().await;
    people.answer(Answer::AllowOnce).await;
    let (answer, before) = client.answer(request).await;
    assert_eq!(text(&answer["result"]), "sent", "{answer}");
    let taken_back = |message: &Value| {
        message["method"] == "notifications/cancelled"
            && message["params"]["requestId"] == asked["id"]
    };
    assert!(before.iter().any(taken_back), "{before:?}");
    assert_eq!(people.sent.lock().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_2026_keeps_a_state_that_is_good_once_and_for_one_principal() {
    let people = People::new(Vec::new());
    let mut client = people.client();
    let asks = client.execute(json!({ "code": SENDS })).await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let (name, request) = only(&asks["inputRequests"]);
    let message = request["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("mail.send") && message.contains("ada"),
        "{message}"
    );
    // It says nothing, not even which run or question it is.
    let state = asks["requestState"].as_str().unwrap().to_owned();
    let question = people.question().await.question;
    for told in [question.id.to_string(), question.caller.run.clone()] {
        assert!(!state.contains(&told), "{state}");
    }
    assert_eq!(name, format!("approval {}", question.id));
    // Somebody else can't use it, nor one that was changed.
    let other = Principal::new("mallory");
    assert!(people.dialogues.open(&state, Some(&other)).await.is_err());
    for wrong in [&state[1..], "x", &format!("{state}A")] {
        let wrong = json!({ "requestState": wrong, "inputRequests": asks["inputRequests"] });
        let refused = client.goes_on(&wrong, allows("allow-once")).await;
        assert!(text(&refused).contains("not one of ours"), "{refused}");
    }
    assert!(people.sent.lock().is_empty());
    let done = client.goes_on(&asks, allows("allow-once")).await;
    assert_eq!(text(&done), "sent", "{done}");
    let replayed = client.goes_on(&asks, allows("allow-run")).await;
    assert!(text(&replayed).contains("was used before"), "{replayed}");
    assert_eq!(*people.sent.lock(), [to("ada")]);
    let by = Answerer::new("the local user, in tester", AnswerSource::Dialogue);
    assert_eq!(people.given()[0].by, by);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_another_question_is_none() {
    let people = People::new(Vec::new());
    let mut client = people.client();
    let (first, second) = (
        client.execute(json!({ "code": SENDS })).await,
        client
            .execute(json!({ "code": SENDS.replace("ada", "mallory") }))
            .await,
    );
    // The first one's state, with an answer that is called like the second one's.
    let swapped = json!({
        "requestState": first["requestState"],
        "inputRequests": second["inputRequests"],
    });
    let done = client.goes_on(&swapped, allows("allow-once")).await;
    assert!(text(&done).contains("closed without an answer"), "{done}");
    let done = client
        .goes_on(&second, json!({ "action": "decline" }))
        .await;
    assert!(text(&done).contains("did not allow"), "{done}");
    assert!(people.sent.lock().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_has_nothing_to_answer_with() {
    let people = People::new(Vec::new());
    let mut client = people.client();
    let first = client.execute(json!({ "code": SENDS, "wait": 0 })).await;
    let run = id_in(&first);
    people.question().await;
    let asks = client.execute(json!({ "run": run })).await;
    let (name, _) = only(&asks["inputRequests"]);
    // What a model writes are arguments.
    for more in [
        json!({ "answer": "allow-once" }),
        json!({ "content": { "answer": "allow-once" } }),
        json!({ "requestState": asks["requestState"] }),
        json!({ "inputResponses": { (name.clone()): allows("allow-once") } }),
    ] {
        let mut arguments = object(json!({ "run": run }));
        arguments.extend(object(more));
        let refused = client.execute(arguments.into()).await;
        assert!(text(&refused).contains("unknown argument"), "{refused}");
    }
    // And scripts find nothing that answers.
    let code = "const tools_ = await tools.$search('', { limit: 100 });
        return tools_.map((tool) => tool.server + '.' + tool.name).sort().join()";
    let found = client.execute(json!({ "code": code })).await;
    assert_eq!(text(&found), "mail.read,mail.send", "{found}");
    let ended = client.execute(json!({ "run": run, "cancel": true })).await;
    assert_eq!(ended["isError"], true, "{ended}");
    assert!(people.sent.lock().is_empty() && people.given().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_can_be_asked_the_call_fails_at_once() {
    let people = People::new(Vec::new());
    for has_session in [false, true] {
        let mut client = people.client();
        client.capabilities = json!({});
        if has_session {
            client = client.with_session().await;
        }
        let denied = client.execute(json!({ "code": SENDS })).await;
        assert!(text(&denied).contains("there is nobody to ask"), "{denied}");
    }
    assert!(people.store.list().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_a_person_says_so_and_its_next_client_asks() {
    let people = People::new(Vec::new());
    for has_session in [false, true] {
        let mut client = people.client();
        if has_session {
            client = client.with_session().await;
        }
        let code = json!({ "code": SENDS, "wait": 0 });
        let run = id_in(&client.execute(code).await);
        let asked = people.question().await;
        let mut said = client.execute(json!({ "run": run, "wait": 0 })).await;
        if has_session {
            // The question is there a moment before the run says so.
            while !text(&said).contains("waits for a person to allow mail.send") {
                assert_eq!(id_in(&said), run, "{said}");
                said = client.execute(json!({ "run": run, "wait": 0 })).await;
            }
            let said = text(&said);
            assert!(said.contains("tell yours"), "{said}");
            assert!(!said.contains("ada") && !said.contains("hello"), "{said}");
        }
        // It vanishes.
        drop(client);
        let mut other = people.client();
        let done = match has_session {
            false => {
                let asks = other.execute(json!({ "run": run })).await;
                other.goes_on(&asks, allows("allow-once")).await
            }
            true => {
                other = other.with_session().await;
                let request = other.begins(json!({ "run": run })).await;
                let asked = other.is_asked().await;
                other.says(&asked, allows("allow-once")).await;
                other.answer(request).await.0["result"].clone()
            }
        };
        assert_eq!(text(&done), "sent", "{done}");
        let found = people.store.get(asked.question.id).unwrap();
        assert!(matches!(found.state, State::Answered(_)), "{found:?}");
    }
    assert_eq!(people.sent.lock().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_not_asked_has_its_answer_while_others_are() {
    let mut people = People::new(vec![Arc::new(CommandLine)]);
    people.server.runs.person_wait = Duration::from_millis(100);
    let mut client = people.client();
    client.capabilities = json!({});
    let goes_on = client.execute(json!({ "code": SENDS })).await;
    assert!(
        text(&goes_on).contains("waits for a person to allow mail.send"),
        "{goes_on}"
    );
    let run = id_in(&goes_on);
    people.answer(Answer::AllowOnce).await;
    let done = client.execute(json!({ "run": run })).await;
    assert_eq!(text(&done), "sent", "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_come_while_somebody_looks_are_asked_about_after_that() {
    let people = People::new(Vec::new());
    let mut client = people.client_with_session().await;
    let code = "const first = tools.mail.send({ to: 'ada', text: 'hello' });
        await tools.mail.read({ held: true });
        await Promise.all([first, tools.mail.send({ to: 'bob', text: 'hello' })]); return 'sent'";
    let request = client.begins(json!({ "code": code })).await;
    let asked = client.is_asked().await;
    // The second call comes when the first is looked at, however long it took to ask.
    people.sent.lets_go.notify_one();
    let added = async {
        while people.question().await.question.calls.len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, added)
        .await
        .expect("in time");
    client.says(&asked, allows("allow-once")).await;
    let asked = client.is_asked().await;
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("bob") && !message.contains("ada"),
        "{message}"
    );
    client.says(&asked, allows("deny")).await;
    let (answer, _) = client.answer(request).await;
    assert!(
        text(&answer["result"]).contains("did not allow"),
        "{answer}"
    );
    assert_eq!(*people.sent.lock(), [to("ada")]);
}

/// The folder of parked runs, and runs that are parked as soon as they wait.
fn parks(runtime: ampoule::RuntimeBuilder, folder: &TempDir) -> ampoule::RuntimeBuilder {
    let parked = folder.path().join("parked");
    runtime
        .parked(parked, ParkedLimits::default())
        .park_after(Duration::from_millis(20))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_state_of_the_process_before_counts_once() {
    let people = People::with(Vec::new(), parks);
    let mut client = people.client();
    let asks = client.execute(json!({ "code": SENDS })).await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let parked = async {
        while people
            .server
            .runs
            .shared
            .runtime
            .all_parked()
            .unwrap()
            .is_empty()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, parked)
        .await
        .expect("it is parked");
    people.server.suspend();
    let People {
        folder,
        store,
        sent,
        server,
        ..
    } = people;
    drop((client, server));
    // As a process after this one has it.
    let (after, _) = self::server(&folder, &store, &sent, Vec::new(), parks);
    after.resume_parked().await;
    let mut client = Client::of(&after);
    let done = client.goes_on(&asks, allows("allow-once")).await;
    assert_eq!(text(&done), "sent", "{done}");
    let replayed = client.goes_on(&asks, allows("allow-once")).await;
    assert!(text(&replayed).contains("was used before"), "{replayed}");
    assert_eq!(*sent.lock(), [to("ada")]);
}

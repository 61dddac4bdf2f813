//! Mails to customers, from the script that drafts them to the proof of what was done: people are
//! asked before anything is sent, the host is killed while they are, and the model sees no address.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

pub(super) const SCRIPT: &str = "const { customers } = await tools.mail.listCustomers({});
const drafts = customers.map(({ name, email }) => ({ to: email, subject: 'Your invoice', body: `Dear ${name}` }));
console.log('drafts to', drafts.map(draft => draft.to).join(', '));
const sent = await Promise.all(drafts.map(draft => tools.mail.send(draft)));
return sent.map(mail => mail.sent)";

/// Where runs of nobody in particular are kept that wait.
const PARKED: &str = "data/ampoule/parked/local";

/// A place to tell the story in, and what the model has read in it.
pub(super) struct Story {
    pub(super) workplace: Workplace,
    pub(super) read: Vec<Value>,
}

impl Story {
    /// With this in the configuration, beside the servers, tokens and the audit log.
    pub(super) fn new(more: &str) -> Self {
        let workplace = Workplace::default();
        let server = binary().with_file_name("mail-server");
        let config = format!(
            "runs.park-after = '50ms'\nprivacy.mode = 'tokens'\naudit.arguments = {{ '*' = 'full' }}\n{more}\n[servers.mail]\ncommand = '{}'\nargs = ['sent.jsonl']\n",
            server.display()
        );
        workplace.file("ampoule.toml", config);
        let read = Vec::new();
        Self { workplace, read }
    }

    /// The script begins, and is left waiting. Its id.
    pub(super) async fn begin(&mut self, served: &mut Served) -> String {
        let arguments = json!({"code": SCRIPT, "language": "typescript", "wait": 0.5});
        let said = self.model(served, &arguments).await;
        let id = said.split_whitespace().nth(1).expect("an id").to_owned();
        assert!(said.starts_with("Run "), "{said}");
        id
    }

    /// The model calls `execute_code`.
    pub(super) async fn model(&mut self, served: &mut Served, arguments: &Value) -> String {
        let id = self.read.len() + 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}});
        let answer = served.ask(request).await;
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_default().to_owned();
        self.read.push(answer);
        text
    }

    /// Waits until the run that asks is on disk.
    pub(super) async fn is_parked(&self) {
        let parked = self.workplace.path().join(PARKED);
        let is_there = || {
            let files = fs::read_dir(&parked).into_iter().flatten().flatten();
            files
                .into_iter()
                .any(|file| file.path().extension().is_some_and(|it| it == "run"))
        };
        while !is_there() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What is asked, once something is.
    async fn asked(&self) -> Value {
        loop {
            let listed = self.workplace.run(&["approvals", "--json"]).await.json();
            if listed != json!([]) {
                return listed;
            }
        }
    }

    /// What was sent, in the order of the receivers.
    pub(super) fn sent(&self) -> Vec<Value> {
        let file: PathBuf = self.workplace.path().join("sent.jsonl");
        let lines = fs::read_to_string(file).unwrap_or_default();
        let mut sent: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        sent.sort_by_key(|mail| mail["to"].to_string());
        sent
    }

    /// Each mail was sent once, as it was shown; the log proves it; and the model saw no address.
    pub(super) async fn is_told(&self, last: &str) {
        let mail = |name: &str, to: &str| json!({"to": format!("{to}@customers.example"), "subject": "Your invoice", "body": format!("Dear {name}")});
        let expected = [
            mail("Ada Birch", "ada.birch"),
            mail("Grace Elm", "grace.elm"),
            mail("Mary Oak", "mary.oak"),
        ];
        assert_eq!(self.sent(), expected);
        for number in 1..=3 {
            assert!(last.contains(&format!("<email:{number}>")), "{last}");
        }
        for read in &self.read {
            assert!(!read.to_string().contains("customers.example"), "{read}");
        }
        let verified = self.workplace.run(&["audit", "verify"]).await;
        assert_eq!(verified.code, Some(0), "{verified:?}");
        let shown = self.workplace.run(&["audit", "ls", "--json"]).await;
        let calls = |kind: &str| {
            let lines = shown.stdout.lines();
            lines
                .filter(|line| line.contains(kind) && line.contains("\"send\""))
                .count()
        };
        assert_eq!(calls("call-asked"), 3, "{}", shown.stdout);
    }
}

#[tokio::test]
async fn mails_are_sent_once_after_the_host_was_killed_while_a_person_was_asked() {
    let mut story = Story::new("approvals = { ask = 'outgoing', places = ['command-line'] }");
    let mut served = Served::greeted(&story.workplace, &[]).await;
    let id = story.begin(&mut served).await;
    story.is_parked().await;
    let listed = story.asked().await;
    // It is killed, and what it had asked is still asked.
    served.kill().await;
    assert_eq!(story.asked().await, listed);
    let [question] = listed.as_array().expect("a list").as_slice() else {
        panic!("{listed}")
    };
    let calls = question["question"]["calls"].as_array().expect("calls");
    assert_eq!(calls.len(), 3, "{question}");
    assert_eq!(story.sent(), [Value::Null; 0]);
    let question = question["question"]["id"].as_str().expect("an id");
    let shown = story.workplace.run(&["approvals", "show", question]).await;
    // The person who is asked sees what is really sent.
    assert!(
        shown.stdout.contains("ada.birch@customers.example"),
        "{shown:?}"
    );
    let allowed = story.workplace.run(&["approvals", "allow", question]).await;
    assert_eq!(allowed.code, Some(0), "{allowed:?}");

    let mut served = Served::greeted(&story.workplace, &[]).await;
    let waits = json!({"run": id, "wait": 60});
    let last = story.model(&mut served, &waits).await;
    story.is_told(&last).await;
    // Nothing more comes of the answer.
    let allowed = story.workplace.run(&["approvals", "allow", question]).await;
    assert_eq!(allowed.code, Some(2), "{allowed:?}");
    served.close().await;
    story.is_told(&last).await;
}

//! The lines of `--json`: a program gives tasks, answers questions, and stops.

use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use ampoule_tests::model::{ModelReply, ModelServer, script};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::{arguments, configuration};

struct Program {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn start(workplace: &Workplace, model: &ModelServer) -> Self {
        let address = model.address("openai");
        let mut command = workplace.command(binary(), &arguments(&address, &["--json"]));
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a process");
        let stdin = child.stdin.take().expect("standard input");
        let stdout = child.stdout.take().expect("standard output");
        Self {
            child,
            stdin,
            lines: BufReader::new(stdout).lines(),
        }
    }

    async fn send(&mut self, line: Value) {
        self.stdin
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("it reads");
    }

    /// The events until one of a type, which is the last.
    async fn until(&mut self, kind: &str) -> Value {
        loop {
            let line = tokio::time::timeout(Duration::from_secs(120), self.lines.next_line()).await;
            let line = line.expect("in time").expect("text").expect("an event");
            let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            if event["type"] == kind {
                return event;
            }
        }
    }

    async fn close(mut self) -> Option<i32> {
        drop(self.stdin);
        while let Ok(Some(_)) = self.lines.next_line().await {}
        self.child.wait().await.expect("a status").code()
    }
}

fn close_ticket() -> ModelReply {
    let close = "return (await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'done' })).status";
    ModelReply::Calls(String::new(), vec![script(close, "typescript")])
}

#[tokio::test]
async fn a_program_answers_approvals_and_gives_more_tasks() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", configuration());
    let replies = [
        close_ticket(),
        ModelReply::Says("denied".to_owned()),
        close_ticket(),
        ModelReply::Says("closed".to_owned()),
        close_ticket(),
        ModelReply::Says("closed indeed".to_owned()),
    ];
    let model = ModelServer::playing(replies).await;
    let mut program = Program::start(&workplace, &model);
    // A program may wait for the beginning.
    assert_eq!(program.until("begin").await["model"], "scripted");
    program.send(json!({ "task": "Close ticket 2." })).await;
    let question = program.until("question").await;
    let message = question["params"]["message"].as_str().expect("a message");
    assert!(
        message.contains("close_ticket") && message.contains("TIC-0002"),
        "{question}"
    );
    program.send(json!({ "id": question["id"], "action": "accept", "content": { "answer": "deny", "reason": "not yet" } })).await;
    let result = program.until("result").await;
    assert!(
        result["text"].as_str().unwrap().contains("not yet"),
        "{result}"
    );
    assert_eq!(program.until("end").await["text"], "denied");
    program.send(json!({ "task": "Now." })).await;
    let question = program.until("question").await;
    // An answer without an action leaves the question open, and so does an unknown action.
    program
        .send(json!({ "id": question["id"], "content": { "answer": "allow-once" } }))
        .await;
    program
        .send(
            json!({ "id": question["id"], "action": "yes", "content": { "answer": "allow-once" } }),
        )
        .await;
    program.send(json!({ "id": question["id"], "action": "accept", "content": { "answer": "deny", "reason": "too late" } })).await;
    let result = program.until("result").await;
    assert!(
        result["text"].as_str().unwrap().contains("too late"),
        "{result}"
    );
    assert_eq!(program.until("end").await["text"], "closed");
    program.send(json!({ "task": "Now indeed." })).await;
    let question = program.until("question").await;
    program.send(json!({ "id": question["id"], "action": "accept", "content": { "answer": "allow-once" } })).await;
    let result = program.until("result").await;
    assert!(
        result["text"].as_str().unwrap().contains("closed"),
        "{result}"
    );
    assert_eq!(program.until("end").await["ending"], "answered");
    assert_eq!(program.close().await, Some(0));
}

#[tokio::test]
async fn a_program_that_answers_nothing_denies_and_one_that_cancels_stops() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", configuration());
    let endless = script(
        "await new Promise(done => setTimeout(done, 100_000))",
        "typescript",
    );
    let quick = || script("return 'quick'", "typescript");
    let replies = [
        ModelReply::Calls(String::new(), vec![quick(), endless, quick()]),
        close_ticket(),
        ModelReply::Says("nobody is there".to_owned()),
    ];
    let model = ModelServer::playing(replies).await;
    let mut program = Program::start(&workplace, &model);
    program.send(json!({ "task": "Wait." })).await;
    for _ in 0..2 {
        program.until("call").await;
    }
    program.send(json!({ "cancel": true })).await;
    let result = program.until("result").await;
    assert!(
        result["text"].as_str().unwrap().contains("UNKNOWN"),
        "{result}"
    );
    assert_eq!(program.until("end").await["ending"], "cancelled");
    program.send(json!({ "task": "Close ticket 2." })).await;
    program.until("question").await;
    assert_eq!(program.close().await, Some(0));
    let requests = model.requests().await;
    // Each call has a result, which says what is known of it.
    let texts = requests[1].texts();
    let [.., done, stopped, not_begun, _] = &texts[..] else {
        panic!("{texts:?}");
    };
    assert!(done.contains("quick"), "{texts:?}");
    assert!(stopped.contains("UNKNOWN"), "{texts:?}");
    assert!(not_begun.contains("not done"), "{texts:?}");
    let last = requests[2].last_text();
    assert!(last.contains("The script threw an error"), "{last}");
}

#[tokio::test]
async fn an_answer_is_read_behind_any_number_of_tasks() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", configuration());
    let replies = [close_ticket(), ModelReply::Says("done".to_owned())];
    let model = ModelServer::playing(replies).await;
    let mut program = Program::start(&workplace, &model);
    for number in 0..5 {
        program
            .send(json!({ "task": format!("Task {number}.") }))
            .await;
    }
    let question = program.until("question").await;
    program.send(json!({ "id": question["id"], "action": "accept", "content": { "answer": "allow-once" } })).await;
    for _ in 0..5 {
        assert_eq!(program.until("end").await["ending"], "answered");
    }
    assert_eq!(program.close().await, Some(0));
}

#[tokio::test]
async fn a_task_that_a_program_cancelled_last_has_the_exit_code_of_ctrl_c() {
    let workplace = Workplace::default();
    let model = ModelServer::playing([ModelReply::Hangs("thinking".to_owned())]).await;
    let mut program = Program::start(&workplace, &model);
    program.send(json!({ "task": "Think." })).await;
    program.until("text").await;
    program.send(json!({ "cancel": true })).await;
    assert_eq!(program.until("end").await["ending"], "cancelled");
    assert_eq!(program.close().await, Some(130));
}

//! The servers that cases call: those of `guests/python/tests/_ampoule.py`, where they are made for
//! a native Python.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ampoule::ToolResult;
use ampoule_projection::Tool;
use ampoule_tests::binding::{self, Stub, returned};
use futures::future::FutureExt;
use serde_json::{Map, Value, json};

/// What a tool answers.
#[derive(Clone)]
enum Answer {
    /// The arguments that it was given.
    Echo,
    /// A value.
    Value(Value),
    /// That it failed.
    Failure,
    /// That it failed, with its arguments as data.
    Data,
    /// Nothing, ever.
    Nothing,
}

/// The calls of one run, in the order of their starts.
#[derive(Default, Clone)]
pub(super) struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    /// Each call's tool and arguments.
    pub(super) fn started(&self) -> Vec<String> {
        self.0.lock().expect("it is whole").clone()
    }

    fn add(&self, tool: &str, arguments: &Map<String, Value>) {
        let arguments = Value::Object(arguments.clone());
        let mut calls = self.0.lock().expect("it is whole");
        calls.push(format!("{tool} {arguments}"));
    }
}

/// A server to be, with the tools that it has.
struct Server {
    name: &'static str,
    description: Option<&'static str>,
    tools: Vec<Tool>,
    answers: Vec<(Answer, Duration)>,
    recorder: Recorder,
}

/// All servers, for one run.
pub(super) fn servers(recorder: &Recorder) -> [Stub; 5] {
    use Answer::{Data, Echo, Failure, Nothing};

    let server = |name, description| Server::new(name, description, recorder);
    let value = |value: Value| Answer::Value(value);
    let issue = json!({"title": "Bug", "user": {"login": "ada"}, "labels": [{"name": "x"}], "items": [1, 2]});
    [
        server("google-drive", Some("Documents"))
            .tool("get_document", &["documentId", "fields"], Echo)
            .described("Gets a document")
            .tool("slow-search", &["query"], value(json!("found")))
            // Long enough that what ends at once ends before, however busy the machine is.
            .after(100)
            .tool("fail", &[], Failure)
            .tool("fail_later", &[], Failure)
            .after(1)
            .tool("build", &[], Data)
            .tool("never", &[], Nothing),
        server("github", Some("GitHub"))
            .tool("create_issue", &["repo", "title", "from", "pageSize"], Echo)
            .described("Opens an issue")
            .tool("get_issue", &["number"], value(issue))
            .tool("wait", &["seconds"], value(json!("waited")))
            .after(1_000)
            .tool("rows", &[], value(rows())),
        server("odd", None)
            .tool("class", &[], value(json!("class")))
            .tool("two words", &["a"], value(json!("two words")))
            // Natively its answer is not JSON; a binding can't give such an answer.
            .tool("broken", &[], Nothing),
        server("fetch", None).tool("fetch", &["url"], Echo),
        server("search", Some("Web search")).tool("web", &["query"], value(json!([1]))),
    ]
    .map(Server::stub)
}

fn rows() -> Value {
    let row = |at: u32| json!({"id": at, "name": format!("row {at}"), "price": f64::from(at) / 4.0, "tags": ["a", "b"], "items": null});
    (0..100).map(row).collect()
}

impl Server {
    fn new(name: &'static str, description: Option<&'static str>, recorder: &Recorder) -> Self {
        Self {
            name,
            description,
            tools: Vec::new(),
            answers: Vec::new(),
            recorder: recorder.clone(),
        }
    }

    fn tool(mut self, name: &str, parameters: &[&str], answer: Answer) -> Self {
        let properties: Map<String, Value> = parameters
            .iter()
            .map(|&parameter| (parameter.to_owned(), json!({})))
            .collect();
        let schema = json!({"type": "object", "properties": properties});
        self.tools.push(binding::tool(name, schema));
        self.answers.push((answer, Duration::ZERO));
        self
    }

    /// What the last tool says of itself.
    fn described(mut self, description: &str) -> Self {
        let tool = self.tools.last_mut().expect("a tool");
        tool.description = Some(description.to_owned());
        self
    }

    /// How long the last tool takes, in milliseconds.
    fn after(mut self, millis: u64) -> Self {
        self.answers.last_mut().expect("a tool").1 = Duration::from_millis(millis);
        self
    }

    fn stub(self) -> Stub {
        let Self {
            name,
            description,
            tools,
            answers,
            recorder,
        } = self;
        let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        let stub = Stub::new(name, tools).described(description);
        stub.answering(move |tool, arguments| {
            recorder.add(tool, &arguments);
            let at = names.iter().position(|name| name == tool);
            let (answer, after) = answers[at.expect("a tool of this server")].clone();
            async move {
                if !after.is_zero() {
                    tokio::time::sleep(after).await;
                }
                match answer {
                    Answer::Echo => returned(Value::Object(arguments).to_string()),
                    Answer::Value(value) => returned(value.to_string()),
                    Answer::Failure => ToolResult::failed("no such page"),
                    Answer::Data => ToolResult {
                        is_error: true,
                        content: vec![json!({"type": "text", "text": "compile failed"})],
                        ..returned(Value::Object(arguments).to_string())
                    },
                    Answer::Nothing => std::future::pending().await,
                }
            }
            .boxed()
        })
    }
}

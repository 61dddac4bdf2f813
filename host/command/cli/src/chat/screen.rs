//! What happens during a task, as people read it: the model's text on standard output, all else on
//! standard error.

use std::collections::HashMap;

use ampoule_chat::agent::{Bound, Event};
use ampoule_chat::endpoint::Usage;
use ampoule_chat::script::{self, Highlighter, SpanKind};
use ampoule_untrusted::text::{one_line, visible};
use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::flow::Flow;
use crate::asking::Person;
use crate::streams::{self, Stream, Waiting};

/// How many lines of a result are shown.
const RESULT_LINES: usize = 16;
/// How long a line of a result or of arguments may be, in characters.
const LINE_CHARS: usize = 400;

const DIM: Style = Style::new().dimmed();
const WORD: Style = AnsiColor::Magenta.on_default();
const TEXT: Style = AnsiColor::Green.on_default();
const NUMBER: Style = AnsiColor::Cyan.on_default();
const WRONG: Style = AnsiColor::Red.on_default();

/// Shows events.
pub(super) struct Screen {
    said: Flow,
    scripts: HashMap<String, WrittenScript>,
    waiting: Option<Waiting>,
    model: String,
    /// Who is asked in between: nothing is redrawn meanwhile.
    person: Option<Person>,
}

/// A script that the model writes.
#[derive(Default)]
struct WrittenScript {
    /// The line that is not whole yet.
    line: String,
    highlighter: Highlighter,
}

impl Screen {
    pub(super) fn new(model: &str, person: Option<Person>) -> Self {
        Self {
            said: Flow::new(streams::out()),
            scripts: HashMap::new(),
            waiting: None,
            model: one_line(model).into_owned(),
            person,
        }
    }

    /// A task begins.
    pub(super) fn begin(&mut self) {
        self.wait(format!("waiting for {}", self.model));
    }

    /// Shows an event.
    pub(super) fn hear(&mut self, event: Event) {
        match event {
            Event::Text { text } => {
                self.quiet();
                self.said.push(&text);
            }
            Event::Writing { call, tool } => self.begin_call(call, &tool),
            Event::Code { call, text } => self.code(&call, &text),
            Event::Call {
                call,
                tool,
                arguments,
            } => self.call(&call, &tool, &arguments),
            Event::Progress { message, .. } => self.progress(&message),
            Event::ToolCall {
                server,
                tool,
                milliseconds,
                is_error,
            } => {
                let (mark, style) = if is_error {
                    ("✗", WRONG)
                } else {
                    ("✓", DIM)
                };
                let name = one_line(&format!("{server}.{tool}")).into_owned();
                let err = streams::err();
                err.line(err.painted(style, &format!("  {mark} {name} {milliseconds} ms")));
            }
            Event::Result { text, is_error, .. } => self.result(&text, is_error),
            Event::Retry { why, wait_ms } => {
                self.pause();
                self.scripts.clear();
                let seconds = wait_ms as f64 / 1e3;
                streams::err().warning(format_args!("{why}; asking again in {seconds} s"));
                self.begin();
            }
            Event::Shortened { what } => {
                self.pause();
                streams::err().note(format_args!(
                    "the conversation is longer than the model can read: {what}"
                ));
                self.begin();
            }
            Event::End {
                ending,
                bound,
                message,
                steps,
                usage,
                cost,
                milliseconds,
                ..
            } => {
                self.pause();
                say_end(ending, bound, message.as_deref());
                say_spending(&Spent {
                    steps,
                    usage,
                    cost,
                    milliseconds,
                });
            }
            _ => {}
        }
    }

    /// The lines so far end: something else is about to be written.
    pub(super) fn pause(&mut self) {
        self.quiet();
        self.said.end();
    }

    fn quiet(&mut self) {
        self.waiting = None;
    }

    fn wait(&mut self, what: String) {
        // A line of text that is not whole would be erased.
        if self.said.is_open() {
            return;
        }
        let waiting = self.waiting.get_or_insert_with(|| streams::err().waiting());
        waiting.on(what);
    }

    /// How far a run is; the line counts the seconds itself.
    fn progress(&mut self, message: &str) {
        if self.person.as_ref().is_some_and(Person::is_asked) {
            return self.quiet();
        }
        let said = match message.split_once("; ") {
            Some((time, rest)) if time.starts_with("running for ") => rest,
            _ => message,
        };
        self.wait(one_line(said).into_owned());
    }

    fn begin_call(&mut self, call: String, tool: &str) {
        self.pause();
        if tool == script::TOOL {
            let err = streams::err();
            err.line(err.painted(DIM, "╭ script"));
            self.scripts.insert(call, WrittenScript::default());
        }
    }

    /// Shows the lines of a script that are whole.
    fn code(&mut self, call: &str, text: &str) {
        self.quiet();
        let Some(script) = self.scripts.get_mut(call) else {
            return;
        };
        script.line.push_str(text);
        while let Some((line, rest)) = script.line.split_once('\n') {
            say_code(&mut script.highlighter, line);
            script.line = rest.to_owned();
        }
    }

    /// A call is made: the rest of its script, or what it is.
    fn call(&mut self, call: &str, tool: &str, arguments: &Value) {
        self.pause();
        let err = streams::err();
        if let Some(mut script) = self.scripts.remove(call) {
            if !script.line.is_empty() {
                say_code(&mut script.highlighter, &script.line);
            }
            let end = match arguments.get("code") {
                Some(_) => "╰ runs".to_owned(),
                None => format!("╰ {}", shown(&arguments.to_string())),
            };
            err.line(err.painted(DIM, &end));
        } else {
            let line = format!("→ {tool} {arguments}");
            err.line(err.painted(DIM, &shown(&line)));
        }
        self.wait(format!("running {}", one_line(tool)));
    }

    fn result(&mut self, text: &str, is_error: bool) {
        self.pause();
        let err = streams::err();
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().take(RESULT_LINES) {
            let line = format!("  {}", shown(line));
            err.line(match is_error {
                true => err.painted(WRONG, &line),
                false => err.painted(DIM, &line),
            });
        }
        if let Some(more) = lines
            .len()
            .checked_sub(RESULT_LINES)
            .filter(|&more| more > 0)
        {
            err.line(err.painted(
                DIM,
                &format!("  … {more} more lines, which the model reads"),
            ));
        }
        self.begin();
    }
}

/// A line of others, cut where it is very long.
fn shown(line: &str) -> String {
    let cut: String = line.chars().take(LINE_CHARS).collect();
    let more = if cut.len() < line.len() { " …" } else { "" };
    format!("{}{more}", visible(&cut))
}

fn say_code(highlighter: &mut Highlighter, line: &str) {
    let err = streams::err();
    let spans = highlighter.line(line);
    let parts = spans
        .iter()
        .map(|span| paint(err, span.kind, &visible(span.text)));
    err.line(format_args!(
        "{} {}",
        err.painted(DIM, "│"),
        parts.collect::<String>()
    ));
}

fn paint(stream: &Stream, kind: SpanKind, text: &str) -> String {
    match kind {
        SpanKind::Keyword => stream.painted(WORD, text),
        SpanKind::Text => stream.painted(TEXT, text),
        SpanKind::Number => stream.painted(NUMBER, text),
        SpanKind::Comment => stream.painted(DIM, text),
        SpanKind::Plain => text.to_owned(),
    }
}

fn say_end(ending: &str, bound: Option<Bound>, message: Option<&str>) {
    let err = streams::err();
    match (ending, bound, message) {
        (_, Some(bound), _) => err.warning(format_args!(
            "stopped: the bound of {bound} is reached; raise --{bound}, or let the model continue with a further task"
        )),
        (_, _, Some(message)) => err.failure(message),
        ("cut", ..) => err.warning(
            "the answer is cut: it is as long as the endpoint allows; ask the model to continue, or for a shorter answer",
        ),
        ("refused", ..) => err.warning("the model refused; say the task in other words"),
        ("cancelled", ..) => err.note("stopped"),
        _ => {}
    }
}

/// What a task took.
pub(super) struct Spent {
    pub(super) steps: u32,
    pub(super) usage: Usage,
    pub(super) cost: Option<f64>,
    pub(super) milliseconds: u64,
}

pub(super) fn say_spending(spent: &Spent) {
    let Spent {
        steps,
        usage,
        cost,
        milliseconds,
    } = spent;
    let about = if usage.estimated { "about " } else { "" };
    let cost = cost.map_or_else(String::new, |cost| format!(", cost {cost:.4}"));
    let written = match usage.written {
        0 => String::new(),
        written => format!(", {written} into it"),
    };
    let requests = if *steps == 1 { "request" } else { "requests" };
    streams::err().note(format_args!(
        "{steps} {requests}, {about}{} tokens read ({} from the cache{written}) and {} written{cost}, {:.1} s",
        usage.input,
        usage.cached,
        usage.output,
        *milliseconds as f64 / 1e3
    ));
}

//! Reports of starts: text for people, and a line of JSON each for programs.

use ampoule_server::content::media;
use ampoule_tokens::Cost;
use ampoule_untrusted::{json, text};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::json;

use super::calls::CallView;
use super::difference::Difference;
use super::remarks::{Level, Remark};
use super::saves;
use super::target::Target;
use super::view::{ServerView, ToolView};
use crate::cost::grouped;
use crate::probe::counted;
use crate::streams;

/// How many tools a screen has, and how many lines of a declaration or an answer.
const MOST_TOOLS: usize = 40;
const MOST_LINES: usize = 60;
/// How many changes a screen has, and remarks on one tool.
const MOST_CHANGES: usize = 40;
const MOST_REMARKS: usize = 6;
/// The longest line of a declaration or an answer, in characters.
const MOST_COLUMNS: usize = 300;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const WARNED: Style = AnsiColor::Yellow.on_default();
const FAILED: Style = AnsiColor::Red.on_default().bold();

/// A start, and what came of it.
#[derive(Clone, Copy)]
pub(super) struct Report<'a> {
    /// Counted from 1.
    pub(super) number: u64,
    /// The files that changed before it.
    pub(super) saved: &'a [String],
    /// The server, or why it can't be used.
    pub(super) seen: Result<&'a ServerView, &'a str>,
    /// What is different from the last start that went well.
    pub(super) difference: Option<&'a Difference>,
}

/// The same as JSON.
#[derive(Serialize)]
struct ReportLine<'a> {
    r#type: &'static str,
    number: u64,
    saved: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<&'a ServerView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a Difference>,
}

/// Where reports go.
pub(super) struct Screen {
    as_json: bool,
    /// Whether declarations are shown.
    has_types: bool,
}

impl Screen {
    pub(super) fn new(as_json: bool, has_types: bool) -> Self {
        Self { as_json, has_types }
    }

    pub(super) fn show(&self, report: &Report<'_>) {
        if self.as_json {
            return print(report);
        }
        let Report {
            number,
            saved,
            seen,
            difference,
        } = report;
        if *number > 1 {
            say_saved(saved);
        }
        match seen {
            Ok(view) => self.say_server(view, *difference),
            Err(why) => {
                let out = streams::out();
                let why = out.prose(why);
                out.line(format_args!(
                    "{}{}",
                    out.painted(FAILED, "failed: "),
                    cut(&why).join("\n")
                ));
            }
        }
    }

    /// Says what is watched, after the first report.
    pub(super) fn say_watched(&self, target: &Target, note: Option<String>) {
        if self.as_json {
            return;
        }
        let places = target.places.iter().map(|place| saves::shown(place));
        let places: Vec<_> = places.take(MOST_CHANGES).collect();
        let err = streams::err();
        err.note(format_args!("watching {}; Ctrl-C ends", places.join(", ")));
        if let Some(note) = note {
            err.warning(note);
        }
    }

    /// Says that the server ended by itself.
    pub(super) fn say_ended(&self, why: &str) {
        let out = streams::out();
        if self.as_json {
            out.line(json!({ "type": "ended", "error": why }));
            return;
        }
        let why = out.prose(why);
        out.line(format_args!(
            "{}{}",
            out.painted(FAILED, "ended: "),
            cut(&why).join("\n")
        ));
    }

    fn say_server(&self, view: &ServerView, difference: Option<&Difference>) {
        let out = streams::out();
        say_head(view);
        let (shown, left_out) = shown_tools(&view.tools, difference);
        for tool in shown {
            self.say_tool(tool);
        }
        if left_out > 0 {
            let tools = counted(left_out, "tool");
            out.line(format_args!("… and {tools} more: `--json` has all of them"));
        }
        if !view.remarks.is_empty() {
            out.line("");
            say_remarks(&view.remarks, "");
        }
        match difference {
            None => {}
            Some(difference) if difference.is_empty() => {
                out.line("\nno tool changed since the last save");
            }
            Some(difference) => say_difference(difference),
        }
        view.calls.iter().for_each(say_call);
    }

    fn say_tool(&self, tool: &ToolView) {
        let out = streams::out();
        out.line("");
        if self.has_types {
            for line in cut(&text::visible(tool.declaration.trim_end())) {
                out.line(line);
            }
        } else {
            out.line(out.wrapped(&text::one_line(&tool.signature), "", "  "));
        }
        let tokens = counted(tool.tokens, "token");
        let sample = match &tool.sample {
            Some(sample) => format!("{tokens}; try `{}`", text::one_line(sample)),
            None => tokens,
        };
        let sample = out.wrapped(&sample, "  ", "    ");
        out.line(out.painted(DIM, &sample));
        say_remarks(&tool.remarks, "  ");
    }
}

/// Writes a report as a line of JSON.
fn print(report: &Report<'_>) {
    let line = ReportLine {
        r#type: "report",
        number: report.number,
        saved: report.saved,
        server: report.seen.ok(),
        error: report.seen.err(),
        difference: report.difference,
    };
    match serde_json::to_string(&line) {
        Ok(line) => streams::out().json(&line),
        Err(error) => tracing::error!(%error, "a report can't be written"),
    }
}

/// A line between two reports, with what was saved.
fn say_saved(saved: &[String]) {
    let out = streams::out();
    let files: Vec<_> = saved.iter().take(MOST_REMARKS).cloned().collect();
    let more = match saved.len() - files.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let line = format!("── saved: {}{more} ", files.join(", "));
    let columns = out.width().unwrap_or(80).min(100);
    let rest = columns.saturating_sub(line.chars().count());
    out.line(format_args!(
        "\n{}",
        out.painted(DIM, &format!("{line}{}", "─".repeat(rest)))
    ));
}

/// Which server it is, and what its tools cost.
fn say_head(view: &ServerView) {
    let out = streams::out();
    let program = view.program.as_deref().unwrap_or(&view.name);
    let version = view.version.as_deref().map(|version| format!(" {version}"));
    let program = format!("{program}{}", version.unwrap_or_default());
    let protocol = view.protocol_version.as_deref();
    let protocol = protocol.map(|version| format!(", MCP {version}"));
    let facts = format!(
        ": {} in {:.2} s{}",
        counted(view.tools.len(), "tool"),
        view.started_in_ms as f64 / 1000.0,
        protocol.unwrap_or_default()
    );
    let program = text::one_line(&program).into_owned();
    let facts = text::one_line(&facts).into_owned();
    out.line(format_args!("{}{facts}", out.painted(BOLD, &program)));
    out.line(out.wrapped(&tokens(&view.tokens), "", "  "));
}

/// What the tools cost a model, in a sentence.
fn tokens(cost: &Cost) -> String {
    let [directly, ampoule, search] =
        [cost.directly, cost.through_ampoule, cost.search.average].map(|it| grouped(it as u64));
    let search = match cost.signatures_included {
        true => String::new(),
        false => format!(", and a search {search}"),
    };
    format!(
        "In every conversation the tools take {directly} tokens; with Ampoule's tools in their place {ampoule}{search}."
    )
}

/// The tools that a screen has room for, in their order, and how many others there are. Those that
/// changed go first, then those with remarks.
fn shown_tools<'a>(
    tools: &'a [ToolView],
    difference: Option<&Difference>,
) -> (Vec<&'a ToolView>, usize) {
    let is_changed = |tool: &ToolView| {
        difference.is_some_and(|difference| {
            let changed = difference.changed.iter().map(|changed| &changed.tool);
            difference
                .added
                .iter()
                .chain(changed)
                .any(|name| *name == tool.name)
        })
    };
    let rank = |tool: &ToolView| match (is_changed(tool), tool.remarks.is_empty()) {
        (true, _) => 0,
        (_, false) => 1,
        _ => 2,
    };
    let mut places: Vec<_> = (0..tools.len()).collect();
    places.sort_by_key(|place| rank(&tools[*place]));
    places.truncate(MOST_TOOLS);
    places.sort_unstable();
    let left_out = tools.len() - places.len();
    (
        places.into_iter().map(|place| &tools[place]).collect(),
        left_out,
    )
}

fn say_remarks(remarks: &[Remark], indent: &str) {
    let out = streams::out();
    let others = format!("{indent}  ");
    for remark in remarks.iter().take(MOST_REMARKS) {
        let (name, style) = match remark.level {
            Level::Warning => ("warning", WARNED),
            Level::Note => ("note", DIM),
        };
        let said = out.wrapped(&format!("{name}: {}", remark.text), indent, &others);
        // Colours would count as columns.
        let painted = out.painted(style, name);
        out.line(said.replacen(name, &painted, 1));
    }
    if remarks.len() > MOST_REMARKS {
        let more = counted(remarks.len() - MOST_REMARKS, "remark");
        out.line(format_args!("{indent}… and {more} more"));
    }
}

fn say_difference(difference: &Difference) {
    let out = streams::out();
    out.line("\nsince the last save:");
    let added = difference.added.iter().map(|tool| format!("+ {tool}"));
    let removed = difference.removed.iter().map(|tool| format!("- {tool}"));
    let changed = difference.changed.iter();
    let changed = changed.map(|it| format!("~ {}: {}", it.tool, it.changes.join("; ")));
    let lines: Vec<_> = added.chain(removed).chain(changed).collect();
    for line in lines.iter().take(MOST_CHANGES) {
        out.line(out.wrapped(&text::one_line(line), "  ", "    "));
    }
    if lines.len() > MOST_CHANGES {
        out.line(format_args!("  … and {} more", lines.len() - MOST_CHANGES));
    }
}

fn say_call(call: &CallView) {
    let out = streams::out();
    let arguments = text::one_line(call.arguments.get());
    let called = format!("{}({arguments})", text::one_line(&call.tool));
    out.line("");
    out.line(out.wrapped(&format!("{called}: {} ms", call.took_ms), "", "  "));
    let answer = match (&call.error, &call.value) {
        (Some(error), _) => {
            let error = out.prose(error);
            format!("{}{error}", out.painted(FAILED, "failed: "))
        }
        (None, Some(value)) => {
            let readable = media::shown_in(value.get().into());
            text::visible(&json::indented(&readable.text)).into_owned()
        }
        (None, None) => format!("an answer of {} bytes", grouped(call.bytes as u64)),
    };
    for line in cut(&answer) {
        out.line(format_args!("  {line}"));
    }
}

/// As many lines as a screen has, each as long as it may be.
fn cut(text: &str) -> Vec<String> {
    let mut lines: Vec<_> = text
        .lines()
        .take(MOST_LINES)
        .map(|line| match line.char_indices().nth(MOST_COLUMNS) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        })
        .collect();
    let more = text.lines().count() - lines.len();
    if more > 0 {
        lines.push(format!("… and {} more", counted(more, "line")));
    }
    lines
}

//! `ampoule audit stats`: the audit log, counted, with advice.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use ampoule::{Grant, GrantedTools, Principal, cache_folder};
use ampoule_audit::{Advice, Row, Rows, Stats as Counted, advice};
use ampoule_server::ShownTools;
use ampoule_untrusted::text;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::{self as audit, EventFilter};
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::serve::USED_TOOLS;
use crate::setup::{ConfiguredRuntime, Setup};
use crate::streams;

/// How many rows of a table are shown by default.
const MOST: usize = 20;
/// How much of a script's digest is shown.
const DIGEST: usize = 12;

const EXAMPLES: &str = "Examples:
  ampoule audit stats
  ampoule audit stats --by tool --since 30d
  ampoule audit stats --principal ada --json";

/// Counts runs and calls by tool, principal, script and day, and gives advice.
///
/// The tables have runs, failures, calls, bytes of results, tokens that the same calls would have
/// cost a model, fuel and time. The last lines say which tools the model of the principal sees
/// without a search, as `[exposure]` and earlier runs have it.
#[derive(Debug, Args)]
#[command(after_help = exit::STATS_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::STATS_HELP))]
pub(super) struct Stats {
    /// Only this table.
    #[arg(long, value_enum)]
    by: Option<By>,
    /// How many rows of each table.
    #[arg(long, value_name = "N", default_value_t = MOST)]
    most: usize,
    #[command(flatten)]
    meant: EventFilter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    Tool,
    Principal,
    Script,
    Day,
}

impl By {
    const ALL: [Self; 4] = [Self::Tool, Self::Principal, Self::Script, Self::Day];

    fn title(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Principal => "principals",
            Self::Script => "scripts",
            Self::Day => "days",
        }
    }

    fn rows(self, counted: &Counted) -> &Rows {
        match self {
            Self::Tool => &counted.tools,
            Self::Principal => &counted.principals,
            Self::Script => &counted.scripts,
            Self::Day => &counted.days,
        }
    }
}

impl Stats {
    pub(super) fn execute(
        &self,
        setup: &Setup,
        output: Output,
        folder: &Path,
    ) -> Result<ExitCode, Failure> {
        let mut events = audit::events(folder, self.meant.filter())?;
        let counted = Counted::of(events.by_ref());
        let configured = setup.ungoverned()?;
        let tools = configured.runtime.tools(Grant::all())?;
        let advice = Self::advice(&tools, &counted);
        let shown = self.shown(&configured, &tools);
        match output.as_json {
            true => streams::out().json(&self.document(&counted, &advice, &shown).to_string()),
            false => {
                self.say(&counted, &advice);
                say_shown(&shown);
            }
        }
        audit::say_left_out(&events);
        Ok(ExitCode::SUCCESS)
    }

    /// The advice, from the tools that servers had last: no server is started for that.
    fn advice(tools: &GrantedTools, counted: &Counted) -> Vec<Advice> {
        let known = tools.servers().flat_map(|server| {
            let known = tools.known_tools_of(server).unwrap_or_default();
            let names = known.into_iter().map(|tool| tool.definition().name.clone());
            names
                .map(|tool| (server.name().to_string(), tool))
                .collect::<Vec<_>>()
        });
        let known: BTreeSet<(String, String)> = known.collect();
        let known = known.iter().map(|(server, tool)| (&**server, &**tool));
        advice(counted, known, SystemTime::now())
    }

    /// What the model of the principal sees of the tools without a search.
    fn shown(&self, configured: &ConfiguredRuntime, tools: &GrantedTools) -> ShownTools {
        let used = cache_folder().filter(|_| configured.counts_tools);
        let used = used.map(|folder| folder.join(USED_TOOLS));
        let principal = self.meant.principal().map(Principal::new);
        ShownTools::of(tools, &configured.exposure, used, principal.as_ref())
    }

    fn tables(&self) -> impl Iterator<Item = By> {
        let only = self.by;
        let all = By::ALL.into_iter();
        all.filter(move |by| only.is_none_or(|only| only == *by))
    }

    fn say(&self, counted: &Counted, advice: &[Advice]) {
        let out = streams::out();
        let Some((first, last)) = counted.span else {
            return streams::err().note("no matching events");
        };
        let day = |time| {
            let shown = humantime::format_rfc3339_seconds(time).to_string();
            shown.get(..16).unwrap_or_default().replace('T', " ")
        };
        out.line(out.wrapped(
            &format!(
                "from {} to {}: {}",
                day(first),
                day(last),
                told(&counted.all)
            ),
            "",
            "  ",
        ));
        for by in self.tables() {
            let rows = by.rows(counted);
            let top = rows.top();
            if top.is_empty() {
                continue;
            }
            out.line(format_args!("\n{}:", by.title()));
            for (name, row) in top.iter().take(self.most) {
                let name = text::one_line(name);
                let name = match by {
                    By::Script => name.get(..DIGEST).unwrap_or(&name),
                    _ => &name,
                };
                out.line(out.wrapped(&format!("{name}  {}", told(row)), "  ", "    "));
            }
            let more = top.len().saturating_sub(self.most) as u64 + rows.rest().1;
            if more > 0 {
                out.line(format_args!("  and {more} more"));
            }
        }
        if !advice.is_empty() {
            out.line("\nadvice:");
        }
        for one in advice {
            out.line(out.wrapped(&one.to_string(), "  ", "    "));
        }
    }

    fn document(&self, counted: &Counted, advice: &[Advice], shown: &ShownTools) -> Value {
        let time = |time| humantime::format_rfc3339_seconds(time).to_string();
        let mut document = Map::new();
        let span = counted.span.map(|(first, last)| [time(first), time(last)]);
        document.insert("span".to_owned(), json!(span));
        document.insert("all".to_owned(), json!(counted.all));
        for by in self.tables() {
            let rows = by.rows(counted);
            let top = rows.top().into_iter().take(self.most);
            let named = top.map(|(name, row)| {
                let mut row = json!(row);
                row["name"] = json!(name);
                row
            });
            document.insert(by.title().to_owned(), named.collect());
        }
        let limits = counted.limits.top().into_iter();
        let limits = limits.map(|(name, row)| (name.to_owned(), json!(row.runs)));
        document.insert("limits".to_owned(), limits.collect::<Map<_, _>>().into());
        document.insert("lost".to_owned(), json!(counted.lost));
        let advice: Vec<String> = advice.iter().map(ToString::to_string).collect();
        document.insert("advice".to_owned(), json!(advice));
        document.insert("shown".to_owned(), json!(shown));
        document.into()
    }
}

/// Which tools a model sees without a search, in lines.
fn say_shown(shown: &ShownTools) {
    let out = streams::out();
    out.line("\nshown to the model without a search:");
    let tools = |what: String, tools: &[String]| {
        if !tools.is_empty() {
            let line = format!("{what}: {}", tools.join(", "));
            out.line(out.wrapped(&text::one_line(&line), "  ", "    "));
        }
    };
    tools("tools of their own".to_owned(), &shown.direct);
    let listed = format!("signatures, {} tokens", shown.tokens);
    tools(listed, &shown.listed);
    out.line(format_args!(
        "  {} other known tools by name or by search",
        shown.others
    ));
}

/// A row in words, without counts of zero.
fn told(row: &Row) -> String {
    let of = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let took = Duration::from_micros(row.took_us);
    let took = Duration::from_millis(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let parts = [
        of(row.runs, "runs"),
        of(row.failures, "failed runs"),
        of(row.calls, "calls"),
        of(row.failed_calls, "failed calls"),
        of(row.denied, "denied"),
        of(row.retries, "retries"),
        of(row.bytes, "bytes"),
        of(row.tokens, "tokens"),
        of(row.direct_tokens, "tokens by direct calls"),
        (row.fuel > 0).then(|| format!("{:.1} million units of fuel", row.fuel as f64 / 1e6)),
        (!took.is_zero()).then(|| humantime::format_duration(took).to_string()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => "nothing".to_owned(),
        false => parts.join(", "),
    }
}

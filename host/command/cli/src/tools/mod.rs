//! `ampoule tools`: what scripts may call.
//!
//! - `cost`: what tools cost a model, in tokens
//! - `generate`: tools as files, for authors of guests and scripts
//! - `sample`: arguments to try a tool with

mod cost;
mod generate;
pub(crate) mod sample;

use std::process::ExitCode;

use ampoule::{Error, Language};
use ampoule_projection::Detail;
use ampoule_tools::{Grant, GrantedTools, ResolvedTool};
use ampoule_untrusted::text;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::code::LanguageName;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::probe::counted;
use crate::setup::{self, ConfiguredRuntime, Setup};
use crate::stop_signal::{self, Cancellation};
use crate::streams::{self, NARROW, Waiting};
use crate::toolkit::{self, ToolkitOption};

/// How wide the column of names may be, in characters.
const MOST_NAME_COLUMNS: usize = 40;

/// Lists, finds and declares tools; counts their tokens.
///
/// The commands start all servers of the configuration to get their tools.
#[derive(Debug, Args)]
#[command(after_help = exit::TOOLS_HELP)]
pub(super) struct Tools {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    toolkit: ToolkitOption,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists all tools (the default).
    Ls,
    /// Finds tools by what they do.
    Search(Search),
    /// Shows the declarations of a server's tools, or of one tool.
    Show {
        /// `server`, or `server.tool`.
        name: String,
        /// The format. `--json` prints the definitions as the server gave them.
        #[arg(long, value_enum, default_value_t = Format::Ts)]
        format: Format,
    },
    Cost(cost::CostCommand),
    Generate(generate::Generate),
}

#[derive(Debug, Args)]
struct Search {
    /// What the tool should do, in a few words.
    #[arg(required = true)]
    query: Vec<String>,
    /// The most tools to list.
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Only tools of this server.
    #[arg(long)]
    server: Option<String>,
    /// The language for the tools' names. Default: TypeScript.
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
}

/// The tools to show.
enum Lookup {
    Search(Search),
    Show { name: String, format: Format },
}

impl Lookup {
    fn all() -> Self {
        Self::Search(Search {
            query: Vec::new(),
            limit: usize::MAX,
            server: None,
            language: None,
        })
    }
}

/// How declarations are printed.
#[derive(Clone, Copy)]
struct Form {
    format: Format,
    output: Output,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// TypeScript declarations, as scripts see the tools.
    Ts,
    /// Python stubs.
    Py,
    /// The package in WIT that components import.
    Wit,
}

impl Tools {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let look = match self.action {
            None | Some(Action::Ls) => Lookup::all(),
            Some(Action::Cost(cost)) => {
                return cost.execute(&self.setup, &self.toolkit, self.output).await;
            }
            Some(Action::Generate(generate)) => {
                return generate.execute(&self.setup, &self.toolkit).await;
            }
            Some(Action::Search(search)) if search.is_empty() => {
                return Err(Failure::usage(
                    "the query is empty: say what the tool should do; `ampoule tools ls` lists all",
                ));
            }
            Some(Action::Search(search)) => Lookup::Search(search),
            Some(Action::Show { name, format }) => Lookup::Show { name, format },
        };
        let output = self.output;
        let ConfiguredRuntime {
            runtime,
            remarks,
            toolkits,
            ..
        } = self.setup.configured()?;
        let grant = self.toolkit.narrow(Grant::all(), &toolkits)?;
        let tools = runtime.tools_of(grant, None, None)?;
        let tools = tools.waiting();
        let has_servers = tools.servers().next().is_some();
        let showing = async move {
            // The user wants the current tools: the cache of another process may be out of date.
            let server = match &look {
                Lookup::Search(search) => search.server.as_deref(),
                Lookup::Show { name, .. } => Some(name.as_str()),
            };
            let waiting = streams::err().waiting();
            waiting.on("waiting for the servers' tools".to_owned());
            let stale = tools.refresh(server).await;
            toolkit::warn_of_idle(&tools);
            let shown = match look {
                Lookup::Search(search) => search.execute(tools, output, waiting).await,
                Lookup::Show { name, format } => {
                    let form = Form { format, output };
                    show(&tools, &name, form, waiting).await
                }
            }?;
            complain(&stale);
            remarks.say_origin();
            if !has_servers {
                streams::err().note(setup::NO_SERVERS);
            }
            Ok(if stale.is_empty() {
                shown
            } else {
                ExitCode::FAILURE
            })
        };
        stop_signal::until_stopped(runtime, Cancellation::default(), showing)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }
}

impl Search {
    fn is_empty(&self) -> bool {
        self.query.iter().all(|words| words.trim().is_empty())
    }

    /// Prints a line for each tool found. Standard error and the exit code report servers that
    /// can't be reached.
    async fn execute(
        self,
        tools: GrantedTools,
        output: Output,
        waiting: Waiting,
    ) -> Result<ExitCode, Failure> {
        let query = self.query.join(" ");
        let tools = match self.language {
            None => tools,
            Some(language) => tools.named_as(Language::from(language).idiom()),
        };
        let searched = tools
            .search(&query, self.limit, self.server.as_deref())
            .await
            .map_err(Error::from)?;
        drop(waiting);
        if output.as_json {
            let hits = searched.hits.iter().map(|tool| {
                let description = tool.summary().description;
                json!({ "name": tool.qualified_name(), "description": description })
            });
            let document = json!({ "tools": hits.collect::<Vec<_>>() });
            streams::out().json(&document.to_string());
        } else {
            print_lines(&searched.hits);
            for offered in &searched.offered {
                let out = streams::out();
                out.line(out.wrapped(offered, "", "  "));
            }
        }
        let count: usize = searched.searched.iter().map(|(_, tools)| tools).sum();
        if searched.hits.is_empty() && count > 0 && !output.as_json {
            streams::err().note(nothing_found(&query, count));
        }
        complain(&searched.problems);
        complain(&searched.notes);
        Ok(if searched.problems.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// What a search of so many tools says that has found none.
fn nothing_found(query: &str, count: usize) -> String {
    format!(
        "none of {} fits `{}`; search with other words, or list all tools with `ampoule tools`",
        counted(count, "tool"),
        text::one_line(query)
    )
}

/// Prints the problems of servers.
fn complain(problems: &[String]) {
    for problem in problems {
        streams::err().problem(problem);
    }
}

/// A line for each tool; on a narrow terminal, its name, and what it does below.
fn print_lines(tools: &[ResolvedTool]) {
    let out = streams::out();
    let lines: Vec<_> = tools
        .iter()
        .map(|tool| (tool.qualified_name(), tool.summary().description))
        .collect();
    let columns = lines.iter().map(|(name, _)| name.chars().count());
    let column = columns.max().unwrap_or(0).min(MOST_NAME_COLUMNS);
    for (name, description) in lines {
        match out.width() {
            None => out.line(format_args!("{name:column$}  {description}")),
            Some(width) if width < NARROW => {
                out.line(out.wrapped(&name, "", "  "));
                out.line(out.wrapped(&description, "  ", "  "));
            }
            Some(_) => {
                let name = format!("{name:column$}  ");
                let below = " ".repeat(column + 2);
                out.line(out.wrapped(&description, &name, &below));
            }
        }
    }
}

async fn show(
    tools: &GrantedTools,
    name: &str,
    form: Form,
    waiting: Waiting,
) -> Result<ExitCode, Failure> {
    let (server, whole) = match name.split_once('.') {
        Some((server, _)) => (server, false),
        None => (name, true),
    };
    let listed = match tools.server(server) {
        // If the server can't be reached, its tools are unknown.
        Ok(server) => match tools.tools_of(server).await {
            Ok(listed) => Some((listed, tools.offered_by(server))),
            Err(error) => return Err(Failure::unreachable(&error.message)),
        },
        Err(_) => None,
    };
    let (shown, offered) = match listed {
        Some(listed) if whole => listed,
        _ => {
            let found = tools.resolve(name).await.map_err(Error::from)?;
            let listed = found.listed().await;
            let found = listed.map_err(|why| Failure::unreachable(&why))?;
            (vec![found], Vec::new())
        }
    };
    let with_offered = || [shown.clone(), offered].concat();
    let text = match form.format {
        _ if form.output.as_json => {
            let json = serde_json::to_string_pretty(&definitions(&shown)).unwrap_or_default();
            let lines: Vec<_> = json.lines().map(text::escape_hidden).collect();
            lines.join("\n")
        }
        Format::Ts => ResolvedTool::declare_all(&with_offered(), Detail::Full),
        Format::Py => ResolvedTool::python_module(&with_offered()),
        Format::Wit => {
            ResolvedTool::package(&shown).map_or_else(String::new, |package| package.to_string())
        }
    };
    drop(waiting);
    streams::out().line(text);
    Ok(ExitCode::SUCCESS)
}

fn definitions(tools: &[ResolvedTool]) -> Value {
    json!({ "tools": tools.iter().map(ResolvedTool::definition).collect::<Vec<_>>() })
}

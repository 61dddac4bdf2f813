//! `ampoule tools`: what scripts may call.

use std::process::ExitCode;

use ampoule::{Error, Language};
use ampoule_projection::Detail;
use ampoule_tools::{Grant, GrantedTools, ResolvedTool};
use ampoule_untrusted::text;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::code::LanguageName;
use super::exit::{self, Failure};
use super::setup::{self, Configured, Setup, Stopping};
use super::streams::{self, NARROW, Waiting};

/// How wide the column of names may be, in characters.
const MOST_NAME_COLUMNS: usize = 40;

/// Lists the tools of all configured servers, finds some, or shows their declarations.
#[derive(Debug, Args)]
#[command(after_help = exit::TOOLS_HELP)]
pub(super) struct Tools {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Finds tools by what they do.
    Search {
        /// What the tool should do, in a few words.
        #[arg(required = true)]
        query: Vec<String>,
        /// How many to list at most.
        #[arg(long, default_value_t = 10)]
        limit: usize,
        /// Only tools of this server.
        #[arg(long)]
        server: Option<String>,
        /// The language whose names they have. Default: TypeScript.
        #[arg(long, value_enum)]
        language: Option<LanguageName>,
    },
    /// Shows the declarations of a server's tools, or of one tool.
    Show {
        /// `server`, or `server.tool`.
        name: String,
        /// The form to show them in.
        #[arg(long, value_enum, default_value_t = Format::Ts)]
        format: Format,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// TypeScript declarations, as scripts see the tools.
    Ts,
    /// Python stubs.
    Py,
    /// The package in WIT that components import.
    Wit,
    /// The tools' definitions, as the server gave them.
    Json,
}

impl Tools {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let Configured {
            runtime, remarks, ..
        } = self.setup.configured()?;
        let tools = runtime.tools_of(Grant::all(), None, None)?;
        let tools = tools.waiting();
        let showing = async move {
            // They were asked for in order to be looked at: what another process has kept may be
            // out of date.
            let server = match &self.action {
                None => None,
                Some(Action::Search { server, .. }) => server.as_deref(),
                Some(Action::Show { name, .. }) => Some(name.as_str()),
            };
            let waiting = streams::err().waiting();
            waiting.on("waiting for the servers' tools".to_owned());
            let stale = tools.refresh(server).await;
            let shown = match self.action {
                None => search(&tools, "", usize::MAX, None, waiting).await,
                Some(Action::Search {
                    query,
                    limit,
                    server,
                    language,
                }) => {
                    let language = language.map_or(Language::TypeScript, Language::from);
                    let tools = tools.named_as(language.idiom());
                    search(&tools, &query.join(" "), limit, server.as_deref(), waiting).await
                }
                Some(Action::Show { name, format }) => show(&tools, &name, format, waiting).await,
            }?;
            complain(&stale);
            remarks.say_origin();
            Ok(if stale.is_empty() {
                shown
            } else {
                ExitCode::FAILURE
            })
        };
        setup::until_stopped(runtime, Stopping::default(), showing)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }
}

/// A line for each tool that is found. Servers that can't be reached are told of on standard error,
/// and in the exit code.
async fn search(
    tools: &GrantedTools,
    query: &str,
    limit: usize,
    server: Option<&str>,
    waiting: Waiting,
) -> Result<ExitCode, Failure> {
    let searched = tools
        .search(query, limit, server)
        .await
        .map_err(Error::from)?;
    drop(waiting);
    print_lines(&searched.hits);
    for offered in &searched.offered {
        let out = streams::out();
        out.line(out.wrapped(offered, "", "  "));
    }
    complain(&searched.problems);
    complain(&searched.notes);
    Ok(if searched.problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Says what is wrong with servers.
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
    format: Format,
    waiting: Waiting,
) -> Result<ExitCode, Failure> {
    let (server, whole) = match name.split_once('.') {
        Some((server, _)) => (server, false),
        None => (name, true),
    };
    let listed = match tools.server(server) {
        // Where it can't be reached, nobody knows whether it has the tool.
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
    let text = match format {
        Format::Ts => ResolvedTool::declare_all(&with_offered(), Detail::Full),
        Format::Py => ResolvedTool::python_module(&with_offered()),
        Format::Wit => {
            ResolvedTool::package(&shown).map_or_else(String::new, |package| package.to_string())
        }
        Format::Json => {
            let json = serde_json::to_string_pretty(&definitions(&shown)).unwrap_or_default();
            let lines: Vec<_> = json.lines().map(text::escape_hidden).collect();
            lines.join("\n")
        }
    };
    drop(waiting);
    streams::out().line(text);
    Ok(ExitCode::SUCCESS)
}

fn definitions(tools: &[ResolvedTool]) -> Value {
    json!({ "tools": tools.iter().map(ResolvedTool::definition).collect::<Vec<_>>() })
}

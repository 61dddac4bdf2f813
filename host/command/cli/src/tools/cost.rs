//! `ampoule tools cost`: what tools cost a model.

use std::fmt::Write as _;
use std::process::ExitCode;

use ampoule::{Grant, Runtime};
use ampoule_server::{ClientComponents, Exposure, Server, Toolkit};
use ampoule_tokens::Cost;
use ampoule_tools::{GrantedTools, ResolvedTool};
use ampoule_untrusted::text;
use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::cost::grouped;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::setup::{ConfiguredRuntime, Setup};
use crate::stop_signal::{self, Cancellation};
use crate::streams::{self, Waiting};
use crate::toolkit::{ToolkitOption, of_server};

/// The name of the row of all servers.
const ALL: &str = "all";

/// Counts the tokens that tools cost a model in every conversation.
///
/// The counts are for tools as servers list them, and through Ampoule. The command starts each
/// server. Tokens are those of o200k (GPT-4o and later); other tokenizers differ by about a tenth.
#[derive(Debug, Args)]
#[command(after_help = exit::TOOLS_HELP)]
pub(super) struct CostCommand {}

/// A server's tools, and their cost if it is the only server.
#[derive(Serialize)]
struct Row {
    name: String,
    #[serde(flatten)]
    cost: Cost,
}

/// What was measured.
struct Measurement {
    rows: Vec<Row>,
    all: Cost,
    /// What is wrong with servers.
    problems: Vec<String>,
}

impl CostCommand {
    pub(super) async fn execute(
        self,
        setup: &Setup,
        toolkit: &ToolkitOption,
        output: Output,
    ) -> Result<ExitCode, Failure> {
        let ConfiguredRuntime {
            runtime,
            components,
            exposure,
            toolkits,
            remarks,
            ..
        } = setup.ungoverned()?;
        let chosen = toolkit.chosen(&toolkits)?;
        let chosen = chosen.map(|(name, it)| (name.to_owned(), of_server(it.clone(), &exposure)));
        let measured_for = MeasuredServer {
            runtime: runtime.clone(),
            components,
            exposure,
            toolkit: chosen,
        };
        let measuring = {
            async move {
                let waiting = streams::err().waiting();
                waiting.on("waiting for the servers' tools".to_owned());
                let measured = measured(&measured_for, &waiting).await?;
                drop(waiting);
                if output.as_json {
                    measured.print();
                } else {
                    measured.say();
                }
                for problem in &measured.problems {
                    streams::err().problem(problem);
                }
                remarks.say_origin();
                Ok(match measured.problems.is_empty() {
                    true => ExitCode::SUCCESS,
                    false => ExitCode::FAILURE,
                })
            }
        };
        stop_signal::until_stopped(runtime, Cancellation::default(), measuring)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }
}

/// The server whose clients' tools are counted.
struct MeasuredServer {
    runtime: Runtime,
    components: ClientComponents,
    exposure: Exposure,
    /// The toolkit that its clients have, by its name.
    toolkit: Option<(String, Toolkit)>,
}

impl MeasuredServer {
    /// A grant, as far as its clients have it.
    fn narrowed(&self, grant: Grant) -> Grant {
        match &self.toolkit {
            Some((name, toolkit)) => {
                grant.within(ampoule::Toolkit::new(name.as_str(), toolkit.tools.clone()))
            }
            None => grant,
        }
    }

    /// The server, where that is what it grants.
    fn granting(&self, grant: Grant) -> Result<Server, Failure> {
        let server = Server::new(self.runtime.clone(), grant, &self.components)?;
        let server = server.exposure(self.exposure.clone());
        let Some((name, toolkit)) = &self.toolkit else {
            return Ok(server);
        };
        server.set_toolkits([(name.clone(), toolkit.clone())].into())?;
        Ok(server.toolkit(name).unwrap_or(server))
    }
}

async fn measured(server: &MeasuredServer, waiting: &Waiting) -> Result<Measurement, Failure> {
    let granted = server.runtime.tools(server.narrowed(Grant::all()))?;
    let granted = granted.waiting();
    let mut problems = granted.refresh(None).await;
    let listed = listed(&granted, &mut problems).await;
    let cost = async |tools: &[ResolvedTool], grant: Grant| {
        let cost = Cost::of(tools, server.granting(grant)?).await;
        cost.map_err(|error| Failure::host(&error))
    };
    let mut rows = Vec::new();
    for (name, tools) in &listed {
        waiting.on(format!(
            "counting the tokens of {} tools of {}",
            grouped(tools.len() as u64),
            text::one_line(name)
        ));
        rows.push(Row {
            name: name.clone(),
            cost: cost(tools, Grant::none().and_server(name)).await?,
        });
    }
    let all: Vec<_> = listed.into_iter().flat_map(|(_, tools)| tools).collect();
    waiting.on(format!(
        "counting the tokens of all {} tools",
        grouped(all.len() as u64)
    ));
    Ok(Measurement {
        rows,
        all: cost(&all, Grant::all()).await?,
        problems,
    })
}

/// The servers whose tools are known, each with these.
async fn listed(
    granted: &GrantedTools,
    problems: &mut Vec<String>,
) -> Vec<(String, Vec<ResolvedTool>)> {
    let mut listed = Vec::new();
    for server in granted.servers() {
        match granted.tools_of(server).await {
            Ok(tools) => listed.push((server.name().to_string(), tools)),
            Err(error) if problems.iter().any(|said| said.contains(&error.message)) => {}
            Err(error) => problems.push(error.message),
        }
    }
    listed
}

impl Measurement {
    fn print(&self) {
        let document = json!({
            "tokenizer": "o200k",
            "servers": self.rows,
            ALL: self.all,
            "problems": self.problems,
        });
        streams::out().json(&format!("{document:#}"));
    }

    /// A table, where the terminal has room for it; else some lines for each server.
    fn say(&self) {
        let out = streams::out();
        let rows = self.rows.iter().map(|row| (&*row.name, &row.cost));
        let rows: Vec<_> = rows
            .chain([(ALL, &self.all)])
            .map(|(name, cost)| (text::one_line(name).into_owned(), cells(cost)))
            .collect();
        let lines = table(&rows);
        let widest = lines.iter().map(|line| line.chars().count()).max();
        if widest <= out.width().or(Some(usize::MAX)) {
            lines.iter().for_each(|line| out.line(line));
        } else {
            for (name, cells) in &rows {
                out.line(out.wrapped(&format!("{name}: {}", sentence(cells)), "", "  "));
            }
        }
        out.line("");
        out.line(out.wrapped(&verdict(&self.all), "", ""));
        out.line(out.wrapped(EXPLAINED, "", ""));
    }
}

/// What the columns are, but for the first.
const COLUMNS: [&str; 7] = [
    "tools",
    "directly",
    "Ampoule",
    "search",
    "most",
    "declaration",
    "most",
];

const EXPLAINED: &str = "Tokens of o200k. `directly`: what clients give a model in every conversation: the tools' names, descriptions and input schemas. \
`Ampoule`: the same of execute_code and search_tools in their place. `search`: an answer of search_tools to a query for one of the tools, on average and at most. `declaration`: the declaration of one tool, on average and at most.";

fn cells(cost: &Cost) -> [String; 7] {
    [
        cost.tools,
        cost.directly,
        cost.through_ampoule,
        cost.search.average,
        cost.search.most,
        cost.declaration.average,
        cost.declaration.most,
    ]
    .map(|number| grouped(number as u64))
}

/// Columns of numbers, each as wide as it has to be.
fn table(rows: &[(String, [String; 7])]) -> Vec<String> {
    let head = ("server".to_owned(), COLUMNS.map(str::to_owned));
    let rows: Vec<_> = std::iter::once(&head).chain(rows).collect();
    let names = rows.iter().map(|(name, _)| name.chars().count());
    let names = names.max().unwrap_or_default();
    let widths: [usize; 7] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|(_, cells)| cells[column].len());
        cells.max().unwrap_or_default()
    });
    let line = |(name, cells): &(String, [String; 7])| {
        let mut line = format!("{name:names$}");
        for (cell, width) in cells.iter().zip(widths) {
            // To a string, this can't fail.
            let _ = write!(line, "  {cell:>width$}");
        }
        line
    };
    rows.into_iter().map(line).collect()
}

fn sentence(
    [tools, directly, ampoule, search, most, declaration, longest]: &[String; 7],
) -> String {
    format!(
        "tools {tools}, directly {directly}, Ampoule {ampoule}, search {search} (most {most}), declaration {declaration} (most {longest})"
    )
}

/// Compares the two in a sentence.
fn verdict(cost: &Cost) -> String {
    let [directly, ampoule] =
        [cost.directly, cost.through_ampoule].map(|tokens| grouped(tokens as u64));
    if cost.directly <= cost.through_ampoule {
        return format!(
            "These tools take {directly} tokens directly, and Ampoule's tools take {ampoule}: with so few tools, Ampoule saves only the tokens of results and single calls."
        );
    }
    let saved = cost.directly - cost.through_ampoule;
    let percent = (saved * 1000 / cost.directly) as f64 / 10.0;
    let searches = match cost.signatures_included {
        true => "they include all signatures, so that the model need not search".to_owned(),
        false => match saved / cost.search.average.max(1) {
            0 => "one search in a conversation costs more than the difference".to_owned(),
            1 => "one search in a conversation costs less than the difference".to_owned(),
            searches => format!(
                "up to {} searches in a conversation cost less than the difference",
                grouped(searches as u64)
            ),
        },
    };
    format!(
        "In every conversation, Ampoule's tools take {ampoule} tokens instead of {directly}, {percent:.1} % less; {searches}."
    )
}

#[cfg(test)]
mod tests {
    use ampoule_tokens::Spread;

    use super::*;

    fn cost(directly: usize, signatures_included: bool) -> Cost {
        Cost {
            tools: 3,
            directly,
            through_ampoule: 400,
            signatures_included,
            search: Spread {
                average: 500,
                most: 900,
            },
            declaration: Spread::default(),
        }
    }

    #[test]
    fn which_is_less_is_said() {
        for (cost, said) in [
            (cost(300, true), "with so few tools, Ampoule saves only"),
            (cost(400, true), "with so few tools, Ampoule saves only"),
            (
                cost(1600, true),
                "400 tokens instead of 1,600, 75.0 % less; they include all signatures",
            ),
            (cost(3000, false), "86.6 % less; up to 5 searches"),
            (cost(0, false), "take 0 tokens directly"),
        ] {
            assert!(verdict(&cost).contains(said), "{}", verdict(&cost));
        }
    }

    #[test]
    fn columns_are_as_wide_as_they_have_to_be() {
        let rows = [("a".to_owned(), cells(&cost(12_345, true)))];
        let lines = table(&rows);
        assert_eq!(
            lines,
            [
                "server  tools  directly  Ampoule  search  most  declaration  most",
                "a           3    12,345      400     500   900            0     0",
            ]
        );
    }
}

//! Ampoule by its crate, in the driver's own process.

use std::sync::Arc;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Ending, Functions, Grant, Limits as AmpouleLimits, Runtime, Tool, ToolResult};
use anyhow::{Context, Result};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::tools::{Gate, Tools};
use super::{RunResult, Sandbox, given};
use crate::protocol::{Language, Limits, Needs, Script};

/// The name of the real MCP server, and of its tool in each language.
const ADD: [(Language, &str); 2] = [
    (Language::JavaScript, "everything.getSum("),
    (Language::Python, "everything.get_sum("),
];

pub(super) fn version() -> String {
    format!("Ampoule {}", env!("CARGO_PKG_VERSION"))
}

/// A script as Ampoule has it: the real MCP server is one of its own, not a function of the host.
pub(super) fn adapted(script: &Script) -> String {
    let (_, add) = ADD
        .into_iter()
        .find(|(language, _)| *language == script.language)
        .unwrap_or(ADD[0]);
    // In Python, calls are awaited.
    let code = match (script.language, script.needs) {
        (Language::Python, Needs::Calls) => script.code.replace("= host.", "= await host."),
        _ => script.code.clone(),
    };
    code.replace("host.add(", add)
}

pub(super) struct InProcess {
    runtime: Runtime,
}

impl InProcess {
    /// A runtime whose guest is compiled.
    pub(super) async fn new(language: &str, gate: &Arc<Gate>) -> Result<Self> {
        let mut builder = Runtime::builder()
            .binding(functions(gate)?)
            .code_cache(ampoule::cache_folder());
        if let Ok(command) = serde_json::from_str::<Vec<String>>(&given("COMPARE_MCP")) {
            let (program, args) = command.split_first().context("a command is empty")?;
            let mut command = ServerCommand::new(program);
            command.args = args.to_vec();
            let options = UpstreamOptions::default();
            builder = builder.binding(Upstream::stdio("everything", command, options));
        }
        let runtime = builder.build()?;
        let language = match language {
            "python" => ampoule::Language::Python,
            _ => ampoule::Language::JavaScript,
        };
        runtime.warm(language).await?;
        Ok(Self { runtime })
    }
}

impl Sandbox for InProcess {
    async fn run(&self, script: &Script, limits: Limits) -> Result<RunResult, String> {
        let code = adapted(script);
        let code = match script.language {
            Language::JavaScript => ampoule::Script::javascript(code),
            Language::Python => ampoule::Script::python(code),
        };
        let limits = AmpouleLimits {
            wall_time: std::time::Duration::from_millis(limits.ms),
            memory_bytes: limits.mb << 20,
            ..AmpouleLimits::default()
        };
        let isolate = self.runtime.isolate(code).grant(Grant::all());
        let isolate = isolate.limits(limits).map_err(|error| error.to_string())?;
        let outcome = isolate.run().await.map_err(|error| error.to_string())?;
        let Ending::Returned(value) = &outcome.ending else {
            return Err(outcome.ending.to_string());
        };
        let value = value.as_deref().map_or("null", RawValue::get);
        let output = outcome.output.to_string();
        Ok(RunResult {
            value: serde_json::from_str(value).map_err(|error| error.to_string())?,
            output: (!output.is_empty()).then(|| output.trim_end().to_owned()),
        })
    }
}

/// The functions of the host.
fn functions(gate: &Arc<Gate>) -> Result<Functions> {
    let tools = Arc::new(Tools::new(given("COMPARE_DATA")));
    let mut functions = Functions::new("host");
    for declared in Tools::declared() {
        let tool: Tool = serde_json::from_value(declared)?;
        let (name, tools, gate) = (tool.name.clone(), Arc::clone(&tools), Arc::clone(gate));
        functions = functions.raw(tool, move |arguments: Map<String, Value>, _| {
            let (name, tools, gate) = (name.clone(), Arc::clone(&tools), Arc::clone(&gate));
            async move {
                let answer = match name.as_str() {
                    "hold" => gate.hold().await,
                    name => tools
                        .call(name, &arguments)
                        .map_err(ampoule::CallError::Refused)?,
                };
                Ok(ToolResult {
                    structured_content: Some((*answer).to_owned()),
                    ..ToolResult::default()
                })
            }
        });
    }
    Ok(functions)
}

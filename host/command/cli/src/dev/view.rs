//! A server as models and scripts see it.

use std::slice::from_ref;

use ampoule_projection::wit::Calling;
use ampoule_projection::{Detail, Idiom, Interface, Tool};
use ampoule_tokens::{Cost, of_tools};
use ampoule_tools::{ArgumentCheck, ResolvedTool};
use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Map, Value};

use super::calls::CallView;
use super::remarks::{self, Level, Remark};
use super::written;
use crate::tools::sample;

/// The language of declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DeclarationLanguage {
    /// TypeScript.
    Typescript,
    /// Python.
    Python,
    /// WIT, as components see the tools. Sample calls are in TypeScript.
    Wit,
}

/// What is known of a server after a start.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServerView {
    /// What scripts call it.
    pub(super) name: String,
    /// What its program says that it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    /// What it says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) about: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) protocol_version: Option<String>,
    /// How long it took until its tools were listed.
    pub(super) started_in_ms: u64,
    pub(super) tokens: Cost,
    pub(super) tools: Vec<ToolView>,
    pub(super) remarks: Vec<Remark>,
    pub(super) calls: Vec<CallView>,
}

/// A tool as models and scripts see it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolView {
    pub(super) name: String,
    /// The tool in a line.
    pub(super) signature: String,
    /// The tool with its types and descriptions.
    pub(super) declaration: String,
    /// What its name, description and input schema cost a model in every conversation.
    pub(super) tokens: usize,
    /// A call of it, if arguments can be made up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sample: Option<String>,
    pub(super) remarks: Vec<Remark>,
    #[serde(skip)]
    pub(super) definition: Tool,
}

impl DeclarationLanguage {
    /// How tools are named for it.
    pub(super) fn idiom(self) -> Idiom {
        match self {
            Self::Python => Idiom::Python,
            Self::Typescript | Self::Wit => Idiom::TypeScript,
        }
    }
}

impl ServerView {
    /// Whether there is nothing to warn of, and all calls had an answer.
    pub(super) fn is_sound(&self) -> bool {
        let of_tools = self.tools.iter().flat_map(|tool| &tool.remarks);
        let mut remarks = self.remarks.iter().chain(of_tools);
        let calls_failed = self.calls.iter().any(|call| call.error.is_some());
        !calls_failed && remarks.all(|remark| remark.level != Level::Warning)
    }
}

impl ToolView {
    /// Of each tool of a server.
    pub(super) fn all(tools: &[ResolvedTool], language: DeclarationLanguage) -> Vec<Self> {
        let definitions: Vec<_> = tools.iter().map(ResolvedTool::definition).collect();
        let of_names = remarks::of_names(&definitions);
        let views = tools.iter().zip(of_names);
        views
            .map(|(tool, of_name)| Self::of(tool, of_name, language))
            .collect()
    }

    fn of(tool: &ResolvedTool, of_name: Vec<Remark>, language: DeclarationLanguage) -> Self {
        let definition = tool.definition();
        let interface = Interface::of([definition]);
        let mut remarks = of_name;
        remarks.extend(remarks::of_tool(definition, &interface));
        let sample = match sampled(definition, &interface) {
            Ok(arguments) => Some(written::call(tool, &arguments, language.idiom())),
            Err(remark) => {
                remarks.push(remark);
                None
            }
        };
        let json = serde_json::to_value(definition).unwrap_or_default();
        let Declaration { line, whole } = Declaration::of(tool, language);
        Self {
            name: definition.name.clone(),
            signature: line,
            declaration: whole,
            tokens: of_tools(from_ref(&json)),
            sample,
            remarks,
            definition: definition.clone(),
        }
    }
}

/// Arguments to try a tool with; or why there are none.
fn sampled(tool: &Tool, interface: &Interface) -> Result<Map<String, Value>, Remark> {
    let sample = sample::of(interface).map(|sample| sample.value);
    let Some(arguments) = sample else {
        return Err(Remark::note(
            "a sample call can't be made up: add `examples` to the `inputSchema`",
        ));
    };
    let check = ArgumentCheck::new(tool).check(&arguments, Idiom::default(), &Default::default());
    if let Ok(Err(problem)) = check {
        return Err(Remark::note(format!(
            "a sample call can't be made up: {problem}; add `examples` to the `inputSchema`"
        )));
    }
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        _ => Ok(Map::new()),
    }
}

/// A tool in a language.
struct Declaration {
    line: String,
    whole: String,
}

impl Declaration {
    fn of(tool: &ResolvedTool, language: DeclarationLanguage) -> Self {
        let line = tool.in_a_line();
        if language != DeclarationLanguage::Wit {
            let whole = tool.declare(Detail::Full);
            return Self { line, whole };
        }
        let Some(package) = ResolvedTool::package(from_ref(tool)) else {
            let whole = String::new();
            return Self { line, whole };
        };
        let mut functions = package.functions.iter();
        let lines = functions.next().map(|function| {
            let line = package.function_line(function, Calling::Async);
            match tool.summary().description {
                nothing if nothing.is_empty() => line,
                summary => format!("{line} // {summary}"),
            }
        });
        Self {
            line: lines.unwrap_or(line),
            whole: package.to_string(),
        }
    }
}

//! Tools of real servers, and questions about them: `tests/corpora`.

use std::fs;
use std::path::{Path, PathBuf};

use ampoule::{Functions, Tool, ToolResult};
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// A question, and the tools of which any is right, as `server.tool`.
#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) ask: String,
    tools: Vec<String>,
    #[serde(default)]
    part: String,
}

impl Question {
    /// Whether this is one of the tools: scripts call them by identifiers.
    pub(crate) fn is_right(&self, found: &str) -> bool {
        let plain = |name: &str| -> String {
            name.chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect()
        };
        self.tools.iter().any(|tool| plain(tool) == plain(found))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora")
}

/// The servers by name, each with its tools.
pub(crate) fn servers() -> Result<Vec<(String, Vec<Tool>)>> {
    let files = fs::read_dir(folder().join("tools"))?;
    let mut paths: Vec<PathBuf> = files.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    paths.sort();
    let read = |path: PathBuf| {
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .context("a name")?;
        let list: Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
        let tools = serde_json::from_value(list.get("tools").cloned().unwrap_or(list))?;
        Ok((name.to_owned(), tools))
    };
    paths.into_iter().map(read).collect()
}

/// A server with these tools, which give nothing.
pub(crate) fn binding(name: &str, tools: &[Tool]) -> Functions {
    let add = |functions: Functions, tool: &Tool| {
        functions.raw(tool.clone(), async |_, _| Ok(ToolResult::default()))
    };
    tools.iter().fold(Functions::new(name), add)
}

/// The questions, in parts.
pub(crate) fn questions() -> Result<Vec<(&'static str, Vec<Question>)>> {
    let read = |file: &str, part: &str| -> Result<Vec<Question>> {
        let all: Vec<Question> = serde_json::from_str(&fs::read_to_string(folder().join(file))?)?;
        Ok(all
            .into_iter()
            .filter(|question| question.part == part)
            .collect())
    };
    Ok(vec![
        (
            "natural questions, seen while the search was tuned",
            read("questions.json", "tuning")?,
        ),
        (
            "natural questions, kept aside",
            read("questions.json", "kept")?,
        ),
        (
            "questions that avoid the words of descriptions, seen",
            read("paraphrases.json", "")?,
        ),
    ])
}

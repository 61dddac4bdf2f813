//! A task, as its file has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::check::Check;
use super::way::Way;

/// How large a file of tasks may be, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// How many tasks there may be.
const MAX_TASKS: usize = 10_000;

/// A file of tasks of one kind.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFile {
    /// The kind.
    pub kind: String,
    /// The tasks.
    pub tasks: Vec<Task>,
}

/// A task.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name, which no other task has.
    pub name: String,
    /// The file's kind.
    #[serde(skip)]
    pub kind: String,
    /// What the model is asked, in one conversation.
    pub prompts: Vec<String>,
    /// Files of the workspace, by their paths.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What the person answers, who is asked before each destructive call. Without this, nobody is
    /// asked.
    pub approval: Option<Approval>,
    /// Only scripts can do it.
    #[serde(default)]
    pub scripts_only: bool,
    /// Whether it was done.
    pub check: Check,
    /// How it can be done.
    pub reference: Reference,
}

/// What a person answers to approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Approval {
    /// Allows each call once.
    Allow,
    /// Denies each call.
    Deny,
}

/// A way to do a task, that tests its check: the scripts of a language, each followed by the next one
/// whatever came of it. What the last script of a prompt prints or returns is the answer.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reference {
    /// The scripts of each prompt.
    pub typescript: Vec<Vec<String>>,
    /// The same in Python.
    pub python: Vec<Vec<String>>,
    /// The same by single calls: each is a tool of the demo server with its arguments.
    pub calls: Vec<Vec<ReferenceCall>>,
}

/// A single call of a reference.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: serde_json::Map<String, serde_json::Value>,
}

/// Why tasks can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", file.display())]
pub struct TaskError {
    file: PathBuf,
    why: String,
}

impl Task {
    /// Whether it can be done in that way at all.
    pub fn suits(&self, way: Way) -> bool {
        !self.scripts_only || way.has_scripts()
    }

    /// Reads the tasks of files, and of all files in folders that end with `.toml`.
    ///
    /// # Errors
    ///
    /// A file can't be read, is not one of tasks, or has a task whose name another one has.
    pub fn read(paths: &[PathBuf]) -> Result<Vec<Self>, TaskError> {
        let (mut tasks, mut names) = (Vec::new(), BTreeSet::new());
        for file in files(paths)? {
            let error = |why: String| TaskError {
                file: file.clone(),
                why,
            };
            let text = text_of(&file).map_err(&error)?;
            let read: TaskFile = toml::from_str(&text).map_err(|it| error(it.to_string()))?;
            for mut task in read.tasks {
                task.kind.clone_from(&read.kind);
                task.refuse_mistakes().map_err(&error)?;
                if !names.insert(task.name.clone()) {
                    return Err(error(format!("two tasks have the name `{}`", task.name)));
                }
                tasks.push(task);
            }
            if tasks.len() > MAX_TASKS {
                return Err(error(format!("these are more than {MAX_TASKS} tasks")));
            }
        }
        Ok(tasks)
    }

    fn refuse_mistakes(&self) -> Result<(), String> {
        let name = &self.name;
        if self.prompts.is_empty() {
            return Err(format!("`{name}` has no prompt"));
        }
        if self.check.is_empty() {
            return Err(format!("`{name}` checks nothing"));
        }
        let references = [
            self.reference.typescript.len(),
            self.reference.python.len(),
            self.reference.calls.len(),
        ];
        let counts = references.iter().filter(|count| **count > 0);
        if counts.clone().any(|count| *count != self.prompts.len()) {
            return Err(format!(
                "`{name}`: each reference has a list for each prompt"
            ));
        }
        let leaves = |path: &String| {
            Path::new(path)
                .components()
                .any(|part| !matches!(part, std::path::Component::Normal(_)))
        };
        if self.files.keys().any(leaves) {
            return Err(format!("`{name}`: a file is outside of the workspace"));
        }
        match counts.count() {
            0 => Err(format!("`{name}` has no reference")),
            _ => Ok(()),
        }
    }
}

fn text_of(file: &Path) -> Result<String, String> {
    let size = std::fs::metadata(file)
        .map_err(|error| error.to_string())?
        .len();
    if size > MAX_FILE_BYTES {
        return Err("the file is larger than 4 MiB".to_owned());
    }
    std::fs::read_to_string(file).map_err(|error| error.to_string())
}

fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TaskError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let error = |error: std::io::Error| TaskError {
            file: path.clone(),
            why: error.to_string(),
        };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(error)? {
            let file = entry.map_err(error)?.path();
            if file.extension().is_some_and(|kind| kind == "toml") {
                found.push(file);
            }
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

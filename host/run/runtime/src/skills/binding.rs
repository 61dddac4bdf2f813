//! What scripts have of skills: a server `skills`, whose tools save and list them.

use std::io;
use std::sync::Arc;

use ampoule_persistence::skills::{Draft, File, Saver, Shelf, Skill, SkillName};
use ampoule_tools::{CallContext, CallError, Functions, ToolResult};
use ampoule_untrusted::document;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use super::examination::{self, AnswerSource};
use super::notes::Notes;
use super::search::FoundSkill;
use super::server_name::SKILLS_SERVER;
use crate::clock;
use crate::governed::Oversight;
use crate::runtime::{LaterRuntime, Runtime};
use crate::stores::skills::refused;

/// How many skills are listed at once.
const LISTED: usize = 50;

/// The binding. `may_save`: whether scripts may save some.
pub(super) fn binding(runtime: LaterRuntime, may_save: bool) -> Functions {
    let mut binding = Functions::new(SKILLS_SERVER)
        .described("Functions that earlier scripts saved: import them, list them, save more.");
    if may_save {
        let runtime = runtime.clone();
        binding = binding.raw(tool(save()), move |arguments, context| {
            let runtime = runtime.clone();
            async move {
                let runtime = there(&runtime)?;
                answered(saved(&runtime, arguments, &context).await)
            }
        });
    }
    binding.raw(tool(list()), move |arguments, context| {
        let runtime = runtime.clone();
        async move {
            let runtime = there(&runtime)?;
            answered(listed(&runtime, arguments, &context).await)
        }
    })
}

fn tool(definition: Value) -> ampoule_projection::Tool {
    serde_json::from_value(definition).expect("a tool")
}

fn save() -> Value {
    json!({
        "name": "save",
        "description": "Saves code that later scripts can import from \"./skills/NAME\" (Python: skills.NAME), as a new version. The code is loaded, and the example is run, before it is kept; the example's calls get the answers that this run got to the same calls.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "Such as save-sheet-as-csv" },
                "description": { "type": "string", "description": "What it is for, and when; search reads this" },
                "code": { "type": "string", "description": "A module that exports typed functions with doc comments" },
                "example": { "type": "string", "description": "A script that imports it and uses it" },
                "language": { "type": "string", "enum": ["typescript", "javascript", "python"], "description": "Default: this script's" },
                "files": { "type": "object", "additionalProperties": { "type": "string" }, "description": "Other files, by their paths" },
            },
            "required": ["name", "description", "code"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "version": { "type": "integer" },
                "import": { "type": "string" },
                "functions": { "type": "array", "items": { "type": "string" } },
                "needs": { "type": "array", "items": { "type": "string" }, "description": "The tools that it calls" },
            },
            "required": ["name", "version", "import", "functions", "needs"],
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": false },
    })
}

fn list() -> Value {
    json!({
        "name": "list",
        "description": "Lists the skills that scripts can import, those that match a query best first.",
        "inputSchema": {
            "type": "object",
            "properties": { "query": { "type": "string" } },
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": { "type": "string" },
                    "description": { "type": "string" },
                    "language": { "type": "string" },
                    "import": { "type": "string" },
                    "functions": { "type": "array", "items": { "type": "string" } },
                    "notes": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["name", "description", "functions", "notes"],
            },
        },
        "annotations": { "readOnlyHint": true },
    })
}

/// What a script wants to save.
#[derive(Deserialize)]
struct SaveRequest {
    name: String,
    description: String,
    code: String,
    example: Option<String>,
    language: Option<String>,
    #[serde(default)]
    files: std::collections::BTreeMap<String, String>,
}

async fn saved(
    runtime: &Runtime,
    arguments: Map<String, Value>,
    context: &CallContext,
) -> Result<Value, String> {
    let wanted: SaveRequest = typed(arguments)?;
    let call = context.call();
    let principal = call.principal.as_ref();
    let notes = runtime.notes_of(call.run).ok_or(
        "only scripts that name it save skills: write `skills.save` where the call is, in the script itself",
    )?;
    notes.count_save()?;
    let oversight = runtime.oversight(call.run);
    let shelf = runtime
        .skills(principal)
        .map_err(|error| error.to_string())?;
    if let Some(oversight) = &oversight {
        reads(&**oversight, &shelf)?;
        // Models find skills by what these say, and read their code.
        let shown = oversight.may_show(&wanted.texts()).await;
        shown
            .map_err(|why| format!("it can't be saved, since skills are shown to models: {why}"))?;
    }
    let draft = wanted.draft(&notes)?;
    let answers = AnswerSource::Notes(notes.all());
    let examined = examination::examined(runtime, draft, principal, &notes.tools, answers);
    let mut skill = examined.await?;
    (skill.saved, skill.run) = (clock::now(), Some(call.run.to_string()));
    let keep = move || {
        let kept = match oversight {
            Some(oversight) => shelf.keep_of(&mut skill, &mut Labels(oversight)),
            None => shelf.keep(&mut skill),
        };
        kept.map(|_| skill)
    };
    let kept = spawn_blocking(keep)
        .await
        .map_err(|error| error.to_string())?;
    let skill = kept.map_err(|problem| refused(problem).to_string())?;
    tracing::info!(skill = %skill.name, version = skill.version, run = %call.run, "a skill was saved");
    Ok(json!({
        "name": skill.name,
        "version": skill.version,
        "import": skill.import(),
        "functions": signatures(&skill),
        "needs": skill.needs.iter().map(|need| format!("{}.{}", need.server, need.tool)).collect::<Vec<_>>(),
    }))
}

impl SaveRequest {
    /// All that it says.
    fn texts(&self) -> Vec<&str> {
        let files = self.files.iter().flat_map(|(path, text)| [&**path, text]);
        let said = [&*self.name, &self.description, &self.code];
        said.into_iter()
            .chain(self.example.as_deref())
            .chain(files)
            .collect()
    }

    fn draft(self, notes: &Notes) -> Result<Draft, String> {
        let language = self.language;
        let language = language.unwrap_or_else(|| notes.language.name().to_owned());
        let entry = match &*language {
            "python" => "__init__.py",
            "javascript" => "index.js",
            _ => "index.ts",
        };
        let entry = File {
            path: entry.to_owned(),
            text: self.code,
        };
        let mut files = vec![entry];
        for (path, text) in self.files {
            if !is_path(&path) || path == files[0].path {
                return Err(format!(
                    "`{path}` is not the path of another file: use letters, digits, `.`, `_`, `-` and `/`, inside the skill"
                ));
            }
            files.push(File { path, text });
        }
        Ok(Draft {
            name: SkillName::meant(&self.name).map_err(|problem| problem.to_string())?,
            description: self.description,
            instructions: String::new(),
            language: Some(language),
            files,
            example: self.example,
        })
    }
}

/// Whether a path is that of a file below a skill's folder.
fn is_path(path: &str) -> bool {
    let is_part = |part: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_letter)
    };
    path.len() <= 200 && path.split('/').all(is_part) && path != "SKILL.md"
}

async fn listed(
    runtime: &Runtime,
    arguments: Map<String, Value>,
    context: &CallContext,
) -> Result<Value, String> {
    #[derive(Deserialize)]
    struct Query {
        #[serde(default)]
        query: String,
    }
    let Query { query } = typed(arguments)?;
    let call = context.call();
    let all = match runtime.notes_of(call.run) {
        Some(notes) => notes.tools.clone(),
        None => runtime
            .tools(ampoule_tools::Grant::none())
            .map_err(|error| error.to_string())?,
    };
    let oversight = runtime.oversight(call.run);
    if let Some(oversight) = &oversight {
        let shelf = runtime.skills(call.principal.as_ref());
        reads(&**oversight, &shelf.map_err(|error| error.to_string())?)?;
    }
    let found = runtime.find_skills(&query, LISTED, call.principal.as_ref(), &all);
    let found = found.await.map_err(|error| error.to_string())?;
    if let Some(oversight) = oversight {
        let carried = found
            .iter()
            .filter_map(|found| found.skill.carried.as_ref());
        let mut read = carried.map(|carried| oversight.reads(carried));
        read.try_for_each(|read| read.map_err(|error| error.to_string()))?;
    }
    let listed = found.iter().map(|FoundSkill { skill, notes, .. }| {
        json!({
            "name": skill.name,
            "description": skill.description,
            "language": skill.language.clone().unwrap_or_default(),
            "import": skill.import().unwrap_or_default(),
            "functions": signatures(skill),
            "notes": notes,
        })
    });
    Ok(listed.collect())
}

/// The run is about to learn something of what is on a shelf, be it that a name is not there.
fn reads(oversight: &dyn Oversight, shelf: &Shelf) -> Result<(), String> {
    let carried = shelf
        .carried()
        .map_err(|problem| refused(problem).to_string())?;
    let read = carried.map_or(Ok(()), |carried| oversight.reads(&carried));
    read.map_err(|error| error.to_string())
}

/// A run that saves a skill.
struct Labels(Arc<dyn Oversight>);

impl Saver for Labels {
    fn reads(&mut self, carried: &Value) -> io::Result<()> {
        self.0.reads(carried).map_err(io::Error::other)
    }

    fn carried(&self) -> Option<Value> {
        self.0.carried()
    }
}

fn signatures(skill: &Skill) -> Vec<String> {
    let functions = skill.functions.iter();
    functions
        .map(|function| function.signature.clone())
        .collect()
}

fn typed<T: serde::de::DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, String> {
    document::of_value(Value::Object(arguments)).map_err(|error| error.to_string())
}

fn there(runtime: &LaterRuntime) -> Result<Runtime, CallError> {
    let gone = || CallError::NotReached("the host is about to stop".to_owned());
    runtime.get().ok_or_else(gone)
}

fn answered(answer: Result<Value, String>) -> Result<ToolResult, CallError> {
    match answer {
        Ok(value) => ToolResult::returned(&value),
        Err(message) => Ok(ToolResult::failed(&message)),
    }
}

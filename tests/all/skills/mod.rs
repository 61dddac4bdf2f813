//! Skills: code that scripts save for later ones.

mod cli;
mod hostile;
mod saved;
mod serve;
mod visible;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ampoule::{
    Functions, Grant, GrantedTools, Isolate, Language, Outcome, Principal, Runtime, RuntimeBuilder,
    Script, SkillOptions,
};
use ampoule_tests::runtime_builder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::TempDir;

/// A runtime whose skills are in a folder of their own, with a server of sheets.
struct Kept {
    runtime: Runtime,
    folder: TempDir,
    /// How often a sheet was read.
    read: Arc<AtomicU32>,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Which {
    id: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Sheet {
    rows: Vec<Vec<String>>,
}

impl Kept {
    fn new() -> Self {
        Self::with(SkillOptions::default())
    }

    fn with(options: SkillOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::made(folder, options, |builder| builder)
    }

    fn made(
        folder: TempDir,
        options: SkillOptions,
        more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
    ) -> Self {
        let read = Arc::<AtomicU32>::default();
        let sheets = sheets(&read);
        let builder = runtime_builder().binding(sheets);
        let builder = builder.skills(folder.path().join("skills"), options);
        let runtime = more(builder).build().unwrap();
        Self {
            runtime,
            folder,
            read,
        }
    }

    fn isolate(&self, language: Language, source: &str) -> Isolate {
        let isolate = self.runtime.isolate(Script::new(language, source));
        isolate.grant(Grant::all())
    }

    async fn run(&self, language: Language, source: &str) -> Outcome {
        let run = self.isolate(language, source).run();
        run.await.expect("no host fault")
    }

    async fn value(&self, language: Language, source: &str) -> Value {
        let outcome = self.run(language, source).await;
        match outcome.value() {
            Ok(value) => value,
            Err(error) => panic!("{error}\nscript: {source}\noutput: {}", outcome.output),
        }
    }

    async fn typescript(&self, source: &str) -> Value {
        self.value(Language::TypeScript, source).await
    }

    async fn python(&self, source: &str) -> Value {
        self.value(Language::Python, source).await
    }

    /// What a script throws that does not end well.
    async fn thrown(&self, language: Language, source: &str) -> String {
        self.run(language, source).await.ending.to_string()
    }

    fn reads(&self) -> u32 {
        self.read.load(Ordering::Relaxed)
    }

    fn tools(&self) -> GrantedTools {
        self.runtime.tools(Grant::all()).unwrap()
    }

    /// The names of what a principal's scripts can import.
    fn sees(&self, whose: Option<&str>) -> Vec<String> {
        let whose = whose.map(Principal::new);
        let visible = self.runtime.visible_skills(whose.as_ref()).unwrap();
        visible.names().map(ToString::to_string).collect()
    }
}

fn sheets(read: &Arc<AtomicU32>) -> Functions {
    let read = Arc::clone(read);
    Functions::new("sheets").tool("read_sheet", "Reads a sheet.", move |which: Which| {
        read.fetch_add(1, Ordering::Relaxed);
        async move {
            match &*which.id {
                "none" => Err("there is no such sheet".to_owned()),
                id => Ok(Sheet {
                    rows: vec![vec!["name".into(), "n".into()], vec![id.into(), "1".into()]],
                }),
            }
        }
    })
}

/// A script that saves a skill of this name, with this code and example.
fn saving(name: &str, code: &str, example: Option<&str>) -> String {
    let wanted = serde_json::json!({
        "description": "Sheets as CSV, for tests",
        "code": code,
        "example": example,
    });
    let mut wanted = wanted;
    if example.is_none() {
        wanted.as_object_mut().unwrap().remove("example");
    }
    format!("return await skills.save(\"{name}\", {wanted});")
}

/// A skill in TypeScript that calls a tool.
const CSV: &str = r#"
/** Reads a sheet as CSV. Quotes nothing. */
export async function sheetAsCsv(id: string, separator = ","): Promise<string> {
  const { rows } = await tools.sheets.readSheet({ id });
  return rows.map((row: string[]) => row.join(separator)).join("\n");
}
"#;

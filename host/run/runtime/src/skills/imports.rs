//! The skills that a script imports, as modules of its own.

use std::collections::BTreeSet;

use ampoule_isolate::{Language, Module, Script};
use ampoule_persistence::skills::{File, Mention, Skill, VisibleSkills, mentioned};

use crate::governed::CarriedData;

/// What is in every script that has to do with skills.
const WORD: &str = "skills";
/// How many skills one script may import, those that skills import themselves included.
const MOST: usize = 64;

/// Whether a script may have to do with skills at all.
pub(crate) fn mentions(script: &Script) -> bool {
    let modules = script.modules().iter();
    let mut sources = modules.filter_map(|(_, module)| match module {
        Module::Source(source) => Some(source.as_str()),
        _ => None,
    });
    script.source().contains(WORD) || sources.any(|source| source.contains(WORD))
}

/// The script with the skills that it imports, and those that they do; what those had read who saved
/// them goes to `carried`. What is not there is not added: the script's import says so.
pub(crate) fn given(
    mut script: Script,
    visible: &VisibleSkills,
    carried: &mut Vec<CarriedData>,
) -> Script {
    let mut wanted = BTreeSet::new();
    look(script.source(), visible, &mut wanted);
    for (_, module) in script.modules() {
        if let Module::Source(source) = module {
            look(source, visible, &mut wanted);
        }
    }
    let mut seen = BTreeSet::new();
    while let Some(mention) = wanted.pop_first() {
        if seen.len() >= MOST || !seen.insert(mention.clone()) {
            continue;
        }
        let (written, name) = mention;
        match visible.get(&name) {
            Ok(found) => {
                for file in &found.skill.files {
                    look(&file.text, visible, &mut wanted);
                }
                carried.extend(found.skill.carried.clone());
                script = with(script, &found.skill, &written);
            }
            Err(error) => tracing::warn!(skill = %name, %error, "a skill can't be imported"),
        }
    }
    script
}

fn look(code: &str, visible: &VisibleSkills, wanted: &mut BTreeSet<Mention>) {
    wanted.extend(mentioned(code, visible.names()));
}

/// The script with a skill's files beside it, in a folder that is called as it is written where it
/// is imported. The script's own come first.
pub(super) fn with(mut script: Script, skill: &Skill, written: &str) -> Script {
    let interpreter = script.language().interpreter();
    let runs = |language: Language| language.interpreter() == interpreter;
    if !skill.instructions.is_empty() {
        let name = format!("{WORD}/{written}/SKILL.md");
        script = script.module(name, Module::Text(skill.instructions.clone()));
    }
    let entry = skill.files.first().map_or("", |entry| &entry.path);
    let beside_entry = entry.rfind('/').map_or("", |end| &entry[..=end]);
    for File { path, text } in &skill.files {
        let language = Language::of_file(path.as_ref()).filter(|it| runs(*it));
        let module = match language {
            Some(_) => Module::Source(text.clone()),
            None if path.ends_with(".json") => Module::Json(text.clone()),
            None => Module::Text(text.clone()),
        };
        // What is imported stands at the top, with what is beside it.
        let path = match language {
            Some(Language::Python) if path == entry => "__init__.py",
            Some(Language::JavaScript) if path == entry => "index.js",
            Some(_) if path == entry => "index.ts",
            _ => path.strip_prefix(beside_entry).unwrap_or(path),
        };
        let name = format!("{WORD}/{written}/{path}");
        if !script.modules().iter().any(|(known, _)| *known == name) {
            script = script.module(name, module);
        }
    }
    script
}

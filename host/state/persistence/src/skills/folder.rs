//! A skill as a folder, in the form of Agent Skills: `SKILL.md`, with the code and whatever else it
//! has beside it.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::skills::error::SkillError;
use crate::skills::front_matter;
use crate::skills::limits::SkillLimits;
use crate::skills::name::SkillName;
use crate::skills::skill::{Draft, File};

/// The file that makes a folder a skill.
const SKILL: &str = "SKILL.md";
/// What the example is called, without its ending.
const EXAMPLE: &str = "example";
/// How deep folders may be within one another.
const DEEPEST: usize = 4;
/// What Agent Skills keep code in.
const SCRIPTS: &str = "scripts/";

/// Reads a folder. Links are not followed; what is not text is left out, as is what begins with a
/// dot.
///
/// # Errors
///
/// [`SkillError::Folder`] says what is missing; others as for [`Draft::check`].
pub fn read(path: &Path, limits: SkillLimits) -> Result<Draft, SkillError> {
    let folder = Dir::open_ambient_dir(path, ambient_authority())?;
    let mut reading = FolderReader {
        files: BTreeMap::new(),
        left: limits.bytes,
        limits,
    };
    reading.all_of(&folder, "", 0)?;
    let mut files = reading.files;
    let missing = |what: &str| SkillError::Folder(format!("the folder has no {what}"));
    let front = files.remove(SKILL).ok_or_else(|| missing(SKILL))?;
    let front = front_matter::read(&front).map_err(SkillError::Folder)?;
    let name = front.name.ok_or_else(|| missing("`name:` in SKILL.md"))?;
    let name = SkillName::new(&name)?;
    let description = front.description;
    let description = description.ok_or_else(|| missing("`description:` in SKILL.md"))?;
    let entry = entry(&name, files.keys())?;
    let language = entry.as_deref().and_then(language_of);
    let endings = language.map_or(&[][..], endings_of).iter();
    let example = endings.map(|ending| format!("{EXAMPLE}.{ending}"));
    let example = example.filter_map(|file| files.remove(&file)).next();
    let draft = Draft {
        name,
        description,
        instructions: front.below,
        language: language.map(str::to_owned),
        files: in_order(entry, files),
        example,
    };
    draft.check(limits)?;
    Ok(draft)
}

/// Writes a skill as a folder, which must not be there, or be empty.
///
/// # Errors
///
/// [`SkillError::Folder`] if there is something; [`SkillError::Disk`].
pub fn write(draft: &Draft, path: &Path) -> Result<(), SkillError> {
    std::fs::create_dir_all(path)?;
    let folder = Dir::open_ambient_dir(path, ambient_authority())?;
    if folder.entries()?.next().is_some() {
        let told = "the folder is not empty; name a new one";
        return Err(SkillError::Folder(told.to_owned()));
    }
    let head = front_matter::written(draft.name.as_str(), &draft.description);
    let head = match draft.instructions.is_empty() {
        true => head,
        false => format!("{head}\n{}\n", draft.instructions),
    };
    folder.write(SKILL, head)?;
    for File { path, text } in &draft.files {
        if let Some(inside) = Path::new(path).parent() {
            folder.create_dir_all(inside)?;
        }
        folder.write(path, text)?;
    }
    if let (Some(example), Some(language)) = (&draft.example, &draft.language) {
        let ending = endings_of(language)[0];
        folder.write(format!("{EXAMPLE}.{ending}"), example)?;
    }
    Ok(())
}

/// What was read so far.
struct FolderReader {
    files: BTreeMap<String, String>,
    left: u64,
    limits: SkillLimits,
}

impl FolderReader {
    fn all_of(&mut self, folder: &Dir, within: &str, depth: usize) -> Result<(), SkillError> {
        for entry in folder.entries()? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let (path, kind) = (format!("{within}{name}"), entry.file_type()?);
            if name.starts_with('.') || name == "__pycache__" || name == "node_modules" {
                continue;
            }
            if kind.is_dir() && depth < DEEPEST {
                self.all_of(&entry.open_dir()?, &format!("{path}/"), depth + 1)?;
            } else if kind.is_file() {
                self.one(path, entry.open()?)?;
            } else {
                tracing::warn!(
                    file = path,
                    "left out of a skill: not a file, or nested too deep"
                );
            }
        }
        Ok(())
    }

    fn one(&mut self, path: String, file: cap_std::fs::File) -> Result<(), SkillError> {
        // The head, and the example.
        if self.files.len() >= self.limits.files + 2 {
            return Err(SkillError::TooManyFiles(self.limits.files));
        }
        let mut bytes = Vec::new();
        file.take(self.left + 1).read_to_end(&mut bytes)?;
        let most = self.limits.bytes;
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or({
            SkillError::TooLarge {
                bytes: most + 1,
                most,
            }
        })?;
        match String::from_utf8(bytes) {
            Ok(text) => drop(self.files.insert(path, text)),
            Err(_) => tracing::warn!(file = path, "left out of a skill: it is not UTF-8 text"),
        }
        Ok(())
    }
}

/// The file that is imported under the skill's name; none if there is no code.
fn entry<'a>(
    name: &SkillName,
    paths: impl Iterator<Item = &'a String> + Clone,
) -> Result<Option<String>, SkillError> {
    let code = || paths.clone().filter(|path| language_of(path).is_some());
    let stem = |path: &'a str| path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let snake = name.in_python();
    for meant in ["index", "__init__", name.as_str(), &snake, "main"] {
        let found = code().find(|path| {
            let path = path.strip_prefix(SCRIPTS).unwrap_or(path);
            stem(path) == meant
        });
        if found.is_some() {
            return Ok(found.cloned());
        }
    }
    let mut others = code().filter(|path| stem(path) != EXAMPLE);
    match (others.next(), others.next()) {
        (only, None) => Ok(only.cloned()),
        (Some(one), Some(other)) => Err(SkillError::Folder(format!(
            "which file is imported is not clear, `{one}` or `{other}`: call it `index.ts`, `__init__.py` or `{snake}` with its ending"
        ))),
        (None, Some(_)) => Ok(None),
    }
}

/// The files, the one that is imported first.
fn in_order(entry: Option<String>, mut files: BTreeMap<String, String>) -> Vec<File> {
    let first = entry.and_then(|path| files.remove_entry(&path));
    let all = first.into_iter().chain(files);
    all.map(|(path, text)| File { path, text }).collect()
}

fn language_of(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "ts" | "mts" => Some("typescript"),
        "js" | "mjs" => Some("javascript"),
        "py" => Some("python"),
        _ => None,
    }
}

/// How files of a language end, the usual one first.
pub(crate) fn endings_of(language: &str) -> &'static [&'static str] {
    match language {
        "python" => &["py"],
        "javascript" => &["js", "mjs", "ts"],
        _ => &["ts", "mts", "js", "mjs"],
    }
}

/// The folders in a folder that are skills.
pub(crate) fn skills_in(path: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let inside = entry.path();
        if entry.file_type()?.is_dir() && inside.join(SKILL).is_file() {
            found.push(inside);
        }
    }
    found.sort();
    Ok(found)
}

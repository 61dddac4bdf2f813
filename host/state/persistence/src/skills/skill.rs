//! One version of a skill.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::skills::error::SkillError;
use crate::skills::limits::SkillLimits;
use crate::skills::name::SkillName;

/// How long a description may be, in characters: as Agent Skills have it.
const MOST_DESCRIPTION: usize = 1024;

/// A skill before anybody has looked at what its code does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What it is called.
    pub name: SkillName,
    /// What it is for, and when.
    pub description: String,
    /// What `SKILL.md` says below its head.
    pub instructions: String,
    /// The language of its code, such as `typescript`; none if it has no code.
    pub language: Option<String>,
    /// Its files; the first is what is imported under the skill's name.
    pub files: Vec<File>,
    /// A script that uses it, as one would.
    pub example: Option<String>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Where it is in the skill's folder.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// A function that importers may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// With what it takes and gives: `saveSheetAsCsv(sheet: string): Promise<number>`.
    pub signature: String,
    /// What its comment says first.
    #[serde(default)]
    pub about: String,
}

/// A tool that the code calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Its binding's name.
    pub server: String,
    /// Its own.
    pub tool: String,
    /// What its type was like when the skill was saved, as a hash.
    pub digest: String,
}

/// What a tool answered that the example calls.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// The binding's name.
    pub server: String,
    /// The tool's.
    pub tool: String,
    /// What it was called with.
    pub arguments: Box<RawValue>,
    /// What came of it: a result as MCP has it.
    pub result: Box<RawValue>,
}

/// The person who said that all may use a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Whose it was; the local user's, if nobody's by name.
    pub from: Option<String>,
    /// Which version of theirs it was.
    pub version: u32,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// A version of a skill, and what is known of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Skill {
    /// What it is called.
    pub name: SkillName,
    /// Which version it is, counted from 1.
    pub version: u32,
    /// What it is for, and when.
    pub description: String,
    /// What `SKILL.md` says below its head.
    #[serde(default)]
    pub instructions: String,
    /// The language of its code; none if it has no code.
    pub language: Option<String>,
    /// Its files; the first is what is imported under the skill's name.
    pub files: Vec<File>,
    /// A script that uses it.
    pub example: Option<String>,
    /// What can be imported.
    pub functions: Vec<Function>,
    /// The tools that it calls.
    pub needs: Vec<Need>,
    /// What its example's calls were answered.
    pub answers: Vec<Answer>,
    /// When it was saved, in milliseconds since 1970.
    pub saved: u64,
    /// The run that saved it, if one did.
    pub run: Option<String>,
    /// The person who said that all may use it, if it is for all.
    pub approval: Option<Approval>,
    /// What the run had read that saved it, as far as policies care, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<serde_json::Value>,
}

impl Draft {
    /// Whether it may be kept.
    ///
    /// # Errors
    ///
    /// [`SkillError::Description`], [`SkillError::TooLarge`], [`SkillError::TooManyFiles`].
    pub fn check(&self, limits: SkillLimits) -> Result<(), SkillError> {
        let said = self.description.trim().chars().count();
        if !(1..=MOST_DESCRIPTION).contains(&said) {
            return Err(SkillError::Description);
        }
        if self.files.len() > limits.files {
            return Err(SkillError::TooManyFiles(limits.files));
        }
        let files = self.files.iter();
        let bytes: usize = files.map(|file| file.path.len() + file.text.len()).sum();
        let example = self.example.as_ref().map_or(0, String::len);
        let bytes = (bytes + example + self.instructions.len()) as u64;
        match bytes > limits.bytes {
            true => Err(SkillError::TooLarge {
                bytes,
                most: limits.bytes,
            }),
            false => Ok(()),
        }
    }
}

impl Skill {
    /// A skill of which nothing is known but what somebody wrote.
    pub fn of(draft: Draft) -> Self {
        let Draft {
            name,
            description,
            instructions,
            language,
            files,
            example,
        } = draft;
        Self {
            name,
            version: 0,
            description: description.trim().to_owned(),
            instructions,
            language,
            files,
            example,
            functions: Vec::new(),
            needs: Vec::new(),
            answers: Vec::new(),
            saved: 0,
            run: None,
            approval: None,
            carried: None,
        }
    }

    /// What somebody wrote of it.
    pub fn draft(&self) -> Draft {
        Draft {
            name: self.name.clone(),
            description: self.description.clone(),
            instructions: self.instructions.clone(),
            language: self.language.clone(),
            files: self.files.clone(),
            example: self.example.clone(),
        }
    }

    /// How a script imports something of it; none if it has no code.
    pub fn import(&self) -> Option<String> {
        let names: Vec<&str> = self.functions.iter().map(|it| &*it.name).collect();
        let names = match names.is_empty() {
            true => None,
            false => Some(names.join(", ")),
        };
        let in_python = self.language.as_deref()? == "python";
        Some(match (in_python, names) {
            (true, Some(names)) => format!("from skills.{} import {names}", self.name.in_python()),
            (true, None) => format!("import skills.{}", self.name.in_python()),
            (false, Some(names)) => {
                format!("import {{ {names} }} from \"./skills/{}\"", self.name)
            }
            (false, None) => format!("import \"./skills/{}\"", self.name),
        })
    }
}

//! Scripts: what a model wrote, and what comes with it.
//!
//! - `check`: whether it is checked before anything of it runs
//! - `language`: the languages
//! - `look`: which one some code is in, if nobody says
//! - `meant`: what code means that does not parse as it came

mod check;
mod language;
mod look;
pub(crate) mod meant;

use std::collections::BTreeMap;

use ampoule_tools::Error;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use check::Check;
pub use language::{Interpreter, Language};

/// Source text with its language, the modules that it may import, the values of `env` and the texts
/// of `strings`.
///
/// The source is never parsed by the host, only inside the isolate that runs it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Script {
    pub(crate) language: Language,
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) modules: Vec<(String, Module)>,
    pub(crate) env: Map<String, Value>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) strings: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Check::is_default")]
    pub(crate) check: Check,
}

/// What a module of a script holds. In TypeScript and JavaScript, all but sources are the module's
/// default export; in Python, they are files that the script may open by their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Module {
    /// Source text in the script's language.
    Source(String),
    /// Text, as a string.
    Text(String),
    /// A JSON document, as its value. It is parsed inside the isolate.
    Json(String),
    /// Bytes: in TypeScript and JavaScript, a `Uint8Array`.
    Bytes(Vec<u8>),
}

impl Script {
    /// A script of one module.
    pub fn new(language: Language, source: impl Into<String>) -> Self {
        Self {
            language,
            name: language.main_module().into(),
            source: source.into(),
            modules: Vec::new(),
            env: Map::new(),
            strings: BTreeMap::new(),
            check: Check::default(),
        }
    }

    /// A script in TypeScript.
    pub fn typescript(source: impl Into<String>) -> Self {
        Self::new(Language::TypeScript, source)
    }

    /// A script in JavaScript.
    pub fn javascript(source: impl Into<String>) -> Self {
        Self::new(Language::JavaScript, source)
    }

    /// A script in Python.
    pub fn python(source: impl Into<String>) -> Self {
        Self::new(Language::Python, source)
    }

    /// A script from a file's content.
    ///
    /// # Errors
    ///
    /// A request error if it is not UTF-8; it says where.
    pub fn from_bytes(language: Language, source: Vec<u8>) -> Result<Self, Error> {
        let source = String::from_utf8(source).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::request(format!(
                "the script is not UTF-8 text: byte {at} does not begin a character"
            ))
        })?;
        Ok(Self::new(language, source))
    }

    /// A script of several modules: `main`, and a map of names to contents that holds it.
    ///
    /// # Errors
    ///
    /// A request error if `main` is not among the modules, or is not source text.
    pub fn from_modules(
        language: Language,
        main: &str,
        mut modules: BTreeMap<String, Module>,
    ) -> Result<Self, Error> {
        let source = match modules.remove(main) {
            Some(Module::Source(source)) => source,
            Some(_) => {
                return Err(Error::request(format!(
                    "the main module `{main}` is not source text"
                )));
            }
            None => {
                let names: Vec<String> = modules.keys().map(|name| format!("`{name}`")).collect();
                let problem = format!(
                    "unknown module `{main}`; the modules are {}",
                    names.join(", ")
                );
                return Err(Error::request(problem));
            }
        };
        Ok(Self {
            modules: modules.into_iter().collect(),
            ..Self::new(language, source).named(main)
        })
    }

    /// The main module's name.
    #[doc(hidden)]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The source of its main module.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The other modules, by their names.
    pub fn modules(&self) -> &[(String, Module)] {
        &self.modules
    }

    /// The same with another source of the main module.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<String>) -> Self {
        self.source = source.into();
        self
    }

    /// The name of the main module in messages. Default `script.ts`, `script.js` or `script.py`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Puts a number into the main module's name: `script.2.ts`.
    #[doc(hidden)]
    pub fn number(&mut self, number: u64) {
        let at = self.name.rfind('.').filter(|at| *at > 0);
        let at = at.unwrap_or(self.name.len());
        self.name.insert_str(at, &format!(".{number}"));
    }

    /// Adds a module that the script may import by its name, with or without `./` in front.
    #[must_use]
    pub fn module(mut self, name: impl Into<String>, module: Module) -> Self {
        self.modules.push((name.into(), module));
        self
    }

    /// Adds a value to the script's global `env`.
    #[must_use]
    pub fn env(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.env.insert(key.into(), value.into());
        self
    }

    /// Adds a text to the script's global `strings`: one that is hard to quote in the source. In a
    /// session, the next script does not have it.
    #[must_use]
    pub fn string(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.strings.insert(name.into(), text.into());
        self
    }

    /// Whether it is checked before anything of it runs. Default: [`Check::First`].
    #[must_use]
    pub fn check(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    /// What it holds, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let modules = self
            .modules
            .iter()
            .map(|(name, module)| name.len() + module.bytes());
        let env = self
            .env
            .iter()
            .map(|(key, value)| key.len() + value.to_string().len());
        let strings = self.strings.iter();
        let strings = strings.map(|(name, text)| name.len() + text.len());
        let texts = self.name.len() + self.source.len() + strings.sum::<usize>();
        (texts + modules.sum::<usize>() + env.sum::<usize>()) as u64
    }
}

impl Module {
    fn bytes(&self) -> usize {
        match self {
            Self::Source(text) | Self::Text(text) | Self::Json(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_is_not_text_is_refused_with_the_place() {
        let error = Script::from_bytes(Language::JavaScript, b"ok \xff".to_vec()).unwrap_err();
        assert!(error.is_request());
        assert_eq!(
            error.to_string(),
            "the script is not UTF-8 text: byte 3 does not begin a character"
        );
    }

    #[test]
    fn the_main_module_must_be_there_and_be_source() {
        let modules = BTreeMap::from([("a.ts".to_owned(), Module::Text("x".into()))]);
        let error =
            Script::from_modules(Language::TypeScript, "main.ts", modules.clone()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown module `main.ts`; the modules are `a.ts`"
        );
        let error = Script::from_modules(Language::TypeScript, "a.ts", modules).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the main module `a.ts` is not source text"
        );
    }
}

//! What `ampoule run` runs: a script or a component, from a file, standard input or the command
//! line.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ampoule::{Access, Code, Component, Language, Script};
use ampoule_untrusted::document::{self, DocumentError};
use clap::{ArgGroup, Args};
use serde_json::value::RawValue;

use super::exit::Failure;

/// The code to run.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("script").required(true).args(["file", "code"]))]
pub(super) struct CodeArguments {
    /// The file: a script, or a component (`.wasm`); `-` reads it from standard input.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The script itself.
    #[arg(short = 'e', long = "eval", value_name = "CODE")]
    code: Option<String>,
    /// The script's language. Default: taken from the file's name, else guessed from the code.
    #[arg(long, value_enum)]
    language: Option<LanguageName>,
    /// A value of the script's `env`, or a variable of the component's environment. May be repeated.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    env: Vec<(String, String)>,
    /// A text of the script's `strings`, for what is hard to quote in code; `NAME=@FILE` reads it from
    /// a file. May be repeated.
    #[arg(long = "string", value_name = "NAME=TEXT", value_parser = name_and_text)]
    strings: Vec<(String, String)>,
    /// The component's arguments. Default: `{}`.
    #[arg(long, value_name = "JSON", value_parser = json)]
    arguments: Option<Box<RawValue>>,
    /// A folder that the component may read, and its name there, such as `./data:/data`. May be
    /// repeated.
    #[arg(long, value_name = "FOLDER[:NAME]")]
    folder: Vec<String>,
    /// The same for a folder that the component may also write to.
    #[arg(long, value_name = "FOLDER[:NAME]")]
    writable_folder: Vec<String>,
}

/// A language, as the command line has it.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum LanguageName {
    Typescript,
    Javascript,
    Python,
}

impl From<LanguageName> for Language {
    fn from(name: LanguageName) -> Self {
        match name {
            LanguageName::Typescript => Self::TypeScript,
            LanguageName::Javascript => Self::JavaScript,
            LanguageName::Python => Self::Python,
        }
    }
}

/// The code that the command line gave.
pub(super) struct CodeInput {
    pub(super) code: Code,
    pub(super) language: Option<Language>,
    /// The language was guessed from the code.
    pub(super) looked_at: bool,
}

impl CodeArguments {
    /// Reads the code. `look` guesses the language if the command line does not say it.
    pub(super) fn read(&self, look: impl FnOnce(&str) -> Language) -> Result<CodeInput, Failure> {
        let (name, content) = match (&self.code, self.file.as_deref()) {
            (Some(code), _) => (None, code.clone().into_bytes()),
            (None, Some(file)) if file == Path::new("-") => {
                let mut content = Vec::new();
                io::stdin().read_to_end(&mut content)?;
                (None, content)
            }
            (None, Some(file)) => {
                let content = std::fs::read(file).map_err(|error| {
                    Failure::usage(format!("{} can't be read: {error}", file.display()))
                })?;
                (Some(file), content)
            }
            (None, None) => {
                return Err(Failure::usage("missing code: give a FILE, or code with -e"));
            }
        };
        let is_named_so =
            name.is_some_and(|name| name.extension().is_some_and(|end| end == "wasm"));
        if is_named_so || Component::is_wasm(&content) {
            Ok(CodeInput {
                code: self.component(content)?.into(),
                language: None,
                looked_at: false,
            })
        } else {
            let named = self.language.map(Language::from);
            let named = named.or_else(|| Language::of_file(name?));
            let language = named.unwrap_or_else(|| look(&String::from_utf8_lossy(&content)));
            let script = self.script(name, language, content)?;
            Ok(CodeInput {
                language: Some(script.language()),
                looked_at: named.is_none(),
                code: script.into(),
            })
        }
    }

    fn component(&self, wasm: Vec<u8>) -> Result<Component, Failure> {
        if self.language.is_some() || !self.strings.is_empty() {
            return Err(Failure::usage(
                "a component takes neither --language nor --string; give it --arguments or --env",
            ));
        }
        let mut component = Component::from_bytes(wasm)?;
        if let Some(arguments) = &self.arguments {
            component = component.arguments(arguments.clone());
        }
        for (name, value) in &self.env {
            component = component.env(name, value);
        }
        for (folders, access) in [
            (&self.folder, Access::Read),
            (&self.writable_folder, Access::Write),
        ] {
            for folder in folders {
                let (host, guest) = folder.rsplit_once(':').unwrap_or((folder, folder));
                component = component.folder(host, guest, access);
            }
        }
        Ok(component)
    }

    fn script(
        &self,
        file: Option<&Path>,
        language: Language,
        source: Vec<u8>,
    ) -> Result<Script, Failure> {
        if self.arguments.is_some() || !self.folder.is_empty() || !self.writable_folder.is_empty() {
            return Err(Failure::usage(
                "--arguments and folders are for components; a script gets values with --env",
            ));
        }
        let mut script = Script::from_bytes(language, source)?;
        if let Some(name) = file.and_then(Path::file_name) {
            script = script.named(name.to_string_lossy());
        }
        for (name, text) in &self.strings {
            script = script.string(name, read_text(name, text)?);
        }
        Ok(self.env.iter().fold(script, |script, (key, value)| {
            script.env(key, value.as_str())
        }))
    }
}

/// A text, or the content of the file that `@` stands before.
fn read_text(name: &str, text: &str) -> Result<String, Failure> {
    match text.strip_prefix('@') {
        None => Ok(text.to_owned()),
        Some(file) => std::fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!(
                "--string {name}=@{file}: the file can't be read: {error}"
            ))
        }),
    }
}

pub(super) fn key_and_value(text: &str) -> Result<(String, String), String> {
    parted(text).ok_or_else(|| "write KEY=VALUE".to_owned())
}

fn name_and_text(text: &str) -> Result<(String, String), String> {
    parted(text).ok_or_else(|| "write NAME=TEXT, or NAME=@FILE".to_owned())
}

/// What is before the first `=`, and after it.
fn parted(text: &str) -> Option<(String, String)> {
    let (name, rest) = text.split_once('=')?;
    (!name.is_empty()).then(|| (name.to_owned(), rest.to_owned()))
}

fn json(text: &str) -> Result<Box<RawValue>, DocumentError> {
    document::read(text).map_err(|error| error.about("this"))
}

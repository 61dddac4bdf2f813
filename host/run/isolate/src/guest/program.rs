//! What an interpreter is given to run, and what it returns: the types of `ampoule:guest/script`.

use wasmtime::component::{ComponentType, Lift, Lower};

use crate::outcome::Thrown;
use crate::script::meant::{self, Reading};
use crate::script::{Check, Language, Module, Script};

/// How a program ended: with a value, or an error.
pub(crate) type ProgramResult = Result<Option<String>, Thrown>;

/// `ampoule:guest/script.progress`
#[derive(ComponentType, Lift)]
#[component(variant)]
pub(crate) enum Progress {
    #[component(name = "ended")]
    Ended(ProgramResult),
    /// It continues when a call has ended, or when so many nanoseconds are over.
    #[component(name = "waits")]
    Waits(Option<u64>),
}

/// `ampoule:guest/script.content`
#[derive(Clone, ComponentType, Lower)]
#[component(variant)]
pub(super) enum Content {
    #[component(name = "source")]
    Source(String),
    #[component(name = "text")]
    Text(String),
    #[component(name = "json")]
    Json(String),
    #[component(name = "bytes")]
    Bytes(Vec<u8>),
}

/// `ampoule:guest/script.module`
#[derive(Clone, ComponentType, Lower)]
#[component(record)]
pub(super) struct ProgramModule {
    name: String,
    content: Content,
}

/// A script that a guest is to run, and its language.
pub(crate) struct Program {
    pub(super) source: Source,
    pub(super) language: Language,
}

/// `ampoule:guest/script.program`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) source: String,
    modules: Vec<ProgramModule>,
    env: String,
    strings: String,
    #[component(name = "stack-bytes")]
    stack_bytes: u32,
    checking: Check,
}

impl Program {
    pub(crate) fn new(script: Script, stack_bytes: u64) -> Self {
        let content = |module| match module {
            Module::Source(text) => Content::Source(text),
            Module::Text(text) => Content::Text(text),
            Module::Json(text) => Content::Json(text),
            Module::Bytes(bytes) => Content::Bytes(bytes),
        };
        let language = script.language;
        let source = Source {
            name: script.name,
            source: meant::with_known_fence(&script.source).unwrap_or(script.source),
            modules: script
                .modules
                .into_iter()
                .map(|(name, module)| ProgramModule {
                    name,
                    content: content(module),
                })
                .collect(),
            env: if script.env.is_empty() {
                String::new()
            } else {
                serde_json::Value::Object(script.env).to_string()
            },
            strings: match script.strings.is_empty() {
                true => String::new(),
                // Texts alone can always be written.
                false => serde_json::to_string(&script.strings).unwrap_or_default(),
            },
            stack_bytes: u32::try_from(stack_bytes).unwrap_or(u32::MAX),
            checking: script.check,
        };
        Self { source, language }
    }
}

impl Source {
    /// The same program, its source read otherwise.
    pub(super) fn read_as(&self, reading: &Reading) -> Self {
        Self {
            name: self.name.clone(),
            source: reading.source.clone(),
            modules: self.modules.clone(),
            env: self.env.clone(),
            strings: self.strings.clone(),
            stack_bytes: self.stack_bytes,
            checking: self.checking,
        }
    }
}

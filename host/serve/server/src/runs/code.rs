//! From a client's code to what is run.

use std::collections::BTreeMap;

use ampoule::{
    DirectCall, Error, Grant, Isolate, Language, Principal, RunId, Script, Toolkit, Undo,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::registry::{CALL, UNDO};
use super::service::Runs;

/// What a client may say that its code is written in.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CodeLanguage {
    #[serde(alias = "ts", alias = "TypeScript")]
    Typescript,
    #[serde(alias = "js", alias = "JavaScript")]
    Javascript,
    #[serde(alias = "py", alias = "python3", alias = "Python")]
    Python,
    Wasm,
}

/// Code, as a client sends it.
pub(crate) struct SentCode<'a> {
    pub(crate) text: &'a str,
    /// The texts of a script's global `strings`.
    pub(crate) strings: BTreeMap<String, String>,
    /// None where the code is looked at.
    pub(crate) language: Option<CodeLanguage>,
    /// A component's.
    pub(crate) arguments: Option<Box<RawValue>>,
    pub(crate) principal: Option<&'a Principal>,
    pub(crate) session: Option<&'a str>,
}

/// What was run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CodeKind {
    Script {
        language: Language,
        /// The language was guessed from the code.
        looked_at: bool,
    },
    Component,
    /// One call, without a script.
    Call,
    /// Calls that take back those of another run.
    Undo,
}

impl CodeKind {
    /// What it is written in.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Script { language, .. } => language.name(),
            Self::Component => "component",
            Self::Call => CALL,
            Self::Undo => UNDO,
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Script { .. } => "script",
            Self::Component => "component",
            Self::Call => "call",
            Self::Undo => "undo",
        }
    }
}

/// Code that can be run.
pub(crate) struct RunnableCode {
    /// What is not said of it yet is as the runtime has it.
    pub(super) isolate: Isolate,
    pub(super) kind: CodeKind,
}

impl RunnableCode {
    /// The id that its run will have.
    pub(crate) fn id(&self) -> RunId {
        self.isolate.id()
    }
}

impl Runs {
    /// One call, without a script.
    pub(crate) fn call(&self, call: DirectCall) -> RunnableCode {
        RunnableCode {
            isolate: self.shared.runtime.isolate(call),
            kind: CodeKind::Call,
        }
    }

    /// A script of the operator's.
    pub(crate) fn script(&self, script: Script) -> RunnableCode {
        let language = script.language();
        RunnableCode {
            isolate: self.shared.runtime.isolate(script),
            kind: CodeKind::Script {
                language,
                looked_at: false,
            },
        }
    }

    /// What takes back the calls of that run of a principal, which was within the same toolkit; and the
    /// same in a line for each call.
    ///
    /// # Errors
    ///
    /// A request error: there is nothing to be taken back.
    pub(crate) async fn undo(
        &self,
        run: &str,
        principal: Option<&Principal>,
        grant: &Grant,
    ) -> Result<(RunnableCode, String), Error> {
        let toolkit = grant.toolkit().map(Toolkit::name);
        let runtime = &self.shared.runtime;
        let isolate = runtime.undo_within(run, principal, toolkit).await?;
        let text = isolate.undo().map_or_else(String::new, Undo::text);
        let kind = CodeKind::Undo;
        Ok((RunnableCode { isolate, kind }, text))
    }

    /// Reads a client's code.
    ///
    /// # Errors
    ///
    /// A request error for an unknown component, or if a script has a component's arguments.
    pub(crate) async fn read_code(&self, sent: SentCode<'_>) -> Result<RunnableCode, Error> {
        let SentCode {
            text,
            strings,
            language,
            arguments,
            principal,
            session,
        } = sent;
        let runtime = &self.shared.runtime;
        let stated = match language {
            None => None,
            Some(CodeLanguage::Typescript) => Some(Language::TypeScript),
            Some(CodeLanguage::Javascript) => Some(Language::JavaScript),
            Some(CodeLanguage::Python) => Some(Language::Python),
            Some(CodeLanguage::Wasm) => {
                if !strings.is_empty() {
                    return Err(Error::request(
                        "`strings` are for scripts; a component gets values with `arguments`",
                    ));
                }
                let most = runtime.limits().host_bytes;
                let component = self.shared.components.component(text, most).await?;
                let component = match arguments {
                    Some(arguments) => component.arguments(arguments),
                    None => component,
                };
                return Ok(RunnableCode {
                    isolate: runtime.isolate(component),
                    kind: CodeKind::Component,
                });
            }
        };
        if arguments.is_some() {
            return Err(Error::request(
                "`arguments` are for components; write a script's values into its code",
            ));
        }
        let language = stated.unwrap_or_else(|| runtime.language_of(text, principal, session));
        let script = Script::new(language, text);
        let strings = strings.into_iter();
        let script = strings.fold(script, |script, (name, text)| script.string(name, text));
        Ok(RunnableCode {
            isolate: runtime.isolate(script),
            kind: CodeKind::Script {
                language,
                looked_at: stated.is_none(),
            },
        })
    }
}

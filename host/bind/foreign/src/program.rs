//! What a run is made of: a script, or one call.

use ampoule::{Check, Code, DirectCall, Isolate, Language, Principal, Script};
use futures::executor::block_on;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Fault;
use crate::options::{RunOptions, language};
use crate::parked_runs;

/// What the document of an outcome names as the language of a run without a script.
const OF_CALL: &str = "call";
/// The same of a run that takes back calls of another.
pub(crate) const OF_UNDO: &str = "undo";

/// One call of a tool, which is the whole of a run.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallOptions {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// The tool's arguments: an object. Default: none.
    pub arguments: Option<Box<RawValue>>,
}

impl From<CallOptions> for DirectCall {
    fn from(options: CallOptions) -> Self {
        let CallOptions {
            server,
            tool,
            arguments,
        } = options;
        let none = || RawValue::from_string("{}".to_owned()).expect("an object is JSON");
        Self::new(server, tool, arguments.unwrap_or_else(none))
    }
}

impl RunOptions {
    /// What is to run, and the name of its language.
    pub(crate) fn program(
        &mut self,
        runtime: &ampoule::Runtime,
        principal: Option<&Principal>,
    ) -> Result<(Code, &'static str), Fault> {
        if let Some(call) = self.call.take() {
            self.without_script("`call` is one call without a script")?;
            return Ok((DirectCall::from(call).into(), OF_CALL));
        }
        let code = std::mem::take(&mut self.code);
        let language = match &self.language {
            Some(name) => language(name)?,
            None => runtime.language_of(&code, principal, self.session.as_deref()),
        };
        Ok((self.script(language, code).into(), language.name()))
    }

    fn script(&mut self, language: Language, code: String) -> Script {
        let env = std::mem::take(&mut self.env).into_iter();
        let script = env.fold(Script::new(language, code), |script, (name, value)| {
            script.env(name, value)
        });
        let strings = std::mem::take(&mut self.strings).into_iter();
        let script = strings.fold(script, |script, (name, text)| script.string(name, text));
        let script = match self.name.take() {
            Some(name) => script.named(name),
            None => script,
        };
        script.check(self.check)
    }

    /// The isolate that takes back the calls of that run. Waits on this thread, if the run is known by its
    /// record alone.
    pub(crate) fn undoing(
        &self,
        runtime: &ampoule::Runtime,
        run: &str,
        principal: Option<&Principal>,
    ) -> Result<Isolate, Fault> {
        self.without_script("`undo` takes back the calls of another run")?;
        if self.call.is_some() {
            return Err(Fault::usage(
                "`call` makes a call, and `undo` takes some back: leave one of them out",
            ));
        }
        Ok(block_on(runtime.undo(run, principal))?)
    }

    /// The isolate that resumes that run, with what it was granted and its own servers.
    pub(crate) fn resuming<'a>(
        &mut self,
        runtime: &ampoule::Runtime,
        run: &str,
        principal: Option<&Principal>,
        own: impl Iterator<Item = &'a str>,
    ) -> Result<(Isolate, &'static str), Fault> {
        self.without_script("`resume` continues a parked run")?;
        let of_new_runs = [
            ("call", self.call.is_some()),
            ("undo", self.undo.is_some()),
            ("grant", self.grant.is_some()),
            ("limits", !self.limits.is_empty()),
            ("parkAfter", self.park_after.is_some()),
            ("record", self.record),
        ];
        if let Some((option, _)) = of_new_runs.iter().find(|(_, is_given)| *is_given) {
            return Err(Fault::usage(format!(
                "`{option}` is an option of new runs, and `resume` continues a parked run: leave one of them out"
            )));
        }
        let run = parked_runs::name(runtime, run, principal)?;
        let mut isolate = runtime.resume(&run, principal)?;
        if let Some(label) = self.label.take() {
            isolate = isolate.label(label);
        }
        if self.keep_outcome {
            isolate = isolate.keep_outcome();
        }
        let language = isolate.language().map_or(OF_CALL, Language::name);
        let granted = isolate.granted().clone();
        let grant = own.fold(granted, |grant, server| grant.and_server(server));
        Ok((isolate.grant(grant), language))
    }

    /// That no option is given which only a script has a use for.
    fn without_script(&self, what: &str) -> Result<(), Fault> {
        let of_scripts = [
            ("code", !self.code.is_empty()),
            ("language", self.language.is_some()),
            ("name", self.name.is_some()),
            ("env", !self.env.is_empty()),
            ("strings", !self.strings.is_empty()),
            ("session", self.session.is_some()),
            ("check", self.check == Check::Alone),
        ];
        match of_scripts.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Fault::usage(format!(
                "`{option}` is an option of scripts, and {what}: leave one of them out"
            ))),
            None => Ok(()),
        }
    }
}

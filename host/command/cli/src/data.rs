//! What `ampoule doctor` says of the guest with numpy and pandas.

use ampoule::{DataGuest, GuestKind, Runtime, Script};
use ampoule_config::Config;
use ampoule_untrusted::text;
use serde_json::{Value, json};

use super::setup;
use super::streams;

/// What a script does that shows that the guest works.
const TRIAL: &str = "
import numpy, pandas
return int(pandas.DataFrame({'a': numpy.arange(3)})['a'].sum()) == 3
";

/// The guest with numpy and pandas, and what is wrong with it.
pub(super) struct DataState {
    /// It is looked for.
    is_wanted: bool,
    guest: Option<DataGuest>,
    /// The size of its compiled code, if it is compiled.
    bytes: Option<u64>,
    pub(super) problem: Option<String>,
}

impl DataState {
    /// That of the configured guest, or of the one beside the program. Where it is compiled, a script
    /// has used it.
    pub(super) async fn of(config: &Config) -> Self {
        let mut state = Self {
            is_wanted: config.python.data,
            guest: None,
            bytes: None,
            problem: None,
        };
        let found = match ampoule_configured::data_guest(config) {
            Ok(found) => found,
            Err(error) => {
                state.problem = Some(error.to_string());
                return state;
            }
        };
        if let Some(guest) = found {
            let tried = tried(config, &guest).await;
            match tried {
                Ok(bytes) => state.bytes = bytes,
                Err(problem) => state.problem = Some(problem),
            }
            state.guest = Some(guest);
        }
        state
    }

    pub(super) fn say(&self) {
        let out = streams::out();
        let said = match (&self.problem, &self.guest) {
            (Some(problem), _) => format!("not usable; {}", text::one_line(problem)),
            (None, Some(guest)) => format!("{}, {}", self.versions(guest), self.compiled()),
            (None, None) if self.is_wanted => format!(
                "not there; put the file `{}` beside the program to have them in Python",
                DataGuest::FILE
            ),
            (None, None) => "left out, as `python.data` says".to_owned(),
        };
        out.line(out.wrapped(&format!("numpy and pandas: {said}"), "", "  "));
    }

    fn versions(&self, guest: &DataGuest) -> String {
        let packages = guest.packages().iter();
        let named = packages.map(|(name, version)| format!("{name} {version}"));
        let named = named.collect::<Vec<_>>().join(", ");
        text::one_line(&named).into_owned()
    }

    fn compiled(&self) -> String {
        match self.bytes {
            Some(bytes) => format!("compiled, {:.1} MiB", bytes as f64 / f64::from(1 << 20)),
            None => "not compiled yet; the first script that needs them compiles the interpreter, or run `ampoule warm` now".to_owned(),
        }
    }

    pub(super) fn document(&self) -> Value {
        let guest = self.guest.as_ref();
        json!({
            "file": guest.map(|guest| guest.path().to_string_lossy()),
            "packages": guest.map(DataGuest::packages),
            "compiledBytes": self.bytes,
            "problem": self.problem,
        })
    }
}

/// The size of the compiled code, where there is some, and it works.
async fn tried(config: &Config, guest: &DataGuest) -> Result<Option<u64>, String> {
    let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", guest.path().display());
    guest.prove().map_err(|error| problem(&error))?;
    let runtime = ampoule_configured::interpreters(setup::builder(), config);
    let runtime = runtime.map_err(|error| error.to_string())?.build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let bytes = runtime.code_bytes(GuestKind::PythonData).await;
    let bytes = bytes.map_err(|error| error.to_string())?;
    if bytes.is_some() {
        works(&runtime).await.map_err(|error| problem(&error))?;
    }
    Ok(bytes)
}

/// Runs a script that uses them.
async fn works(runtime: &Runtime) -> Result<(), String> {
    let outcome = runtime.isolate(Script::python(TRIAL)).run().await;
    let outcome = outcome.map_err(|error| error.to_string())?;
    match outcome.value::<bool>() {
        Ok(true) => Ok(()),
        _ => Err(format!("a script that uses them fails: {}", outcome.ending)),
    }
}

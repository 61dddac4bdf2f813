//! What a script is told that imports numpy or pandas where it has none. What the interpreter says of
//! that does not know of the guest that has them.

use ampoule_isolate::{Ending, Outcome, Thrown};

use crate::guests::{GuestKind, Guests};

/// The modules that people want of the guest, where it is not here to say which it has.
const WANTED: [&str; 2] = ["numpy", "pandas"];
/// What the interpreter raises, and how its message begins.
const ERROR: &str = "ModuleNotFoundError";
const BEGINS: &str = "There is no module `";

/// Why a run has no numpy and pandas.
pub(super) enum ImportAdvice {
    /// It has them, or its language knows of none.
    None,
    /// The operator has not added the guest.
    NotHere,
    /// Its session began without.
    Session(Guests),
    /// The script does not name what it imports.
    Unnamed(Guests),
}

impl ImportAdvice {
    /// What holds for a run in such a guest. One of a session that has had others `continues` it.
    pub(super) fn of(guests: &Guests, kind: GuestKind, continues: bool) -> Self {
        match (kind, guests.find(GuestKind::PythonData)) {
            (GuestKind::JavaScript | GuestKind::PythonData, _) => Self::None,
            (GuestKind::Python, None) => Self::NotHere,
            (GuestKind::Python, Some(_)) if continues => Self::Session(guests.clone()),
            (GuestKind::Python, Some(_)) => Self::Unnamed(guests.clone()),
        }
    }

    /// Adds it to the error of a run that failed for want of such a module.
    pub(super) fn add_to(&self, outcome: &mut Outcome) {
        if let Ending::Threw(thrown) = &mut outcome.ending
            && let Some(module) = missing_module(thrown)
            && let Some(message) = self.message(&module, &thrown.message)
        {
            thrown.message = message;
        }
    }

    fn message(&self, module: &str, before: &str) -> Option<String> {
        match self {
            Self::None => None,
            Self::NotHere => WANTED.contains(&module).then(|| {
                format!(
                    "{before} If numpy and pandas are needed, the operator can add them: `ampoule doctor` says how."
                )
            }),
            Self::Session(guests) => guests.is_data_module(module).then(|| {
                format!(
                    "There is no module `{module}` in this session: its first run did not name it, and a session keeps the modules that it began with. Run this script in a new session."
                )
            }),
            Self::Unnamed(guests) => guests.is_data_module(module).then(|| {
                format!(
                    "There is no module `{module}` in this run: only a script that names it has it. Write `import {module}` in the script."
                )
            }),
        }
    }
}

/// The module at the top that a run could not import, if that is why it failed.
fn missing_module(thrown: &Thrown) -> Option<String> {
    let named = thrown.message.strip_prefix(BEGINS)?;
    let (name, _) = named.split_once('`')?;
    let top = name.split('.').next()?;
    (thrown.name == ERROR).then(|| top.to_owned())
}

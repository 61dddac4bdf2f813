//! A run, as those have it who are within it while it is under way.

use std::fmt;
use std::io;
use std::sync::Arc;

use ampoule_audit::WriteError;
use ampoule_privacy::Counts;
use ampoule_quota::Remainder;

use crate::facts::CarriedLabels;
use crate::model::{self, OutputMoment, WithheldError};
use crate::shared::Shared;

/// A run, as those have it who are within it while it is under way. Clones are the same.
#[derive(Clone)]
pub struct OpenRun {
    pub(crate) shared: Arc<Shared>,
}

impl OpenRun {
    /// What it has read so far, for what it leaves meanwhile, such as a file or a skill.
    pub fn carried(&self) -> CarriedLabels {
        self.shared.carried()
    }

    /// It reads something else than tools give, such as a file that another run wrote: call it
    /// before the run has what it reads.
    pub fn reads(&self, carried: &CarriedLabels) {
        self.shared.reads(carried);
    }

    /// Everything that goes to the model while the run is under way passes this, such as lines that
    /// it prints; what is there at its end, passes [`GovernedRun::end`](crate::GovernedRun::end).
    /// Texts that are JSON stay JSON. What a person would have to allow, and what is counted, waits
    /// for the end.
    ///
    /// # Errors
    ///
    /// [`WithheldError`]: why the model is given nothing of it. Then all texts are empty.
    pub async fn to_model(&self, texts: &mut [&mut String]) -> Result<Counts, WithheldError> {
        model::pass(&self.shared, texts, OutputMoment::Meanwhile).await
    }

    /// A text with tokens in place of personal data, for a script that asks for that; as it is if
    /// nothing is done about personal data.
    pub fn mask(&self, text: String) -> String {
        match (&self.shared.parts().personal, &self.shared.table) {
            (Some(personal), Some(opened)) => {
                let mut table = opened.table.lock();
                personal.boundary.mask(&text, &mut table).text.into_owned()
            }
            _ => text,
        }
    }

    /// What is left of the quotas of its principal. From then on the run has read what those had who
    /// used up the rest.
    ///
    /// # Errors
    ///
    /// That is unknown.
    pub fn left(&self) -> io::Result<Vec<Remainder>> {
        let Some(quotas) = &self.shared.parts().quotas else {
            return Ok(Vec::new());
        };
        let principal = self.shared.principal();
        self.shared.reads(&self.shared.parts().spent.by(principal)?);
        Ok(quotas.left(&self.shared.counted(), None))
    }

    /// It is about to leave its session so: `saved` or `rewound`, at the run of that number. Call it
    /// before that is done.
    ///
    /// # Errors
    ///
    /// It can't be recorded, and must not be done.
    pub fn leaves(&self, name: &str, action: &str, number: u64) -> Result<(), WriteError> {
        let whose = &self.shared.whose;
        self.shared
            .parts()
            .record(|| whose.left(name, action, number))
    }

    /// Before its calls are dropped, as it is put to sleep: calls that are dropped from now on keep
    /// their questions, and so does the run.
    pub fn will_park(&self) {
        self.shared.will_park();
    }
}

impl fmt::Debug for OpenRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenRun")
            .field("run", &self.shared.whose.run)
            .finish_non_exhaustive()
    }
}

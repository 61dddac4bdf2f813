//! A run, from its beginning to its end.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use ampoule_audit::WriteError;
use ampoule_privacy::{Counts, KeepError};
use ampoule_tools::{Layer, Layers};
use tokio::task::spawn_blocking;

use crate::admission::AdmissionError;
use crate::course::Course;
use crate::enforce::Enforcement;
use crate::facts::{CarriedLabels, EndFacts, RunFacts};
use crate::governance::Governance;
use crate::model::{self, OutputMoment, WithheldError};
use crate::open_run::OpenRun;
use crate::seal::InnermostLayer;
use crate::shared::{Shared, soon};

/// A run that is under way. [End](Self::end) it, or [park](Self::park) it; one that is dropped is
/// recorded as such, and its questions are withdrawn.
pub struct GovernedRun {
    open: OpenRun,
    is_over: bool,
}

/// A run that is over.
#[derive(Debug)]
pub struct GovernedOutcome {
    /// How much personal data was found in what goes to the model; or why the model is given nothing
    /// of it: then all texts are empty.
    pub shown: Result<Counts, WithheldError>,
    /// What has to be kept with all that the run left, such as its session, skills and files.
    pub carried: CarriedLabels,
}

impl GovernedRun {
    pub(crate) async fn open(
        governance: &Governance,
        facts: RunFacts,
        course: Course,
        is_resumed: bool,
    ) -> Result<Self, AdmissionError> {
        let table = match &governance.0.personal {
            None => None,
            Some(personal) => Some(match facts.table() {
                None => personal.opened(None)?,
                Some(name) => {
                    let governance = governance.clone();
                    let open = move || {
                        let personal = governance.0.personal.as_ref();
                        personal.map(|it| it.opened(Some(name))).transpose()
                    };
                    let opened = spawn_blocking(open)
                        .await
                        .map_err(|_| AdmissionError::Stopped)?;
                    opened?.ok_or(AdmissionError::Stopped)?
                }
            }),
        };
        let shared = Shared::new(Arc::clone(&governance.0), facts, course, table, is_resumed);
        Ok(Self {
            open: OpenRun {
                shared: Arc::new(shared),
            },
            is_over: false,
        })
    }

    pub(crate) fn record_start(mut self) -> Result<Self, WriteError> {
        match self.open.shared.record_start() {
            Ok(()) => Ok(self),
            Err(error) => {
                // It did not begin, so it does not end.
                self.is_over = true;
                Err(error)
            }
        }
    }

    /// What every call of the run has to pass. Put it inside of every layer that changes arguments
    /// or results: what it lets pass is what leaves.
    pub fn layer(&self) -> impl Layer + use<> {
        Enforcement(Arc::clone(&self.shared))
    }

    /// What finds out whether a layer in between changed what was let pass, and denies such a call.
    /// If it is used, it has to be the innermost.
    pub fn seal(&self) -> impl Layer + use<> {
        self.shared.seal.is_used.store(true, Relaxed);
        InnermostLayer(Arc::clone(&self.shared))
    }

    /// These layers, with [`layer`](Self::layer) and [`seal`](Self::seal) inside of them.
    pub fn inside_of(&self, layers: &Layers) -> Layers {
        match self.shared.is_free {
            true => layers.clone(),
            false => layers.with(self.layer()).with(self.seal()),
        }
    }

    /// It ends: `texts` are what the model is to be given of it.
    pub async fn end(mut self, texts: &mut [&mut String], ended: EndFacts) -> GovernedOutcome {
        // Nobody is asked about the output of one that nobody wants any more.
        let when = match &*ended.outcome {
            "cancelled" => OutputMoment::Meanwhile,
            _ => OutputMoment::AtTheEnd,
        };
        let shown = model::pass(&self.shared, texts, when).await;
        self.is_over = true;
        let shared = Arc::clone(&self.shared);
        shared.over(&ended);
        if shared.leaves_something() {
            let cleaned = spawn_blocking({
                let shared = Arc::clone(&shared);
                move || shared.clean()
            });
            if let Err(error) = cleaned.await {
                tracing::warn!(%error, "what a run left could not be stored");
            }
        }
        GovernedOutcome {
            shown,
            carried: shared.carried(),
        }
    }

    /// It sleeps; another process may [resume](Governance::resume) it, with what this returns.
    ///
    /// # Errors
    ///
    /// [`KeepError`]: what its tokens stand for can't be kept.
    pub async fn park(mut self) -> Result<CarriedLabels, KeepError> {
        self.will_park();
        self.is_over = true;
        let shared = Arc::clone(&self.shared);
        let kept = spawn_blocking({
            let shared = Arc::clone(&shared);
            move || shared.keep_table()
        });
        kept.await
            .unwrap_or_else(|error| Err(std::io::Error::other(error).into()))?;
        Ok(shared.carried())
    }
}

impl Deref for GovernedRun {
    type Target = OpenRun;

    fn deref(&self) -> &OpenRun {
        &self.open
    }
}

/// Where it [will be parked](OpenRun::will_park), it sleeps from now on; else it is over.
impl Drop for GovernedRun {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let shared = Arc::clone(&self.shared);
        if self.shared.parks() {
            soon(move || shared.keep_table_or_warn());
            return;
        }
        self.shared.over(&EndFacts {
            outcome: "dropped".into(),
            ..EndFacts::default()
        });
        if shared.leaves_something() {
            soon(move || shared.clean());
        }
    }
}

impl fmt::Debug for GovernedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GovernedRun")
            .field("run", &self.shared.whose.run)
            .field("carried", &self.shared.carried())
            .finish_non_exhaustive()
    }
}

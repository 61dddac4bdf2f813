//! One run, from its beginning to its end.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_governance::GovernedRun;
use ampoule_governance::approvals::{ApprovedPlan, Plan};
use ampoule_isolate::{Events, Observers, Outcome, SessionEnd};
use ampoule_tools::{Error, Layers, RunId};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::own::Own;
use super::{Carried, shown, written};

/// What governs a run. Where this is dropped before the run is over, that is over, too; or it
/// sleeps, if it [will](Within::will_park).
pub(crate) struct Governing {
    run: GovernedRun,
    own: Own,
    telling: Option<JoinHandle<()>>,
    _entered: Entered,
}

/// What somebody has approved of a run that was tried first.
#[derive(Clone)]
pub(crate) struct Approved(pub(super) Arc<ApprovedPlan>);

impl Approved {
    /// What it is called, to be found again.
    pub(crate) fn name(&self) -> String {
        self.0.id().to_string()
    }
}

/// The runs that are under way.
pub(super) type Registry = Arc<Mutex<HashMap<RunId, Within>>>;

/// A run is among those that are under way.
struct Entered(RunId, Registry);

impl Drop for Entered {
    fn drop(&mut self) {
        self.1.lock().remove(&self.0);
    }
}

/// The same, as those have it who are within the run. Clones are the same.
#[derive(Clone)]
pub(crate) struct Within(ampoule_governance::Within);

impl Governing {
    pub(super) fn new(run: GovernedRun, own: Own, (id, registry): (RunId, &Registry)) -> Self {
        registry.lock().insert(id, Within((*run).clone()));
        Self {
            run,
            own,
            telling: None,
            _entered: Entered(id, Arc::clone(registry)),
        }
    }

    /// These layers, with what governs calls inside of them.
    pub(crate) fn inside_of(&self, layers: &Layers) -> Layers {
        match self.own.layer((*self.run).clone()) {
            Some(own) => self.run.inside_of(&layers.with(own)),
            None => self.run.inside_of(layers),
        }
    }

    /// What it would have done, if it was only tried.
    pub(crate) fn plan(&self) -> Option<Plan> {
        self.run.plan()
    }

    pub(crate) fn within(&self) -> Within {
        Within((*self.run).clone())
    }

    /// What the run has read by now; none if that matters to nobody.
    pub(crate) fn carried(&self) -> Option<Carried> {
        self.within().carried()
    }

    /// Whether these texts may be shown to the model, all of them and as they are.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(crate) async fn may_show(&self, texts: &[&str]) -> Result<(), String> {
        self.within().may_show(texts).await
    }

    /// Tells these of what happens, as far as they may know: it comes to them after it happened.
    pub(crate) fn tell(&mut self, events: Events, observers: Observers) {
        let telling = shown::told((*self.run).clone(), events, observers);
        self.telling = Some(tokio::spawn(telling));
    }

    /// The run is over. What goes to the model of it is what it may have.
    pub(crate) async fn end(self, outcome: Result<Outcome, Error>) -> Result<Outcome, Error> {
        let Self {
            run,
            own: _,
            telling,
            _entered,
        } = self;
        if let Some(telling) = telling {
            // It says itself what went wrong there.
            let _ = telling.await;
        }
        match outcome {
            Ok(outcome) => Ok(shown::ended(run, outcome).await),
            Err(error) => {
                let ended = ampoule_governance::Ended {
                    outcome: "failed".into(),
                    ..Default::default()
                };
                run.end(&mut [], ended).await;
                Err(error)
            }
        }
    }
}

impl Within {
    /// What the run has read by now; none if that matters to nobody.
    pub(crate) fn carried(&self) -> Option<Carried> {
        written(&self.0.carried())
    }

    /// The run is about to read what somebody who had read this left.
    ///
    /// # Errors
    ///
    /// It can't be told what that was.
    pub(crate) fn reads(&self, carried: &Carried) -> Result<(), Error> {
        self.0.reads(&super::read(carried)?);
        Ok(())
    }

    /// Whether these texts may be shown to the model, all of them and as they are.
    ///
    /// # Errors
    ///
    /// Why not, for the script.
    pub(crate) async fn may_show(&self, texts: &[&str]) -> Result<(), String> {
        let mut shown: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let mut passed: Vec<&mut String> = shown.iter_mut().collect();
        let passed = self.0.to_model(&mut passed).await;
        passed.map_err(|withheld| withheld.to_string())?;
        match shown.iter().zip(texts).all(|(shown, text)| shown == text) {
            true => Ok(()),
            false => {
                Err("there is personal data in it, or a field that may not be shown".to_owned())
            }
        }
    }

    /// The run is about to leave its session so.
    ///
    /// # Errors
    ///
    /// That can't be recorded, so it must not be.
    pub(crate) fn leaves(&self, session: &SessionEnd) -> Result<(), String> {
        let action = match session.rewound {
            true => "rewound",
            false => "saved",
        };
        let left = self.0.leaves((&session.name, action), session.run);
        left.map_err(|error| error.to_string())
    }

    /// The run is about to be dropped, and will be gone on with.
    pub(crate) fn will_park(&self) {
        self.0.will_park();
    }
}

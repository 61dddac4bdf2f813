//! One run, from its beginning to its end.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_governance::OpenRun;
use ampoule_isolate::{Events, Observers, Outcome, SessionEnd};
use ampoule_tools::{Error, Layers, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use super::own_tools::OwnTools;
use super::{CarriedData, ExecutionMode, GovernedRun, Oversight, display, written};

/// A run that is governed.
pub(super) struct Run {
    run: ampoule_governance::GovernedRun,
    own: OwnTools,
    oversight: Arc<dyn Oversight>,
    mode: ExecutionMode,
    telling: Option<JoinHandle<()>>,
    _entry: Entry,
}

/// The runs that are under way.
pub(super) type Registry = Arc<Mutex<HashMap<RunId, Arc<dyn Oversight>>>>;

/// The entry of a run among those that are under way.
struct Entry(RunId, Registry);

impl Drop for Entry {
    fn drop(&mut self) {
        self.1.lock().remove(&self.0);
    }
}

impl Run {
    pub(super) fn new(
        run: ampoule_governance::GovernedRun,
        own: OwnTools,
        mode: ExecutionMode,
        id: RunId,
        registry: &Registry,
    ) -> Self {
        let oversight: Arc<dyn Oversight> = Arc::new((*run).clone());
        registry.lock().insert(id, Arc::clone(&oversight));
        Self {
            run,
            own,
            oversight,
            mode,
            telling: None,
            _entry: Entry(id, Arc::clone(registry)),
        }
    }

    async fn ended(self, ended: Result<Outcome, Error>) -> Result<Outcome, Error> {
        let Self {
            run,
            own: _,
            oversight: _,
            mode,
            telling,
            _entry,
        } = self;
        if let ExecutionMode::DryRun(plan) = mode {
            *plan.lock() = run.plan();
        }
        if let Some(telling) = telling {
            // It says itself what went wrong there.
            let _ = telling.await;
        }
        match ended {
            Ok(outcome) => Ok(display::ended(run, outcome).await),
            Err(error) => {
                let ended = ampoule_governance::EndFacts {
                    outcome: "failed".into(),
                    ..Default::default()
                };
                run.end(&mut [], ended).await;
                Err(error)
            }
        }
    }
}

impl GovernedRun for Run {
    fn inside_of(&self, layers: &Layers) -> Layers {
        match self.own.layer((*self.run).clone()) {
            Some(own) => self.run.inside_of(&layers.with(own)),
            None => self.run.inside_of(layers),
        }
    }

    fn oversight(&self) -> Arc<dyn Oversight> {
        Arc::clone(&self.oversight)
    }

    fn tell(&mut self, events: Events, observers: Observers) {
        let telling = display::told((*self.run).clone(), events, observers);
        self.telling = Some(tokio::spawn(telling));
    }

    fn end(
        self: Box<Self>,
        ended: Result<Outcome, Error>,
    ) -> BoxFuture<'static, Result<Outcome, Error>> {
        self.ended(ended).boxed()
    }
}

impl Oversight for OpenRun {
    fn carried(&self) -> Option<CarriedData> {
        written(&OpenRun::carried(self))
    }

    fn reads(&self, carried: &CarriedData) -> Result<(), Error> {
        OpenRun::reads(self, &super::read(carried)?);
        Ok(())
    }

    fn may_show<'a>(&'a self, texts: &'a [&str]) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let mut shown: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            let mut passed: Vec<&mut String> = shown.iter_mut().collect();
            let passed = self.to_model(&mut passed).await;
            passed.map_err(|withheld| withheld.to_string())?;
            match shown.iter().zip(texts).all(|(shown, text)| shown == text) {
                true => Ok(()),
                false => Err("it has personal data, or a field that may not be shown".to_owned()),
            }
        }
        .boxed()
    }

    fn leaves(&self, session: &SessionEnd) -> Result<(), String> {
        let action = match session.rewound {
            true => "rewound",
            false => "saved",
        };
        let left = OpenRun::leaves(self, &session.name, action, session.run);
        left.map_err(|error| error.to_string())
    }

    fn will_park(&self) {
        OpenRun::will_park(self);
    }
}

//! Runs that may call components as tools, and the runs of these components: a component's run is
//! beneath the run that calls it. It is not governed by itself, as its calls pass what that one's calls
//! pass; and it leaves nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use ampoule_records::Keep;
use ampoule_tools::{Catalog, Layers};

use super::{governed, step};
use crate::component_tools::{OuterRun, OuterRuns};
use crate::run::draft::Draft;
use crate::run::isolate::{Isolate, NestedInputs, Origin};

/// What components would have of a run, if it may call some.
pub(in crate::run) struct Preparation(Option<Box<Surroundings>>);

/// What is around a run before other stages put something there that is for its own calls alone.
struct Surroundings {
    catalog: Catalog,
    layers: Layers,
    among: Arc<OuterRuns>,
}

/// A run that may call components, for as long as it may.
#[derive(Default)]
pub(in crate::run) struct Open {
    _run: Option<Arc<OuterRun>>,
}

impl Isolate {
    /// The same beneath another run: on its behalf, and past what its calls pass.
    pub(crate) fn beneath(mut self, inputs: NestedInputs) -> Self {
        let request = &mut self.request;
        request.hooks.layers = inputs.layers.clone();
        request.hooks.respondent.clone_from(&inputs.respondent);
        request.caller.principal.clone_from(&inputs.principal);
        request.caller.trace.clone_from(&inputs.trace);
        request.stages.parked.after = None;
        self.origin = Origin::Nested(Box::new(inputs));
        self.no_files().record(Keep::None)
    }
}

impl Preparation {
    /// Takes down what is around the run. A run that is beneath another one calls no components, nor
    /// does one whose calls are answered as they were.
    pub(super) fn of(isolate: &Isolate, catalog: &Catalog) -> Self {
        let among = isolate.runtime.stores().outer_runs.as_ref();
        let among = among.filter(|_| isolate.origin.is_live());
        Self(among.map(|among| {
            Box::new(Surroundings {
                catalog: catalog.clone(),
                layers: isolate.request.hooks.layers.clone(),
                among: Arc::clone(among),
            })
        }))
    }

    /// From now on, components find the run that calls them.
    pub(super) fn start(self, draft: &Draft, governed: &governed::Open) -> Open {
        step("starts", "nesting");
        let Some(surroundings) = self.0 else {
            return Open::default();
        };
        let Surroundings {
            catalog,
            layers,
            among,
        } = *surroundings;
        let run = OuterRuns::add(OuterRun {
            id: draft.setup.id,
            catalog,
            grant: draft.access.grant.clone(),
            layers: governed.inside_of(&layers),
            limits: draft.setup.limits,
            calls: AtomicU64::new(0),
            among,
        });
        Open { _run: Some(run) }
    }
}

//! Governance, where the crate is built without it: there is none of any of this.

use std::convert::Infallible;
use std::sync::Arc;

use ampoule_isolate::{Events, Observers, Outcome, SessionEnd};
use ampoule_tools::{Binding, Catalog, Error, Layers, Principal, RunId};

use super::{Begins, Carried};

pub(crate) type Given = Infallible;

pub(crate) enum Governed {}

pub(crate) enum Governing {}

#[derive(Clone, Copy)]
pub(crate) enum Own {}

pub(crate) enum Plan {}

#[derive(Clone)]
pub(crate) enum Approved {}

impl Approved {
    pub(crate) fn name(&self) -> String {
        match *self {}
    }
}

#[derive(Clone)]
pub(crate) enum Within {}

impl Governed {
    pub(crate) fn new((given, _): (Given, Own), _: &Catalog) -> Result<Self, Error> {
        match given {}
    }

    pub(crate) fn catalog(&self, _: &Catalog, _: Option<&Principal>, _: Option<&str>) -> Catalog {
        match *self {}
    }

    pub(crate) async fn begin(&self, _: Begins) -> Result<Option<Governing>, Error> {
        match *self {}
    }

    pub(crate) async fn approve(&self, _: Begins, _: Plan) -> Result<Option<Approved>, Error> {
        match *self {}
    }

    pub(crate) fn run(&self, _: RunId) -> Option<Within> {
        match *self {}
    }

    pub(crate) fn may_show(&self, _: &Carried, _: Option<&Principal>, _: Option<&str>) -> bool {
        match *self {}
    }

    pub(crate) fn may_show_text(
        &self,
        _: Option<&Carried>,
        _: (Option<&Principal>, Option<&str>),
        _: &str,
    ) -> bool {
        match *self {}
    }
}

impl Own {
    pub(crate) fn beside(given: &Given, _: &[Arc<dyn Binding>]) -> Self {
        match *given {}
    }

    pub(crate) fn bindings(self) -> Vec<Arc<dyn Binding>> {
        match self {}
    }
}

impl Governing {
    pub(crate) fn inside_of(&self, _: &Layers) -> Layers {
        match *self {}
    }

    pub(crate) fn plan(&self) -> Option<Plan> {
        match *self {}
    }

    pub(crate) fn within(&self) -> Within {
        match *self {}
    }

    pub(crate) fn carried(&self) -> Option<Carried> {
        match *self {}
    }

    pub(crate) async fn may_show(&self, _: &[&str]) -> Result<(), String> {
        match *self {}
    }

    pub(crate) fn tell(&mut self, _: Events, _: Observers) {
        match *self {}
    }

    pub(crate) async fn end(self, _: Result<Outcome, Error>) -> Result<Outcome, Error> {
        match self {}
    }
}

impl Within {
    pub(crate) fn carried(&self) -> Option<Carried> {
        match *self {}
    }

    pub(crate) fn reads(&self, _: &Carried) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) async fn may_show(&self, _: &[&str]) -> Result<(), String> {
        match *self {}
    }

    pub(crate) fn leaves(&self, _: &SessionEnd) -> Result<(), String> {
        match *self {}
    }

    pub(crate) fn will_park(&self) {
        match *self {}
    }
}

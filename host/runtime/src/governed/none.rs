//! Governance, where the crate is built without it: there is none of any of this.

use std::convert::Infallible;

use ampoule_isolate::{Events, Observers, Outcome};
use ampoule_tools::{Catalog, Error, Layers, Principal, RunId};

use super::{Begins, Carried};

pub(crate) type Given = Infallible;

pub(crate) enum Governed {}

pub(crate) enum Governing {}

#[derive(Clone)]
pub(crate) enum Within {}

impl Governed {
    pub(crate) fn new(given: Given, _: &Catalog) -> Result<Self, Error> {
        match given {}
    }

    pub(crate) fn catalog(&self, _: &Catalog, _: Option<&Principal>, _: Option<&str>) -> Catalog {
        match *self {}
    }

    pub(crate) async fn begin(&self, _: Begins) -> Result<Option<Governing>, Error> {
        match *self {}
    }

    pub(crate) fn run(&self, _: RunId) -> Option<Within> {
        match *self {}
    }

    pub(crate) fn may_show(&self, _: &Carried, _: Option<&Principal>, _: Option<&str>) -> bool {
        match *self {}
    }
}

impl Governing {
    pub(crate) fn inside_of(&self, _: &Layers) -> Layers {
        match *self {}
    }

    pub(crate) fn within(&self) -> Within {
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

    pub(crate) fn will_park(&self) {
        match *self {}
    }
}

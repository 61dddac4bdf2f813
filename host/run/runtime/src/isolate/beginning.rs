//! What a run has before anything is waited for: its id, its tools, its limits' clock.

use ampoule_isolate::{Code, Gauge, Observers};
use ampoule_tools::{Catalog, Deadline, Error, GrantedTools, RunId};

use super::Isolate;
use crate::governed::Carried;
use crate::record::Recording;
use crate::skills::{self, Noted, Notes};

/// What a run has before anything is waited for.
pub(super) struct Beginning {
    pub(super) id: RunId,
    pub(super) tools: GrantedTools,
    /// What it is granted of what all runs may be.
    pub(super) grant: String,
    pub(super) deadline: Deadline,
    pub(super) observers: Observers,
    pub(super) gauge: Gauge,
    pub(super) recording: Option<Recording>,
    /// Whether its script may import skills.
    pub(super) imports_skills: bool,
    /// What is known of what it did elsewhere, if it slept.
    pub(super) slept: Option<Box<Slept>>,
    /// What tries it first.
    pub(super) trial: Option<Box<Isolate>>,
}

/// What a run did elsewhere, before it slept.
pub(super) struct Slept {
    /// What it had read.
    pub(super) carried: Vec<Carried>,
    /// The digest of its script.
    pub(super) script: String,
}

impl Isolate {
    /// Puts what sees its calls around them, and gives what it begins with.
    pub(super) fn beginning(&mut self) -> Result<Beginning, Error> {
        let trial = self.trial()?;
        let resumed = self.resumed.as_deref();
        let id = self.id;
        // The rest of a run can't be run again.
        let recording = match resumed {
            Some(_) => None,
            None => Recording::of(
                &self.runtime,
                self.principal.as_ref(),
                (id, &self.code, self.keep),
            ),
        };
        let slept = resumed.map(|resumed| {
            Box::new(Slept {
                carried: resumed.carried().to_vec(),
                script: resumed.whose().script.clone(),
            })
        });
        let mut catalog = self.catalog()?;
        let imports_skills = self.imports_skills();
        if imports_skills && let Some(noted) = self.noted(id, &catalog)? {
            self.layers = self.layers.within(noted);
        }
        if let Some(recording) = &recording {
            catalog = recording.watch(&catalog);
            self.layers = recording.around(&self.layers);
            self.world = Some(recording.world(self.world.take()));
        }
        let (grant, tools) = (self.grant_without_own(), self.tools(catalog)?);
        let mut observers = Observers::of(id);
        observers.listener(self.listener.take());
        Ok(Beginning {
            id,
            tools,
            grant,
            deadline: Deadline::after(self.limits.wall_time),
            observers,
            gauge: Gauge::default(),
            recording,
            imports_skills,
            slept,
            trial,
        })
    }

    /// Whether it may import skills. The rest of a run has what it began with, and so does one that
    /// is run again.
    fn imports_skills(&self) -> bool {
        let is_first = self.resumed.is_none() && self.instead.is_none();
        let is_script =
            |code: &Code| matches!(code, Code::Script(script) if skills::mentions(script));
        is_first && self.runtime.has_skills() && is_script(&self.code)
    }

    /// What notes the answers that its calls get, where it has to do with skills: it may save some.
    fn noted(&self, id: RunId, catalog: &Catalog) -> Result<Option<Noted>, Error> {
        let (Some(kept), Code::Script(script)) = (self.runtime.kept_skills(), &self.code) else {
            return Ok(None);
        };
        let tools = self.tools(catalog.clone())?;
        let notes = Notes::of(id, &kept.noted, script.language(), tools);
        Ok(Some(Noted(notes)))
    }

    /// The grant, as far as it is of bindings that all runs have.
    fn grant_without_own(&self) -> String {
        if self.park_after.is_none() {
            return String::new();
        }
        let own = |pattern: &&str| {
            let mut own = self.own_bindings.iter();
            own.any(|binding| pattern.split('.').next() == Some(binding.name()))
        };
        let grant = self.grant.to_string();
        let shared: Vec<_> = grant
            .split(',')
            .map(str::trim)
            .filter(|pattern| !own(pattern))
            .collect();
        shared.join(",")
    }

    /// The part of the catalog that the run sees.
    fn tools(&self, catalog: Catalog) -> Result<GrantedTools, Error> {
        let tools = GrantedTools::new(catalog, self.grant.clone())?;
        Ok(tools.named_as(self.code.idiom()))
    }

    fn catalog(&self) -> Result<Catalog, Error> {
        if let Some(instead) = &self.instead {
            return Ok(instead.catalog.clone());
        }
        let catalog = (self.runtime).catalog_for(self.principal.as_ref(), self.client_name());
        if self.own_bindings.is_empty() {
            return Ok(catalog);
        }
        catalog
            .with(self.own_bindings.clone())
            .map_err(|same| Error::request(same.to_string()))
    }
}

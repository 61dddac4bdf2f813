//! How a run passes governance: it begins there, its calls go through it, and all that is told of
//! it.

use std::sync::Arc;

use ampoule_isolate::{Code, EventLog, Observers};
use ampoule_tools::Error;

use super::Isolate;
use super::beginning::Beginning;
use crate::governed::{Begins, Carried, Governing};
use crate::parked::Whose;
use crate::record;

impl Isolate {
    /// The client's name.
    pub(super) fn client_name(&self) -> Option<&str> {
        self.introduced.as_ref()?.client.as_deref()
    }

    /// What governs the run, if anything does: from now on, its calls pass that, and what is told of
    /// it.
    pub(super) async fn governing(
        &mut self,
        beginning: &mut Beginning,
        session: Option<&str>,
        carried: Vec<Carried>,
    ) -> Result<Option<Box<Governing>>, Error> {
        let runtime = self.runtime.clone();
        let Some(governed) = runtime.governed().filter(|_| self.instead.is_none()) else {
            return Ok(None);
        };
        let begins = self.begins(beginning, session, carried);
        let Some(mut governing) = governed.begin(begins).await? else {
            return Ok(None);
        };
        self.layers = governing.inside_of(&self.layers);
        if beginning.observers.any() {
            let log = Arc::<EventLog>::default();
            let mut first = Observers::of(beginning.id);
            first.log(Arc::clone(&log));
            governing.tell(
                log.events(),
                std::mem::replace(&mut beginning.observers, first),
            );
        }
        Ok(Some(Box::new(governing)))
    }

    fn begins(
        &self,
        beginning: &mut Beginning,
        session: Option<&str>,
        carried: Vec<Carried>,
    ) -> Begins {
        let introduced = self.introduced.as_deref().cloned().unwrap_or_default();
        let slept = beginning.slept.take();
        let is_resumed = slept.is_some();
        let (before, script) = match slept {
            Some(slept) => (slept.carried, slept.script),
            None => (Vec::new(), self.digest()),
        };
        Begins {
            id: beginning.id,
            principal: self.principal.clone(),
            client: introduced.client,
            tokens: introduced.tokens,
            session: session.map(str::to_owned),
            language: record::language(&self.code),
            script,
            own: self
                .own_bindings
                .iter()
                .map(|it| it.name().into())
                .collect(),
            carried: before.into_iter().chain(carried).collect(),
            is_resumed,
        }
    }

    /// The digest of its script, or of its component.
    fn digest(&self) -> String {
        match &self.code {
            Code::Script(script) => record::hash(script.source().as_bytes()),
            Code::Component(component) => record::hash(component.wasm()),
        }
    }

    /// Who has it, besides the principal, as is kept of it while it is parked.
    pub(super) fn whose(&self) -> Whose {
        let introduced = self.introduced.as_deref().cloned().unwrap_or_default();
        let is_governed = self.runtime.governed().is_some();
        Whose {
            client: introduced.client,
            tokens: introduced.tokens,
            script: is_governed.then(|| self.digest()).unwrap_or_default(),
            ..Whose::default()
        }
    }
}

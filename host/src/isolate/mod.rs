//! Isolates: one run each, in a Store and an instance of its own.
//!
//! - `limits`: what a run may use; `usage`: what it used; `outcome`: how it ended; `output`: what it printed; `event`: what happens meanwhile
//! - `guest`: a component, ready for any number of isolates; `imports`: what it may ask of the host
//! - `state`: the Store's data, with `calls`, `held` and `resolved`
//! - `run`: one run, from instantiation to outcome

mod calls;
mod event;
mod guest;
mod held;
mod imports;
mod limits;
mod outcome;
pub(crate) mod output;
mod resolved;
mod run;
mod state;
mod usage;

use std::sync::Arc;

use crate::binding::{Binding, Catalog, Grant, GrantedTools};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::script::Script;

use run::Prepared;

pub use event::Event;
pub(crate) use guest::Guest;
pub use limits::{Limit, LimitHit, Limits};
pub use outcome::{Ending, Location, NoValue, Outcome, Thrown, Trapped};
pub use output::{Level, Line, Output};
pub use usage::{CallEnd, CallUsage, Usage};

/// One run of a script, before it runs. Nothing is granted to it until [`grant`](Self::grant) says so.
///
/// Made by [`Runtime::isolate`]. Running consumes it.
#[must_use = "an isolate does nothing until it runs"]
pub struct Isolate {
    runtime: Runtime,
    script: Script,
    grant: Grant,
    own_bindings: Vec<Arc<dyn Binding>>,
    limits: Limits,
    listener: Option<event::Listener>,
}

impl Isolate {
    pub(crate) fn new(runtime: Runtime, script: Script) -> Self {
        let limits = *runtime.limits();
        Self {
            runtime,
            script,
            grant: Grant::none(),
            own_bindings: Vec::new(),
            limits,
            listener: None,
        }
    }

    /// What it may call. Default: nothing.
    pub fn grant(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// Gives it a binding that no other run has. It must be granted like the others.
    pub fn binding(mut self, binding: impl Binding) -> Self {
        self.own_bindings.push(Arc::new(binding));
        self
    }

    /// What it may use. Default: [`Runtime::limits`].
    ///
    /// # Errors
    ///
    /// A request error where one is above the [ceiling](Runtime::ceilings).
    pub fn limits(mut self, limits: Limits) -> Result<Self, Error> {
        if let Some((limit, asked, ceiling)) = limits.above(self.runtime.ceilings()) {
            let unit = limit.unit();
            let problem = format!(
                "the limit `{limit}` is {asked} {unit}, above the ceiling of {ceiling} {unit}"
            );
            return Err(Error::request(problem));
        }
        self.limits = limits;
        Ok(self)
    }

    /// Tells `listener` what happens in the run as it happens: output as it is printed, calls as they start and end. It must not block.
    pub fn on_event(mut self, listener: impl FnMut(Event<'_>) + Send + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Runs the script to its end. Needs Tokio, with its timers; dropping the future ends the run and its calls at once.
    ///
    /// # Errors
    ///
    /// Host faults only, see [`Error`]; whatever the script does is an [`Outcome`].
    pub async fn run(mut self) -> Result<Outcome, Error> {
        let tools = self.tools()?;
        let prepared = Prepared::new(
            &self.runtime,
            self.script.language,
            self.limits,
            tools,
            self.listener,
        );
        prepared.await?.run(self.script).await
    }

    /// Makes the isolate, instance and all, and drops it without running the script: the floor under the cost of any run, for measurements.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub async fn instantiate(mut self) -> Result<(), Error> {
        let tools = self.tools()?;
        let prepared = Prepared::new(
            &self.runtime,
            self.script.language,
            self.limits,
            tools,
            self.listener,
        );
        prepared.await?.instantiate().await
    }

    /// The part of the catalog that the run sees.
    fn tools(&mut self) -> Result<Arc<GrantedTools>, Error> {
        let grant = std::mem::take(&mut self.grant);
        Ok(Arc::new(GrantedTools::new(self.catalog()?, grant)?))
    }

    fn catalog(&self) -> Result<Catalog, Error> {
        if self.own_bindings.is_empty() {
            return Ok(self.runtime.catalog().clone());
        }
        self.runtime
            .catalog()
            .with(self.own_bindings.clone())
            .map_err(|same| Error::request(same.to_string()))
    }
}

//! Isolates: one run each, in a Store and an instance of its own.
//!
//! - `limits`: what a run may use; `usage`: what it used; `outcome`: how it ended; `output`: what it printed; `event`: what happens meanwhile
//! - `code`: what is run: a script or a component
//! - `guest`: an interpreter, ready for any number of isolates; `compiled`: components that users compiled
//! - `imports`, `wasi`: what guests may ask of the host
//! - `state`: the Store's data, with `calls`, `feed`, `held` and `resolved`; `fuel`: paying for what the host computes
//! - `run`: one run, from instantiation to outcome; `work`: what it is to do

mod calls;
mod code;
mod compiled;
mod event;
mod feed;
mod fuel;
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
mod wasi;
mod work;

use std::sync::Arc;

use crate::binding::{Binding, Catalog, Grant, GrantedTools};
use crate::error::Error;
use crate::runtime::Runtime;

use run::Prepared;

pub use code::Code;
pub(crate) use compiled::Components;
pub use event::Event;
pub(crate) use guest::Guest;
pub use limits::{Limit, LimitHit, Limits};
pub use outcome::{Ending, Location, NoValue, Outcome, Thrown, Trapped};
pub use output::{Level, Line, Output};
pub use usage::{CallEnd, CallUsage, Usage};

/// One run of a script or a component, before it runs. Nothing is granted to it until [`grant`](Self::grant) says so.
///
/// Made by [`Runtime::isolate`]. Running consumes it.
#[must_use = "an isolate does nothing until it runs"]
pub struct Isolate {
    runtime: Runtime,
    code: Code,
    grant: Grant,
    own_bindings: Vec<Arc<dyn Binding>>,
    limits: Limits,
    listener: Option<event::Listener>,
}

impl Isolate {
    pub(crate) fn new(runtime: Runtime, code: Code) -> Self {
        let limits = *runtime.limits();
        Self {
            runtime,
            code,
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
    /// A request error where one is above the [ceiling](Runtime::ceilings), or below the [least](Limit::least).
    pub fn limits(mut self, limits: Limits) -> Result<Self, Error> {
        if let Some((limit, problem)) = limits.problem() {
            return Err(Error::request(format!("the limit `{limit}`: {problem}")));
        }
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

    /// Runs the code to its end. Needs Tokio, with its timers; dropping the future ends the run and its calls at once.
    ///
    /// # Errors
    ///
    /// Host faults, see [`Error`]; and a request error for a component that imports what it is not granted, or what there is not.
    /// Whatever the code does is an [`Outcome`].
    pub async fn run(self) -> Result<Outcome, Error> {
        self.prepared(async |prepared| prepared.run().await).await
    }

    /// Makes the isolate, instance and all, and drops it without running the code: the floor under the cost of any run, for measurements.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub async fn instantiate(self) -> Result<(), Error> {
        self.prepared(async |prepared| prepared.instantiate().await)
            .await
    }

    async fn prepared<T>(
        mut self,
        then: impl AsyncFnOnce(Prepared<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tools = self.tools()?;
        let prepared = Prepared::new(&self.runtime, self.code, self.limits, tools, self.listener);
        then(prepared.await?).await
    }

    /// The part of the catalog that the run sees.
    fn tools(&mut self) -> Result<GrantedTools, Error> {
        let grant = std::mem::take(&mut self.grant);
        let tools = GrantedTools::new(self.catalog()?, grant)?;
        Ok(tools.named_as(self.code.idiom()))
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

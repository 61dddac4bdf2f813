//! An isolate, before it runs: what it may call and use, and who is told of it.

use std::sync::Arc;

use ampoule_isolate::{Code, Event, Guest, Language, Listener, Outcome, Prepared, Work};
use ampoule_limits::Limits;
use ampoule_tools::{Binding, Catalog, Error, Grant, GrantedTools};

use crate::runtime::{Runtime, Shard};

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
    listener: Option<Listener>,
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
        let bytes = self.code.bytes();
        let (engine, work) = match self.code {
            Code::Script(script) => {
                let shard = self.runtime.shard().await?;
                let guest = ready_guest(shard, script.language(), &mut self.listener).await?;
                (shard.engine(), Work::Script(guest, script))
            }
            Code::Component(component) => {
                let components = self.runtime.components().await?;
                let granted = components.grant(&component, &tools, &self.limits).await?;
                let component = component.without_code();
                (components.engine(), Work::Component(granted, component))
            }
        };
        let slot = self.runtime.slot(work.memories()).await?;
        let (limits, listener) = (self.limits, self.listener);
        then(Prepared::new(
            (engine, slot),
            work,
            bytes,
            limits,
            tools,
            listener,
        )?)
        .await
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

/// The guest of a language. Whoever listens is told where that takes seconds.
async fn ready_guest<'shard>(
    shard: &'shard Shard,
    language: Language,
    listener: &mut Option<Listener>,
) -> Result<&'shard Guest, Error> {
    if let Some(guest) = shard.ready(language) {
        return Ok(guest);
    }
    let Some(listener) = listener else {
        return shard.guest(language).await;
    };
    if shard.was_kept(language).await? {
        return shard.guest(language).await;
    }
    listener(Event::Compiling(language));
    let guest = shard.guest(language).await?;
    listener(Event::Compiled(language));
    Ok(guest)
}

//! Components that are tools, as a server.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_isolate::{Component, Gauge};
use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use super::answer;
use super::outer_run::{OuterRun, OuterRuns};
use super::server_name::COMPONENTS_SERVER;
use super::tool::ComponentTool;
use crate::run::isolate::{Isolate, NestedInputs};
use crate::runtime::{LaterRuntime, Runtime};

/// Components that are tools, as a server.
pub(super) struct ComponentBinding {
    tools: Arc<[ComponentTool]>,
    runtime: LaterRuntime,
    outer_runs: Arc<OuterRuns>,
    components: Arc<OnceCell<CompiledTools>>,
}

/// The tools whose components are there.
struct CompiledTools {
    tools: Arc<[Tool]>,
    by_name: HashMap<String, CompiledTool>,
    problems: Arc<[String]>,
}

/// A tool whose component is there.
struct CompiledTool {
    tool: ComponentTool,
    component: Component,
    has_error_data: bool,
}

impl ComponentBinding {
    pub(super) fn new(
        tools: Vec<ComponentTool>,
        runtime: LaterRuntime,
        outer_runs: Arc<OuterRuns>,
    ) -> Self {
        Self {
            tools: tools.into(),
            runtime,
            outer_runs,
            components: Arc::default(),
        }
    }

    /// The tools, once their components are compiled. That continues even if its callers are gone.
    async fn compiled(&self) -> Result<&CompiledTools, BindingError> {
        if let Some(compiled) = self.components.get() {
            return Ok(compiled);
        }
        let stopped = || BindingError {
            message: "the host is about to stop".to_owned(),
        };
        let runtime = self.runtime.get().ok_or_else(stopped)?;
        let (components, tools) = (Arc::clone(&self.components), Arc::clone(&self.tools));
        let compiling = tokio::spawn(async move {
            let compile = || CompiledTools::of(&tools, &runtime);
            components.get_or_init(compile).await;
        });
        // It can only fail with the host.
        let _ = compiling.await;
        self.components.get().ok_or_else(stopped)
    }

    async fn run(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        // Calls begin on the stack of the guest that makes them.
        tokio::task::yield_now().await;
        let unreached = CallError::NotReached;
        let compiled = self.compiled().await;
        let compiled = compiled.map_err(|error| unreached(error.message))?;
        let tool = compiled.by_name.get(name);
        let tool = tool.ok_or_else(|| unreached(format!("unknown tool `{name}`")))?;
        let (runtime, run) = (self.runtime.get(), self.outer_runs.get(context.call().run));
        let (Some(runtime), Some(run)) = (runtime, run) else {
            return Err(unreached(
                "components are called only within runs".to_owned(),
            ));
        };
        let isolate = tool.isolate(&runtime, &run, arguments, &context)?;
        let nested = isolate.start().await.map_err(answer::refused)?;
        let payment = Payment {
            context: &context,
            gauge: nested.gauge(),
        };
        let outcome = nested.outcome().await;
        drop(payment);
        answer::of(outcome.map_err(answer::refused)?, tool.has_error_data)
    }
}

/// Has the calling run pay for the fuel of a component's run, also where that is given up on.
struct Payment<'c> {
    context: &'c CallContext,
    gauge: Gauge,
}

impl Drop for Payment<'_> {
    fn drop(&mut self) {
        self.context.spend(self.gauge.fuel());
    }
}

impl CompiledTools {
    /// Those that can be had; of the others, the problems.
    async fn of(tools: &[ComponentTool], runtime: &Runtime) -> Self {
        let (mut listed, mut by_name, mut problems) = (Vec::new(), HashMap::new(), Vec::new());
        for tool in tools {
            match CompiledTool::of(tool, runtime).await {
                Ok((definition, compiled)) => {
                    listed.push(definition);
                    by_name.insert(tool.name.clone(), compiled);
                }
                Err(why) => {
                    let problem = format!("the component `{}` is not offered: {why}", tool.name);
                    tracing::warn!("{problem}");
                    problems.push(problem);
                }
            }
        }
        Self {
            tools: listed.into(),
            by_name,
            problems: problems.into(),
        }
    }
}

impl CompiledTool {
    /// A tool's definition, and what is called.
    async fn of(tool: &ComponentTool, runtime: &Runtime) -> Result<(Tool, Self), String> {
        let limits = tool.limits.over(*runtime.limits());
        let component = tool.component(limits.host_bytes).await?;
        let components = runtime.components().await;
        let components = components.map_err(|error| error.to_string())?;
        let types = components.run_types(&component, &limits).await;
        let types = types.map_err(|error| error.to_string())?;
        let definition = Tool {
            name: tool.name.clone(),
            title: None,
            description: tool.description.clone(),
            input_schema: types.input_schema().into(),
            output_schema: types.output_schema().map(Into::into),
            annotations: tool.hints,
            ui: None,
            seen: Default::default(),
        };
        let compiled = Self {
            tool: tool.clone(),
            component,
            has_error_data: types.has_error_data(),
        };
        Ok((definition, compiled))
    }

    /// The isolate of one call, beneath the run that makes it.
    fn isolate(
        &self,
        runtime: &Runtime,
        run: &Arc<OuterRun>,
        arguments: Map<String, Value>,
        context: &CallContext,
    ) -> Result<Isolate, CallError> {
        let arguments = to_raw_value(&arguments).map_err(|error| {
            CallError::Arguments(format!("the arguments can't be sent: {error}"))
        })?;
        let inputs = NestedInputs {
            catalog: run.catalog.clone(),
            layers: run.layers_of_components(),
            deadline: context.deadline().clone(),
            principal: context.call().principal.clone(),
            respondent: context.respondent().cloned(),
            trace: context.trace().cloned(),
        };
        let isolate = runtime
            .isolate(self.component.clone().arguments(arguments))
            .beneath(inputs)
            .grant(self.tool.grant.clone().beneath(&run.grant))
            .limits(self.tool.limits.over(run.limits));
        isolate.map_err(answer::refused)
    }
}

impl Binding for ComponentBinding {
    fn name(&self) -> &str {
        COMPONENTS_SERVER
    }

    fn description(&self) -> Option<String> {
        Some("Compiled programs that the operator offers.".to_owned())
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        async { Ok(Arc::clone(&self.compiled().await?.tools)) }.boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        let compiled = self.components.get()?;
        Some(Arc::clone(&compiled.tools))
    }

    fn starting(&self) -> Option<String> {
        let is_compiled = self.components.initialized();
        (!is_compiled).then(|| "its components are not compiled yet".to_owned())
    }

    fn problems(&self) -> Arc<[String]> {
        let compiled = self.components.get();
        compiled.map_or_else(Arc::default, |compiled| Arc::clone(&compiled.problems))
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.run(tool, arguments, context).boxed()
    }
}

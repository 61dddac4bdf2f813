//! Components that are tools: each call of one runs it in an isolate of its own, beneath the run that
//! calls it.
//!
//! - `tool`: a component that is one; `binding`: all of them, as a server, and `server_name`: its name
//! - `outer_run`: the runs that may call some, and what a component has of the one that calls it
//! - `answer`: what a component's run came to, as a tool's answer

mod answer;
mod binding;
mod outer_run;
mod server_name;
mod tool;

use std::sync::Arc;

pub(crate) use outer_run::{OuterRun, OuterRuns};
pub use server_name::COMPONENTS_SERVER;
pub use tool::ComponentTool;

use self::binding::ComponentBinding;
use crate::runtime::RuntimeBuilder;

impl RuntimeBuilder {
    /// Components that scripts and clients call as tools, each as `tools.components.NAME`. A call runs
    /// the component in an isolate of its own, whose fuel the calling run pays for. It may call what
    /// [its own grant](ComponentTool::grant) and that of the calling run allow, and its calls pass
    /// what the calling run's calls pass: layers, policies, quotas, the audit log. Default: none.
    ///
    /// If a binding is called `components`, scripts find that, and none of these.
    #[must_use]
    pub fn component_tools(mut self, tools: Vec<ComponentTool>) -> Self {
        let outer_runs = Arc::<OuterRuns>::default();
        let binding = ComponentBinding::new(tools, self.later.clone(), Arc::clone(&outer_runs));
        self.components_binding = Some(Arc::new(binding));
        self.stores.outer_runs = Some(outer_runs);
        self
    }
}

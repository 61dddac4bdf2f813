//! A binding with rules for what takes its calls back.

use std::collections::BTreeMap;
use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::{
    Binding, BindingError, CallContext, CallError, ToolResult, UndoRule, undo_problems,
};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

/// A binding with rules for what takes its calls back.
pub(super) struct UndoBinding<B> {
    binding: B,
    rules: BTreeMap<String, Arc<UndoRule>>,
}

impl<B: Binding> UndoBinding<B> {
    /// `binding`, with these rules by the names of its tools.
    pub(super) fn new(binding: B, rules: BTreeMap<String, UndoRule>) -> Self {
        let rules = rules.into_iter();
        Self {
            binding,
            rules: rules.map(|(tool, rule)| (tool, Arc::new(rule))).collect(),
        }
    }
}

impl<B: Binding> Binding for UndoBinding<B> {
    fn name(&self) -> &str {
        self.binding.name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(&self.binding)
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.binding.tools()
    }

    fn problems(&self) -> Arc<[String]> {
        let problems = self.binding.problems();
        let server = self.name();
        let rules = self.rules.iter();
        let rules = rules.map(|(tool, rule)| (tool.as_str(), &**rule));
        // Those of other servers are not known here.
        let own = |asked: &str| (asked == server).then(|| self.binding.known_tools())?;
        let own = undo_problems(server, rules, own);
        match own.is_empty() {
            true => problems,
            false => problems.iter().cloned().chain(own).collect(),
        }
    }

    fn undo(&self, tool: &str) -> Option<Arc<UndoRule>> {
        let own = self.rules.get(tool).map(Arc::clone);
        own.or_else(|| self.binding.undo(tool))
    }

    fn has_undo(&self) -> bool {
        !self.rules.is_empty() || self.binding.has_undo()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.binding.call(tool, arguments, context)
    }
}

#[cfg(test)]
mod tests {
    use ampoule_tools::{FilteredBinding, Functions, ToolFilter};
    use futures::future::ready;
    use serde_json::json;

    use super::*;

    fn rules(tool: &str, rule: &str) -> BTreeMap<String, UndoRule> {
        BTreeMap::from([(tool.to_owned(), rule.parse().unwrap())])
    }

    #[test]
    fn a_binding_has_its_rules_also_within_others() {
        let tool = |name: &str| -> Tool {
            serde_json::from_value(json!({ "name": name, "inputSchema": {} })).unwrap()
        };
        let answers = |_, _| ready(Ok(ToolResult::default()));
        let jira = Functions::new("jira").raw(tool("create"), answers);
        let jira = jira.raw(tool("delete"), answers);
        let binding = UndoBinding::new(jira, rules("create", "delete({ id: result.id })"));
        let filtered = FilteredBinding::new(binding, ToolFilter::default()).unwrap();
        let outer = UndoBinding::new(filtered, rules("delete", "create()"));
        assert!(outer.has_undo());
        assert_eq!(outer.undo("create").unwrap().tool(), "delete");
        assert_eq!(outer.undo("delete").unwrap().tool(), "create");
        assert!(outer.undo("list").is_none());
        assert!(outer.problems().is_empty());
        let misspelt = UndoBinding::new(outer, rules("create", "delet()"));
        assert!(misspelt.problems()[0].contains("did you mean `delete`?"));
    }
}

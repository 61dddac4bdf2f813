//! A binding of which only some tools are there.

use std::sync::Arc;

use ampoule_projection::names::{Names, Style};
use ampoule_projection::{Hints, Tool};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::grant::{BadPattern, Grant};
use super::{Binding, BindingError, CallContext, CallError, ToolResult};

/// Which tools of a binding are there: those that all of this allows. By default, all.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Patterns as grants have them, without the server's name. `None` allows all.
    pub allow: Option<Vec<String>>,
    /// Patterns of those that are not there, whatever `allow` says.
    pub deny: Vec<String>,
    /// What a tool must say of itself: each that is given must be so. A tool that says nothing may
    /// destroy things, is neither read-only nor idempotent, and reaches beyond the server's own
    /// world, as MCP has it.
    pub hints: Hints,
}

/// A binding of which only some tools are there: for every run, the others do not exist.
pub struct Chosen<B> {
    binding: B,
    allow: Option<Grant>,
    deny: Grant,
    hints: Hints,
    /// The last list that was chosen from, and what was chosen.
    last: Mutex<Option<Last>>,
}

/// A list, and what was chosen of it.
type Last = (Arc<[Tool]>, Arc<[Tool]>);

impl<B: Binding> Chosen<B> {
    /// The tools of `binding` that `choice` allows.
    ///
    /// # Errors
    ///
    /// [`BadPattern`] for one that is empty.
    pub fn new(binding: B, choice: Choice) -> Result<Self, BadPattern> {
        let name = binding.name();
        let grant = |patterns: &[String]| {
            Grant::of(patterns.iter().map(|pattern| format!("{name}.{pattern}")))
        };
        Ok(Self {
            allow: choice.allow.as_deref().map(grant).transpose()?,
            deny: grant(&choice.deny)?,
            hints: choice.hints,
            last: Mutex::new(None),
            binding,
        })
    }

    /// Those of these tools that are there. The same list gives the same list: what is made of one
    /// is kept.
    fn of(&self, tools: Arc<[Tool]>) -> Arc<[Tool]> {
        let mut last = self.last.lock();
        if let Some((from, chosen)) = &*last
            && Arc::ptr_eq(from, &tools)
        {
            return Arc::clone(chosen);
        }
        let server = self.binding.name();
        let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
        let places = |grant: &Grant| grant.places(server, &names);
        let mut there = vec![self.allow.is_none(); tools.len()];
        for place in self.allow.as_ref().map(places).unwrap_or_default() {
            there[place] = true;
        }
        for place in places(&self.deny) {
            there[place] = false;
        }
        let chosen: Arc<[Tool]> = tools
            .iter()
            .zip(there)
            .filter(|(tool, there)| *there && says(tool.annotations, self.hints))
            .map(|(tool, _)| tool.clone())
            .collect();
        *last = Some((tools, Arc::clone(&chosen)));
        chosen
    }
}

/// Whether a tool says of itself what it must.
fn says(hints: Hints, must: Hints) -> bool {
    let read_only = hints.read_only.unwrap_or(false);
    [
        (must.read_only, read_only),
        (
            must.destructive,
            !read_only && hints.destructive.unwrap_or(true),
        ),
        (
            must.idempotent,
            read_only || hints.idempotent.unwrap_or(false),
        ),
        (must.open_world, hints.open_world.unwrap_or(true)),
    ]
    .into_iter()
    .all(|(must, is)| must.is_none_or(|must| must == is))
}

impl<B: Binding> Binding for Chosen<B> {
    fn name(&self) -> &str {
        self.binding.name()
    }

    fn description(&self) -> Option<String> {
        self.binding.description()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        async { Ok(self.of(self.binding.tools().await?)) }.boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(self.of(self.binding.known_tools()?))
    }

    fn starting(&self) -> Option<String> {
        self.binding.starting()
    }

    fn problems(&self) -> Arc<[String]> {
        self.binding.problems()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        self.binding.refresh()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let known = self.known_tools();
        // Who resolves names finds none that is not there; this holds whoever calls.
        if known.is_some_and(|known| known.iter().all(|known| known.name != tool)) {
            let refused =
                CallError::NotReached("the configuration leaves this tool out".to_owned());
            return std::future::ready(Err(refused)).boxed();
        }
        self.binding.call(tool, arguments, context)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.binding.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Functions;

    fn shop(choice: Choice) -> Vec<String> {
        let done = async |_: Map<String, Value>| Ok::<_, String>(Value::Null);
        let functions = ["get_order", "getSecret", "delete_order", "list_orders"]
            .into_iter()
            .fold(Functions::new("my-shop"), |functions, name| {
                functions.tool(name, "", done)
            });
        let chosen = Chosen::new(functions, choice).unwrap();
        let tools = chosen.tools().now_or_never().unwrap().unwrap();
        let again = chosen.tools().now_or_never().unwrap().unwrap();
        assert!(Arc::ptr_eq(&tools, &again), "the same list gives the same");
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    fn patterns(patterns: &[&str]) -> Vec<String> {
        patterns.iter().map(|&pattern| pattern.to_owned()).collect()
    }

    #[test]
    fn what_is_not_chosen_is_not_there() {
        assert_eq!(shop(Choice::default()).len(), 4);
        let choice = Choice {
            allow: Some(patterns(&["get*", "list_orders"])),
            deny: patterns(&["get_secret"]),
            ..Choice::default()
        };
        assert_eq!(shop(choice), ["get_order", "list_orders"]);
        let choice = Choice {
            allow: Some(Vec::new()),
            ..Choice::default()
        };
        assert!(shop(choice).is_empty(), "nothing is allowed");
        // These say nothing of themselves.
        let hints = Hints {
            destructive: Some(false),
            ..Hints::default()
        };
        let choice = Choice {
            hints,
            ..Choice::default()
        };
        assert!(shop(choice).is_empty());
    }

    #[test]
    fn what_a_tool_does_not_say_has_the_protocols_defaults() {
        let hints = |read_only, destructive| Hints {
            read_only,
            destructive,
            ..Hints::default()
        };
        let safe = hints(None, Some(false));
        for (said, is) in [
            (hints(None, None), false),
            (hints(None, Some(true)), false),
            (hints(None, Some(false)), true),
            (hints(Some(true), None), true),
            // A tool that only reads destroys nothing, whatever else it says.
            (hints(Some(true), Some(true)), true),
        ] {
            assert_eq!(says(said, safe), is, "{said:?}");
        }
        assert!(!says(hints(None, Some(false)), hints(Some(true), None)));
    }
}

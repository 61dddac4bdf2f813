//! A binding of which only some tools are there.

use std::sync::Arc;

use ampoule_projection::names::{Names, Style, near};
use ampoule_projection::{Hints, Tool};
use ampoule_untrusted::text;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::grant::Grant;
use super::{Binding, BindingError, CallContext, CallError, ToolResult};
use ampoule_projection::names::ToolPatternError;

/// Which tools of a binding are there: those that all of this allows. By default, all.
#[derive(Debug, Clone, Default)]
pub struct ToolFilter {
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
pub struct FilteredBinding<B> {
    binding: B,
    allow: Option<Vec<Rule>>,
    deny: Vec<Rule>,
    hints: Hints,
    /// What was chosen last: what is made of one list is kept.
    last: Mutex<Option<Selection>>,
    /// The same of what is offered besides tools.
    offered: Mutex<Option<Selection>>,
}

/// A pattern, and the tools that it means.
struct Rule {
    written: String,
    means: Grant,
}

/// What was chosen of a list.
#[derive(Clone)]
struct Selection {
    from: Arc<[Tool]>,
    tools: Arc<[Tool]>,
    /// What is wrong with the patterns, a sentence each.
    problems: Arc<[String]>,
}

impl<B: Binding> FilteredBinding<B> {
    /// The tools of `binding` that `choice` allows.
    ///
    /// # Errors
    ///
    /// [`ToolPatternError`] for one that is empty.
    pub fn new(binding: B, choice: ToolFilter) -> Result<Self, ToolPatternError> {
        let rules = |patterns: Vec<String>| {
            let rules = patterns
                .into_iter()
                .map(|written| Rule::of(&binding, written));
            rules.collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            allow: choice.allow.map(rules).transpose()?,
            deny: rules(choice.deny)?,
            hints: choice.hints,
            last: Mutex::new(None),
            offered: Mutex::new(None),
            binding,
        })
    }

    /// Those of these tools that are there. The same list gives the same list.
    fn of(&self, from: Arc<[Tool]>) -> Selection {
        let mut last = self.last.lock();
        if let Some(last) = &*last
            && Arc::ptr_eq(&last.from, &from)
        {
            return last.clone();
        }
        let names = Names::new(from.iter().map(|tool| tool.name.as_str()), Style::Camel);
        let mut there = vec![self.allow.is_none(); from.len()];
        let mut problems = Vec::new();
        let allow = self.allow.iter().flatten().map(|rule| (rule, "allow"));
        for (rule, list) in allow.chain(self.deny.iter().map(|rule| (rule, "deny"))) {
            let places = rule.means.places(self.binding.name(), &names);
            // What is offered besides tools has such names.
            if places.is_empty() && !rule.written.starts_with('$') {
                problems.push(rule.unmet(list, &from));
            }
            for place in places {
                there[place] = list == "allow";
            }
        }
        let tools = from
            .iter()
            .zip(there)
            .filter(|(tool, there)| *there && says(tool.annotations, self.hints))
            .map(|(tool, _)| tool.clone())
            .collect();
        let selection = Selection {
            from,
            tools,
            problems: problems.into(),
        };
        *last = Some(selection.clone());
        selection
    }

    fn chosen_of_offered(&self, offered: &[Tool]) -> Arc<[Tool]> {
        let server = self.binding.name();
        let means = |rules: &[Rule], tool: &Tool| {
            let mut rules = rules.iter();
            rules.any(|rule| rule.means.allows_offered(server, &tool.name))
        };
        let is_there = |tool: &&Tool| {
            let allowed = self.allow.as_ref();
            allowed.is_none_or(|allow| means(allow, tool))
                && !means(&self.deny, tool)
                && says(tool.annotations, self.hints)
        };
        offered.iter().filter(is_there).cloned().collect()
    }
}

impl Rule {
    fn of(binding: &impl Binding, written: String) -> Result<Self, ToolPatternError> {
        let means = Grant::of([format!("{}.{written}", binding.name())])?;
        Ok(Self { written, means })
    }

    /// Says that no tool is meant: misspelt, it would do nothing, silently.
    fn unmet(&self, list: &str, tools: &[Tool]) -> String {
        let written = text::one_line(&self.written);
        let names = tools.iter().map(|tool| tool.name.as_str());
        let near = near(&self.written, names, 1);
        let meant = near.first().map_or_else(String::new, |near| {
            format!("; did you mean `{}`?", text::one_line(near))
        });
        format!("`tools.{list}` has `{written}`, which means no tool of this server{meant}")
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

impl<B: Binding> Binding for FilteredBinding<B> {
    fn name(&self) -> &str {
        self.binding.name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(&self.binding)
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        async { Ok(self.of(self.binding.tools().await?).tools) }.boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(self.of(self.binding.known_tools()?).tools)
    }

    fn offered(&self) -> Arc<[Tool]> {
        let from = self.binding.offered();
        let mut last = self.offered.lock();
        if let Some(last) = &*last
            && Arc::ptr_eq(&last.from, &from)
        {
            return Arc::clone(&last.tools);
        }
        let tools = self.chosen_of_offered(&from);
        *last = Some(Selection {
            from,
            tools: Arc::clone(&tools),
            problems: Arc::default(),
        });
        tools
    }

    fn problems(&self) -> Arc<[String]> {
        let listed = self.binding.problems();
        let known = self.binding.known_tools();
        let chosen = known.map(|tools| self.of(tools).problems);
        match chosen {
            Some(chosen) if !chosen.is_empty() => listed.iter().chain(&*chosen).cloned().collect(),
            _ => listed,
        }
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let lacks = |tools: &[Tool]| tools.iter().all(|known| known.name != tool);
        // Who resolves names finds none that is not there; this holds whoever calls.
        if self.known_tools().is_some_and(|known| lacks(&known)) && lacks(&self.offered()) {
            let refused =
                CallError::NotReached("the configuration leaves this tool out".to_owned());
            return std::future::ready(Err(refused)).boxed();
        }
        self.binding.call(tool, arguments, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Abilities, Functions};

    fn chosen(choice: ToolFilter) -> FilteredBinding<Functions> {
        let done = async |_: Map<String, Value>| Ok::<_, String>(Value::Null);
        let functions = ["get_order", "getSecret", "delete_order", "list_orders"]
            .into_iter()
            .fold(Functions::new("my-shop"), |functions, name| {
                functions.tool(name, "", done)
            });
        FilteredBinding::new(functions, choice).unwrap()
    }

    fn shop(choice: ToolFilter) -> Vec<String> {
        let chosen = chosen(choice);
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
        assert_eq!(shop(ToolFilter::default()).len(), 4);
        let choice = ToolFilter {
            allow: Some(patterns(&["get*", "list_orders"])),
            deny: patterns(&["get_secret"]),
            ..ToolFilter::default()
        };
        assert_eq!(shop(choice), ["get_order", "list_orders"]);
        let choice = ToolFilter {
            allow: Some(Vec::new()),
            ..ToolFilter::default()
        };
        assert!(shop(choice).is_empty(), "nothing is allowed");
        // These say nothing of themselves.
        let hints = Hints {
            destructive: Some(false),
            ..Hints::default()
        };
        let choice = ToolFilter {
            hints,
            ..ToolFilter::default()
        };
        assert!(shop(choice).is_empty());
    }

    /// Resources, which can be read.
    struct Library;

    impl Binding for Library {
        fn name(&self) -> &str {
            "library"
        }

        fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
            std::future::ready(Ok(Arc::default())).boxed()
        }

        fn known_tools(&self) -> Option<Arc<[Tool]>> {
            Some(Arc::default())
        }

        fn offered(&self) -> Arc<[Tool]> {
            let tool = |name| serde_json::json!({ "name": name, "inputSchema": {} });
            let tool = |name| serde_json::from_value(tool(name)).unwrap();
            ["$read", "$prompts"].map(tool).into()
        }

        fn call<'a>(
            &'a self,
            _: &'a str,
            _: Map<String, Value>,
            _: CallContext,
        ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
            std::future::ready(Ok(ToolResult::default())).boxed()
        }
    }

    /// Says something of all that is asked.
    #[derive(Default)]
    struct Talkative(Mutex<Vec<&'static str>>);

    impl Binding for Talkative {
        fn name(&self) -> &str {
            "talkative"
        }

        fn description(&self) -> Option<String> {
            Some("description".to_owned())
        }

        fn says_it_is(&self) -> Option<String> {
            Some("says it is".to_owned())
        }

        fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
            std::future::ready(Ok(Arc::default())).boxed()
        }

        fn starting(&self) -> Option<String> {
            Some("starting".to_owned())
        }

        fn trouble(&self) -> Option<String> {
            Some("trouble".to_owned())
        }

        fn standing(&self) -> Option<&'static str> {
            Some("standing")
        }

        fn problems(&self) -> Arc<[String]> {
            ["problem".to_owned()].into()
        }

        fn secrets(&self) -> Vec<String> {
            vec!["secret".to_owned()]
        }

        fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
            self.0.lock().push("refresh");
            std::future::ready(Ok(())).boxed()
        }

        fn can_be_answered(&self, _: Abilities) {
            self.0.lock().push("can be answered");
        }

        fn call<'a>(
            &'a self,
            _: &'a str,
            _: Map<String, Value>,
            _: CallContext,
        ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
            std::future::ready(Ok(ToolResult::default())).boxed()
        }

        fn close(&self) -> BoxFuture<'_, ()> {
            self.0.lock().push("close");
            std::future::ready(()).boxed()
        }
    }

    #[test]
    fn what_a_binding_before_another_does_not_say_is_what_the_other_says() {
        let inner = Arc::new(Talkative::default());
        let chosen = FilteredBinding::new(Arc::clone(&inner), ToolFilter::default()).unwrap();
        let binding: Arc<dyn Binding> = Arc::new(Arc::new(chosen));
        let text = |text: Option<String>| text.unwrap();
        assert_eq!(binding.name(), "talkative");
        assert_eq!(text(binding.description()), "description");
        assert_eq!(text(binding.says_it_is()), "says it is");
        assert_eq!(text(binding.starting()), "starting");
        assert_eq!(text(binding.trouble()), "trouble");
        assert_eq!(binding.standing(), Some("standing"));
        assert_eq!(*binding.problems(), ["problem".to_owned()]);
        assert_eq!(binding.secrets(), ["secret"]);
        assert!(binding.refresh().now_or_never().unwrap().is_ok());
        binding.can_be_answered(Abilities::default());
        binding.close().now_or_never().unwrap();
        assert_eq!(*inner.0.lock(), ["refresh", "can be answered", "close"]);
    }

    #[test]
    fn what_is_offered_besides_tools_is_chosen_by_its_own_name() {
        let none: &[&str] = &[];
        let cases = [
            (None, none, &["$read", "$prompts"][..]),
            (None, &["read", "$prompts"], &["$read"]),
            (None, &["*"], &[]),
            (Some(&["get*"][..]), &[], &[]),
            (Some(&["$r*"]), &[], &["$read"]),
        ];
        for (allow, deny, there) in cases {
            let choice = ToolFilter {
                allow: allow.map(patterns),
                deny: patterns(deny),
                ..ToolFilter::default()
            };
            let chosen = FilteredBinding::new(Library, choice).unwrap();
            let offered = chosen.offered();
            let names: Vec<_> = offered.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(names, there, "{allow:?} {deny:?}");
            for name in ["$read", "$prompts"] {
                let context = CallContext::without_a_run("library", name, 1000);
                let called = chosen.call(name, Map::new(), context).now_or_never();
                assert_eq!(called.unwrap().is_ok(), there.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn a_pattern_that_means_no_tool_is_told() {
        let choice = ToolFilter {
            allow: Some(patterns(&["get*", "list_order"])),
            deny: patterns(&["getSecret", "write_*"]),
            ..ToolFilter::default()
        };
        assert_eq!(
            *chosen(choice).problems(),
            [
                "`tools.allow` has `list_order`, which means no tool of this server; did you mean `list_orders`?",
                "`tools.deny` has `write_*`, which means no tool of this server",
            ]
        );
        assert!(chosen(ToolFilter::default()).problems().is_empty());
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

//! A binding of which only some tools are there.

use std::sync::Arc;

use ampoule_projection::names::{Names, Style, ToolPattern, ToolPatternError, near};
use ampoule_projection::{Hints, Tool};
use ampoule_untrusted::text;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::{Binding, BindingError, CallContext, CallError, ToolResult};

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
    pattern: ToolPattern,
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
            let places = match list {
                "allow" => rule.pattern.places(&names),
                _ => rule.pattern.restricted_places(&names),
            };
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
        let means = |rules: &[Rule], tool: &Tool| {
            let mut rules = rules.iter();
            rules.any(|rule| rule.pattern.means_offered(&tool.name))
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
        let pattern = ToolPattern::on_server(binding.name(), &written)?;
        Ok(Self { written, pattern })
    }

    /// Says that no tool is meant: misspelt, it would do nothing, silently.
    fn unmet(&self, list: &str, tools: &[Tool]) -> String {
        let written = text::one_line(&self.written);
        let names = tools.iter().map(|tool| tool.name.as_str());
        let near = near(&self.written, names, 1);
        let meant = near.first().map_or_else(String::new, |near| {
            format!("; did you mean `{}`?", text::one_line(near))
        });
        format!("`tools.{list}` has `{written}`, which matches no tool of this server{meant}")
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
        // Resolving a name finds only tools that exist; this check holds for each caller.
        if self.known_tools().is_some_and(|known| lacks(&known)) && lacks(&self.offered()) {
            let refused =
                CallError::NotReached("the configuration leaves this tool out".to_owned());
            return std::future::ready(Err(refused)).boxed();
        }
        self.binding.call(tool, arguments, context)
    }
}

#[cfg(test)]
mod tests;

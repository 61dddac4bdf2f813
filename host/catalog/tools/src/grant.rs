//! Grants: the part of the catalog that one run may call.

use std::fmt;
use std::str::FromStr;

use ampoule_projection::Caller;
use ampoule_projection::names::{Names, Style, ToolPattern, ToolPatternError};
use serde::{Deserialize, Serialize};

use super::toolkit::Toolkit;

/// The part of the catalog that a run may call. For the run, everything else does not exist.
///
/// Written as a list of patterns: `github` (all tools of a server), `github.create_issue` (one),
/// `github.get_*` (each `*` stands for any text). Names are written as the server gave them or as
/// scripts write them, and without a `*` also in any form that differs from those only in case and
/// punctuation, as long as it can mean only one. The default grants nothing.
///
/// ```
/// # use ampoule_tools::Grant;
/// let grant: Grant = "github.get_*, time".parse()?;
/// assert!(grant.allows("github", "get_issue"));
/// assert!(grant.allows("time", "convert"));
/// assert!(!grant.allows("github", "delete_repo"));
/// # Ok::<(), ampoule_tools::ToolPatternError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    patterns: Vec<ToolPattern>,
    /// Whether an app in a client calls, and not a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    of_app: bool,
    /// What narrows it, if anything does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    toolkit: Option<Toolkit>,
    /// The patterns of the grants that it is beneath: it grants nothing that they don't.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outer: Vec<Vec<ToolPattern>>,
}

impl Grant {
    /// Every tool of every binding.
    pub fn all() -> Self {
        ToolPattern::all().into()
    }

    /// No tool at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// What each pattern grants.
    ///
    /// # Errors
    ///
    /// [`ToolPatternError`] for one that is empty, or lacks the name before or after its dot.
    pub fn of<I>(patterns: I) -> Result<Self, ToolPatternError>
    where
        I: IntoIterator<Item: AsRef<str>>,
    {
        let patterns = patterns
            .into_iter()
            .map(|pattern| pattern.as_ref().parse())
            .collect::<Result<Vec<_>, _>>()?;
        Ok(patterns.into())
    }

    /// This, as far as the toolkit has it, too: a grant within a toolkit allows nothing that it does
    /// not allow without. Replaces the toolkit that it is within already.
    #[must_use]
    pub fn within(mut self, toolkit: Toolkit) -> Self {
        self.toolkit = Some(toolkit);
        self
    }

    /// This, as far as that grant allows it: for a run that another run makes. It is within the same
    /// toolkit.
    #[must_use]
    pub fn beneath(mut self, outer: &Self) -> Self {
        self.of_app = outer.of_app;
        self.toolkit.clone_from(&outer.toolkit);
        self.outer.push(outer.patterns.clone());
        self.outer.extend(outer.outer.iter().cloned());
        self
    }

    /// The toolkit that it is within. Policies, quotas and records go by the toolkit's name.
    pub fn toolkit(&self) -> Option<&Toolkit> {
        self.toolkit.as_ref()
    }

    /// The same for an app in a client: of the same tools, those that their servers have for apps,
    /// and not those that they have for models.
    #[must_use]
    pub fn of_app(mut self) -> Self {
        self.of_app = true;
        self
    }

    /// Who calls.
    pub(super) fn caller(&self) -> Caller {
        match self.of_app {
            true => Caller::App,
            false => Caller::Model,
        }
    }

    /// This, and every tool of that server, whatever the toolkit has.
    #[must_use]
    pub fn and_server(mut self, server: &str) -> Self {
        self.patterns.push(ToolPattern::of_server(server));
        for outer in &mut self.outer {
            outer.push(ToolPattern::of_server(server));
        }
        self.toolkit = self.toolkit.map(|toolkit| toolkit.and_server(server));
        self
    }

    /// The lists of patterns. What is granted is in each of them.
    fn lists(&self) -> impl Iterator<Item = &[ToolPattern]> {
        let narrowed = self.toolkit.as_ref().map(Toolkit::tools);
        let outer = self.outer.iter().map(|patterns| &**patterns);
        std::iter::once(&*self.patterns)
            .chain(outer)
            .chain(narrowed)
    }

    /// Whether each list has a pattern of which this holds.
    fn each_list_has(&self, holds: impl Fn(&ToolPattern) -> bool) -> bool {
        self.lists().all(|patterns| patterns.iter().any(&holds))
    }

    /// Whether it grants this tool, if the server has no other whose name differs only in case and
    /// punctuation.
    pub fn allows(&self, server: &str, tool: &str) -> bool {
        self.allows_tool(server, &Names::new([tool], Style::Camel), 0)
    }

    /// Whether it may grant tools of this server.
    pub fn allows_server(&self, server: &str) -> bool {
        self.each_list_has(|pattern| pattern.is_of(server))
    }

    /// Whether it names this server, rather than by a `*` that stands for others too.
    pub fn names_server(&self, server: &str) -> bool {
        let mut patterns = self.patterns.iter();
        patterns.any(|pattern| pattern.names_a_server() && pattern.is_of(server))
    }

    /// Whether it grants one of the server's `tools`.
    pub(super) fn allows_tool(&self, server: &str, tools: &Names, tool: usize) -> bool {
        self.each_list_has(|pattern| pattern.is_of(server) && pattern.means(tools, tool))
    }

    /// Whether it grants what the server offers besides tools under this name: by the name itself,
    /// or by a `*`. A tool whose name differs only in the `$` is another.
    pub(super) fn allows_offered(&self, server: &str, name: &str) -> bool {
        self.each_list_has(|pattern| pattern.is_of(server) && pattern.means_offered(name))
    }

    /// How many comparisons it takes to find which of that many tools of a server it grants.
    pub(super) fn comparisons(&self, server: &str, tools: usize) -> usize {
        let in_list = |list: &[ToolPattern]| {
            let patterns = || list.iter().filter(|pattern| pattern.is_of(server));
            if patterns().any(ToolPattern::means_all) {
                // None; their places are written down.
                return tools / 64;
            }
            let with_stars = patterns()
                .filter(|pattern| pattern.tool().contains('*'))
                .count();
            list.len() + tools * with_stars
        };
        self.lists().map(in_list).sum()
    }

    /// The places of a server's tools that it grants, in their order.
    pub fn places(&self, server: &str, tools: &Names) -> Vec<usize> {
        let mut granted = vec![true; tools.names().len()];
        for list in self.lists() {
            let patterns = || list.iter().filter(|pattern| pattern.is_of(server));
            if patterns().any(ToolPattern::means_all) {
                continue;
            }
            let mut listed = vec![false; granted.len()];
            for place in patterns().flat_map(|pattern| pattern.places(tools)) {
                listed[place] = true;
            }
            for (granted, listed) in granted.iter_mut().zip(listed) {
                *granted &= listed;
            }
        }
        let places = granted.into_iter().enumerate();
        places
            .filter_map(|(place, granted)| granted.then_some(place))
            .collect()
    }

    /// The same grant with the servers' names as they are configured. `configured` finds the one
    /// that a name means.
    ///
    /// # Errors
    ///
    /// A name that means none: misspelt, it would grant nothing, silently.
    pub(super) fn resolved<'a>(
        mut self,
        configured: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, String> {
        for pattern in self.patterns.iter_mut().filter(|it| it.names_a_server()) {
            match configured(pattern.server()) {
                Some(name) => pattern.set_server(name),
                None => return Err(pattern.server().to_owned()),
            }
        }
        // One that a toolkit or an outer grant names and nobody configured narrows all the same.
        let outer = self.outer.iter_mut().flatten();
        for pattern in outer.filter(|it| it.names_a_server()) {
            if let Some(name) = configured(pattern.server()) {
                pattern.set_server(name);
            }
        }
        self.toolkit = (self.toolkit).map(|toolkit| toolkit.resolved(configured));
        Ok(self)
    }

    /// The same grant among servers of these names: a server that is named exactly is meant, and none
    /// whose name is only alike.
    #[must_use]
    pub fn among(self, servers: &Names) -> Self {
        let among = |patterns: Vec<ToolPattern>| -> Vec<ToolPattern> {
            let patterns = patterns.into_iter();
            patterns.map(|pattern| pattern.among(servers)).collect()
        };
        Self {
            patterns: among(self.patterns),
            toolkit: self.toolkit.map(|toolkit| toolkit.among(servers)),
            outer: self.outer.into_iter().map(among).collect(),
            ..self
        }
    }

    pub(super) fn patterns(&self) -> &[ToolPattern] {
        &self.patterns
    }
}

impl From<ToolPattern> for Grant {
    fn from(pattern: ToolPattern) -> Self {
        vec![pattern].into()
    }
}

impl From<Vec<ToolPattern>> for Grant {
    fn from(patterns: Vec<ToolPattern>) -> Self {
        Self {
            patterns,
            ..Self::default()
        }
    }
}

/// A comma-separated list of patterns.
impl FromStr for Grant {
    type Err = ToolPatternError;

    fn from_str(list: &str) -> Result<Self, ToolPatternError> {
        ToolPattern::list(list).map(Into::into)
    }
}

/// Its patterns; what a toolkit narrows does not show.
impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, pattern) in self.patterns.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{pattern}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_may_hold_dots() {
        let grant: Grant = "files.v1.read".parse().unwrap();
        assert!(grant.allows("files", "v1.read"));
        assert!(!grant.allows("files", "v1.write"));
    }

    #[test]
    fn names_may_be_in_camel_case() {
        let grant: Grant = "googleDrive.getDocument".parse().unwrap();
        assert!(grant.allows("google-drive", "get_document"));
        assert!(!grant.allows("google-drive", "get_documents"));
        assert!(grant.allows_server("google-drive"));
    }

    #[test]
    fn case_and_punctuation_do_not_matter_without_a_star() {
        let grant: Grant = "Google-Drive.get-document, FILES".parse().unwrap();
        assert!(grant.allows("googleDrive", "getDocument"));
        assert!(grant.allows("files", "read"));
        assert!(!grant.allows("googleDrives", "getDocument"));
        let starred: Grant = "files.get_*".parse().unwrap();
        assert!(starred.allows("files", "get_away"));
        assert!(!starred.allows("files", "getaway"));
    }

    #[test]
    fn a_name_grants_one_of_the_tools_that_are_alike_or_none() {
        let tools = Names::new(["get-item", "get item", "other"], Style::Camel);
        let granted = |pattern: &str| {
            let grant: Grant = pattern.parse().unwrap();
            let places = 0..tools.names().len();
            places
                .filter(|&tool| grant.allows_tool("odd", &tools, tool))
                .collect::<Vec<_>>()
        };
        assert_eq!(granted("odd.get-item"), [0]);
        assert_eq!(granted("odd.get item"), [1]);
        assert_eq!(granted("odd.get_item"), [0; 0]);
        assert_eq!(granted(&format!("odd.{}", tools.identifiers()[1])), [1]);
        assert_eq!(granted("odd.get*"), [0, 1]);
    }

    #[test]
    fn servers_are_called_what_they_are_configured_as() {
        let configured = |name: &str| (name == "DEMO").then_some("demo");
        let grant: Grant = "DEMO.a, d*.b".parse().unwrap();
        assert_eq!(
            grant.resolved(configured).unwrap().to_string(),
            "demo.a, d*.b"
        );
        let misspelt: Grant = "DEMO.a, demmo".parse().unwrap();
        assert_eq!(misspelt.resolved(configured).unwrap_err(), "demmo");
    }

    #[test]
    fn a_grant_beneath_another_allows_what_both_do() {
        let outer: Grant = "DEMO.get_*, files.read".parse().unwrap();
        let inner: Grant = "demo, files.write".parse().unwrap();
        let configured = |name: &str| {
            ["demo", "files"]
                .into_iter()
                .find(|it| name.eq_ignore_ascii_case(it))
        };
        let both = inner.beneath(&outer).resolved(configured).unwrap();
        assert!(both.allows("demo", "get_order"));
        assert!(!both.allows("demo", "delete_order"));
        assert!(!both.allows("files", "read") && !both.allows("files", "write"));
        let kit = Toolkit::new("kit", vec!["demo.get_order".parse().unwrap()]);
        let within = Grant::all().beneath(&outer.within(kit));
        assert!(within.allows("demo", "get_order") && !within.allows("demo", "get_customer"));
        assert_eq!(&**within.toolkit().unwrap().name(), "kit");
        // What is beneath it is narrower still.
        let deeper = Grant::all().beneath(&both);
        assert!(!deeper.allows("demo", "delete_order") && !deeper.allows("files", "read"));
        assert!(
            !Grant::all()
                .beneath(&Grant::none())
                .allows("demo", "get_order")
        );
    }

    #[test]
    fn bad_patterns_are_refused() {
        for list in ["", "github.", ".tool", "github,,time"] {
            assert!(list.parse::<Grant>().is_err(), "{list:?}");
        }
    }

    #[test]
    fn nothing_is_granted_by_default() {
        assert!(!Grant::default().allows("a", "b"));
        assert!(Grant::all().allows("a", "b"));
    }
}

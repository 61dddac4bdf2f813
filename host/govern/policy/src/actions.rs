//! What can be done: the tools of all servers, as Cedar's actions, in groups.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use ampoule_projection::names::{Names, Style, server_and_account};
use ampoule_projection::{Hints, Tool};
use ampoule_tools::Grant;
use cedar_policy::{Entity, EntityUid};
use rustc_hash::FxHashMap;

use crate::arguments::{Record, ShapeError, arguments_of};
use crate::cedar::{ACTION, SERVER, TOOLS, uid};
use crate::diagnostic::PolicyDiagnostic;
use crate::known_servers;

/// Groups by what tools say of themselves. A server of such a name has its group as `name.*`.
pub(crate) const HINTED: [&str; 4] = [READ_ONLY, DESTRUCTIVE, OPEN_WORLD, OUTGOING];
pub(crate) const READ_ONLY: &str = "read-only";
pub(crate) const DESTRUCTIVE: &str = "destructive";
pub(crate) const OPEN_WORLD: &str = "open-world";
pub(crate) const OUTGOING: &str = "outgoing";

/// What is behind a pattern that is a group and the name of an action, too.
pub(crate) const ALL_ACCOUNTS: &str = " of all accounts";

/// A server, and what is known of its tools.
#[derive(Debug, Clone, Copy)]
pub struct Server<'t> {
    /// What it is configured as.
    pub name: &'t str,
    /// What it says it is: MCP's `serverInfo.name`, if that is known.
    pub says_it_is: Option<&'t str>,
    /// Its tools; `None` while they are not known. Policies that name them are then not held
    /// against their types until they are.
    pub tools: Option<&'t [Tool]>,
}

/// One tool.
#[derive(Debug)]
pub(crate) struct Action {
    /// `server.tool`.
    pub(crate) id: String,
    pub(crate) hints: Hints,
    pub(crate) arguments: Record,
    /// Why it has no arguments that policies can see.
    pub(crate) unshaped: Option<ShapeError>,
    /// Those that it is in, besides itself.
    pub(crate) groups: BTreeSet<Arc<str>>,
    /// What its results are labelled.
    pub(crate) labels: BTreeSet<Arc<str>>,
    pub(crate) uid: EntityUid,
    pub(crate) resource: EntityUid,
}

impl Action {
    fn new(server: &str, tool: &Tool) -> Self {
        let id = id_of(server, &tool.name);
        let (arguments, unshaped) = arguments_of(tool);
        Self {
            hints: tool.annotations,
            arguments,
            unshaped,
            groups: BTreeSet::new(),
            labels: BTreeSet::new(),
            uid: uid(ACTION, &id),
            resource: uid(SERVER, server),
            id,
        }
    }

    /// As an entity, in its groups.
    pub(crate) fn entity(&self) -> Entity {
        self.entity_in(self.groups.iter().map(|group| &**group))
    }

    /// The same, in these groups.
    pub(crate) fn entity_in<'g>(&self, groups: impl IntoIterator<Item = &'g str>) -> Entity {
        let groups = groups.into_iter().map(|group| uid(ACTION, group));
        Entity::new_no_attrs(self.uid.clone(), groups.collect::<HashSet<_>>())
    }
}

/// What a tool is called as an action. A `*` means many tools, so one in a name is written
/// otherwise.
fn id_of(server: &str, tool: &str) -> String {
    let tool = match tool.contains(['*', '%']) {
        true => tool.replace('%', "%25").replace('*', "%2A"),
        false => tool.to_owned(),
    };
    format!("{server}.{tool}")
}

/// A server's part of them.
#[derive(Debug)]
struct Part {
    listed: bool,
    /// Where its tools begin among all.
    first: usize,
    names: Names,
    by_tool: FxHashMap<String, usize>,
}

/// All that can be done.
#[derive(Debug, Default)]
pub(crate) struct Actions {
    all: Vec<Action>,
    by_id: FxHashMap<String, usize>,
    parts: BTreeMap<String, Part>,
    groups: BTreeMap<Arc<str>, Vec<usize>>,
    /// Tools that are named, of servers whose tools are not known.
    later: BTreeSet<String>,
    /// Those that return what strangers wrote, as far as that is known.
    from_strangers: BTreeSet<usize>,
}

impl Actions {
    /// Those of some servers.
    ///
    /// # Errors
    ///
    /// A name that no server can have, or two of the same.
    pub(crate) fn of(servers: &[Server<'_>]) -> Result<Self, PolicyDiagnostic> {
        let mut actions = Self::default();
        for server in servers {
            if server.name.contains(['.', '*']) || actions.parts.contains_key(server.name) {
                let told = format!(
                    "`{}` can't be the name of a server beside others: it has a `.` or `*`, or another has it",
                    server.name
                );
                return Err(PolicyDiagnostic::error(None, told));
            }
            actions.add(server);
        }
        actions.group(TOOLS, &Grant::all());
        for hinted in HINTED {
            actions.groups.entry(hinted.into()).or_default();
        }
        for place in 0..actions.all.len() {
            for group in hinted(actions.all[place].hints) {
                actions.put(place, group);
            }
        }
        for server in servers {
            for place in known_servers::senders(&actions, server) {
                actions.put(place, "outgoing");
            }
            let strangers = known_servers::readers(&actions, server);
            actions.from_strangers.extend(strangers);
        }
        Ok(actions)
    }

    fn add(&mut self, server: &Server<'_>) {
        let tools = server.tools.unwrap_or_default();
        let first = self.all.len();
        let mut by_tool = FxHashMap::default();
        let mut names = Vec::new();
        for tool in tools {
            // Of two with one name, the first is called.
            if by_tool.contains_key(&tool.name) {
                continue;
            }
            let action = Action::new(server.name, tool);
            by_tool.insert(tool.name.clone(), self.all.len());
            self.by_id.insert(action.id.clone(), self.all.len());
            names.push(tool.name.as_str());
            self.all.push(action);
        }
        let part = Part {
            listed: server.tools.is_some(),
            first,
            names: Names::new(names, Style::Camel),
            by_tool,
        };
        self.parts.insert(server.name.to_owned(), part);
        // An account is in the group of its server, too.
        let groups = BTreeSet::from([server.name, server_and_account(server.name).0]);
        for group in groups {
            if !HINTED.contains(&group) && group != crate::cedar::MODEL {
                self.groups.entry(group.into()).or_default();
                (first..self.all.len()).for_each(|place| self.put(place, group));
            }
        }
    }

    fn put(&mut self, place: usize, group: &str) {
        let group: Arc<str> = group.into();
        if self.all[place].groups.insert(Arc::clone(&group)) {
            self.groups.entry(group).or_default().push(place);
        }
    }

    /// Makes a group of what a pattern means, if there is none; says how many are in it.
    pub(crate) fn group(&mut self, name: &str, pattern: &Grant) -> usize {
        if let Some(group) = self.groups.get(name) {
            return group.len();
        }
        let places = self.granted(pattern);
        self.empty_group(name);
        places.iter().for_each(|&place| self.put(place, name));
        places.len()
    }

    /// Makes a group that nothing is in, if there is none.
    pub(crate) fn empty_group(&mut self, name: &str) {
        self.groups.entry(name.into()).or_default();
    }

    /// The places of those that a pattern means.
    pub(crate) fn granted(&self, pattern: &Grant) -> Vec<usize> {
        let servers = self.parts.keys();
        let granted = servers.flat_map(|server| self.granted_of(server, pattern));
        granted.collect()
    }

    /// The places of a server's that a pattern means.
    pub(crate) fn granted_of(&self, server: &str, pattern: &Grant) -> Vec<usize> {
        let Some(part) = self.parts.get(server) else {
            return Vec::new();
        };
        let places = pattern.places(server, &part.names).into_iter();
        places.map(|place| part.first + place).collect()
    }

    /// Labels what returns what strangers wrote.
    pub(crate) fn label_strangers(&mut self, label: &str) {
        for &place in &self.from_strangers {
            self.all[place].labels.insert(label.into());
        }
    }

    /// Remembers a tool of a server whose tools are not known.
    pub(crate) fn later(&mut self, id: &str) {
        self.later.insert(id.to_owned());
    }

    /// Labels what an action, or a group's, return.
    pub(crate) fn label(&mut self, action: &str, labels: &[String]) {
        let places = self.places(action).to_vec();
        for place in places {
            let labels = labels.iter().map(|label| label.as_str().into());
            self.all[place].labels.extend(labels);
        }
    }

    /// The places of an action, or of a group's.
    pub(crate) fn places(&self, action: &str) -> &[usize] {
        match self.by_id.get(action) {
            Some(place) => std::slice::from_ref(place),
            None => self.groups.get(action).map_or(&[], Vec::as_slice),
        }
    }

    pub(crate) fn all(&self) -> &[Action] {
        &self.all
    }

    pub(crate) fn get(&self, place: usize) -> &Action {
        &self.all[place]
    }

    /// A tool by its server's name and its own.
    pub(crate) fn find(&self, server: &str, tool: &str) -> Option<usize> {
        self.parts.get(server)?.by_tool.get(tool).copied()
    }

    /// Whether a server is known, and its tools are not.
    pub(crate) fn is_unlisted(&self, server: &str) -> bool {
        self.parts.get(server).is_some_and(|part| !part.listed)
    }

    /// A tool that such a server may have, in all groups that its name puts it in, and in these.
    pub(crate) fn unlisted(&self, server: &str, tool: &str, hinted: &[&str]) -> Action {
        let mut action = Action::new(server, &nameless(tool));
        let names = Names::new([tool], Style::Camel);
        let is_in = |group: &str| match group {
            TOOLS => true,
            group if HINTED.contains(&group) => hinted.contains(&group),
            group if group == server || group == server_and_account(server).0 => true,
            group => {
                let pattern = Grant::of([group.trim_end_matches(ALL_ACCOUNTS)]);
                pattern.is_ok_and(|pattern| !pattern.places(server, &names).is_empty())
            }
        };
        let groups = self.groups.keys().filter(|group| is_in(group));
        action.groups = groups.cloned().collect();
        action
    }

    /// Whether that is an action or a group, also of a server whose tools are not known.
    pub(crate) fn is_known(&self, id: &str) -> bool {
        self.by_id.contains_key(id) || self.groups.contains_key(id) || self.later.contains(id)
    }

    /// Whether that is one tool.
    pub(crate) fn is_action(&self, id: &str) -> bool {
        self.by_id.contains_key(id)
    }

    /// Whether that is a group.
    pub(crate) fn is_group(&self, id: &str) -> bool {
        self.groups.contains_key(id)
    }

    /// The names of the groups.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.keys().map(|name| &**name)
    }

    /// The servers' names.
    pub(crate) fn servers(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    /// The names of those whose tools are known.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &str> {
        let listed = self.parts.iter().filter(|(_, part)| part.listed);
        listed.map(|(name, _)| name.as_str())
    }

    /// The names of a server's tools.
    pub(crate) fn tools_of(&self, server: &str) -> &[String] {
        let part = self.parts.get(server);
        part.map_or(&[], |part| part.names.names())
    }
}

/// A tool of which the name alone is known.
fn nameless(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        title: None,
        description: None,
        input_schema: serde_json::json!({ "type": "object" }).into(),
        output_schema: None,
        annotations: Hints::default(),
        ui: None,
        seen: Default::default(),
    }
}

/// The groups of what a tool says of itself; what it does not say has the protocol's defaults.
fn hinted(hints: Hints) -> impl Iterator<Item = &'static str> {
    let read_only = hints.read_only == Some(true);
    let open_world = hints.open_world != Some(false);
    let groups = [
        (READ_ONLY, read_only),
        (DESTRUCTIVE, !read_only && hints.destructive != Some(false)),
        (OPEN_WORLD, open_world),
        (OUTGOING, !read_only && open_world),
    ];
    groups
        .into_iter()
        .filter_map(|(group, is)| is.then_some(group))
}

//! All policies, made of their sources.

use std::fmt;
use std::sync::Arc;

use cedar_policy::{Authorizer, Entity};

use crate::actions::{Actions, Server};
use crate::cedar::{Draft, MODEL, TOOLS};
use crate::check::Check;
use crate::diagnostic::{Diagnostics, Place, PolicyDiagnostic, PolicyError};
use crate::index::Index;
use crate::parse;
use crate::roles::Roles;
use crate::rule::{Author, Rule, UncheckedPolicy};
use crate::source::{Fallback, Sources};

/// The stack of the thread that reads policies. Cedar follows what is nested by recursion; this is
/// ten times what the deepest needs that is read at all.
const STACK_BYTES: usize = 64 << 20;

/// Policies, ready to decide. Made at once of everything, or not at all; never changed. The default
/// allows everything.
#[derive(Default)]
pub struct Policies {
    pub(crate) rules: Vec<Rule>,
    pub(crate) index: Index,
    pub(crate) actions: Actions,
    /// Each action as an entity, in the actions' order.
    pub(crate) entities: Vec<Entity>,
    pub(crate) roles: Roles,
    fingerprint: String,
    warnings: Vec<PolicyDiagnostic>,
    pub(crate) authorizer: Authorizer,
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policies")
            .field("rules", &self.rules.len())
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

impl Policies {
    /// Policies for the tools of these servers. When a server's tools change, they are made anew:
    /// a tool that they were made without is denied.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the sources, each with its place.
    pub fn new(sources: &Sources, servers: &[Server<'_>]) -> Result<Self, PolicyError> {
        let refused = |error: &dyn fmt::Display| PolicyError(vec![internal(error)]);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let made = thread.spawn_scoped(scope, || Self::made(sources, servers));
            let made = made.map_err(|error| refused(&error))?;
            made.join()
                .unwrap_or_else(|_| Err(refused(&"they could not be read to their end")))
        })
    }

    fn made(sources: &Sources, servers: &[Server<'_>]) -> Result<Self, PolicyError> {
        let mut found = Diagnostics::default();
        let mut actions = Actions::of(servers).map_err(|problem| PolicyError(vec![problem]))?;
        sources.labels.give(&mut actions, &mut found);
        let rules = rules(sources, &mut actions, &mut found);
        let mut check = Check::new(sources, &rules, &mut found);
        check.ids();
        check.actions(&mut actions);
        check.names();
        check.types(&actions);
        let index = Index::of(&rules).unwrap_or_else(|error| {
            found.add(internal(&error));
            Index::default()
        });
        found.unless(|warnings| Self {
            index,
            entities: actions.all().iter().map(|action| action.entity()).collect(),
            actions,
            roles: sources.roles.clone(),
            fingerprint: fingerprint(sources, &rules),
            rules,
            warnings,
            authorizer: Authorizer::new(),
        })
    }

    /// What is likely not meant.
    pub fn warnings(&self) -> &[PolicyDiagnostic] {
        &self.warnings
    }

    /// Whether there are no policies: everything is allowed.
    pub fn are_none(&self) -> bool {
        self.rules.is_empty()
    }

    /// A digest of what they are made of; the same for the same sources, whatever tools there are.
    /// 64 hexadecimal digits; empty for the default.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// All policies as Cedar, also those that roles and labels came to.
    pub fn to_cedar(&self) -> String {
        let rules = self.rules.iter();
        let texts = rules.map(|rule| format!("// {}\n{}\n", rule.place, rule.text));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The labels of what a tool returns.
    pub fn labels_of(&self, server: &str, tool: &str) -> impl Iterator<Item = &Arc<str>> {
        let place = self.actions.find(server, tool);
        let action = place.map(|place| self.actions.get(place));
        action.into_iter().flat_map(|action| &action.labels)
    }
}

fn rules(sources: &Sources, actions: &mut Actions, found: &mut Diagnostics) -> Vec<Rule> {
    let made = sources.roles.policies(actions, found).and_then(|roles| {
        let mut made = sources.labels.policies(actions, found)?;
        made.extend(roles);
        for file in &sources.files {
            made.extend(parse::policies(file, found));
        }
        let defaults = defaults(sources, &made)?;
        made.extend(defaults);
        Ok(made)
    });
    let made = made.unwrap_or_else(|error| {
        found.add(internal(&error));
        Vec::new()
    });
    let mut rules = Vec::new();
    for made in made {
        match Rule::of(made, rules.len()) {
            Ok((rule, problems)) => {
                problems.into_iter().for_each(|problem| found.add(problem));
                rules.push(rule);
            }
            Err(problem) => found.add(problem),
        }
    }
    rules
}

/// What is allowed without anybody saying so: giving output to the model, and everything, where
/// nobody permits anything.
fn defaults(
    sources: &Sources,
    made: &[UncheckedPolicy],
) -> Result<Vec<UncheckedPolicy>, crate::cedar::CedarError> {
    let permits = |made: &UncheckedPolicy| made.policy.effect() == cedar_policy::Effect::Permit;
    let fallback = sources.fallback.unwrap_or_else(|| {
        // A role whose tools are not there yet permits nothing, and is meant to.
        match sources.roles.0.is_empty() && !made.iter().any(permits) {
            true => Fallback::Allow,
            false => Fallback::Deny,
        }
    });
    // Those that refuse labels may be about tools that are not there yet, which nobody may call
    // before they are.
    let are_none = made.is_empty() && sources.labels.refuses.is_empty();
    if are_none && fallback == Fallback::Allow {
        return Ok(Vec::new());
    }
    let mut defaults = Vec::new();
    let mut permit = |id: &str, action: &str| {
        let mut draft = Draft::new(true, id);
        draft.actions.push(action.to_owned());
        let place = Place::table("default");
        defaults.push(UncheckedPolicy::new(&draft, Author::Default, place)?);
        Ok(())
    };
    permit("default: model", MODEL)?;
    if fallback == Fallback::Allow {
        permit("default", TOOLS)?;
    }
    Ok(defaults)
}

fn internal(error: &dyn fmt::Display) -> PolicyDiagnostic {
    PolicyDiagnostic::error(None, format!("the policies can't be used: {error}"))
}

fn fingerprint(sources: &Sources, rules: &[Rule]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for file in &sources.files {
        part(&file.name);
        part(&file.text);
    }
    // What they came to depends on tools; what they say does not.
    part(&serde_json::to_string(&sources.roles).unwrap_or_default());
    part(&serde_json::to_string(&sources.labels).unwrap_or_default());
    part(&sources.other_labels.join("\0"));
    part(&format!("{:?} {}", sources.fallback, rules.is_empty()));
    hasher.finalize().to_hex().to_string()
}

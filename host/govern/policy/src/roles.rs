//! Roles: the simple case, as data of the configuration, and as policies.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::Actions;
use crate::caller::Caller;
use crate::cedar::{CedarError, Draft};
use crate::diagnostic::{Diagnostics, Place, PolicyDiagnostic};
use crate::patterns::{self, PatternMeaning};
use crate::rule::{Author, UncheckedPolicy};

/// Who may use which tools, by name. From the first on, what no role and no policy permits is
/// denied. Roles add up: what one allows, no other takes away. To deny something to everybody,
/// write a `forbid` of Cedar.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Roles(pub BTreeMap<String, Role>);

/// What some may do: those among `principals` or in one of `groups`, by one of `clients`, within one
/// of `toolkits`. A role without principals and groups is everybody's, one without clients is by any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Role {
    /// The tools that may be used: `github`, `github.get_*`, `crm.read`. A pattern that begins with
    /// `!` takes tools out.
    #[serde(deserialize_with = "ampoule_fields::some_texts")]
    pub tools: Vec<String>,
    /// The principals who have the role, by name; the local user is `local`. Without principals and
    /// groups, everybody has it.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::some_texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub principals: Vec<String>,
    /// The groups that have the role, as the issuer of their tokens says.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::some_texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub groups: Vec<String>,
    /// The clients in which the role counts, as they name themselves. Default: any.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::some_texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub clients: Vec<String>,
    /// Within which toolkits, by their names in `[toolkits]`: the role has no effect elsewhere, nor
    /// without a toolkit. Default: everywhere.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::some_texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub toolkits: Vec<String>,
    /// Whether only tools that say they change nothing may be used. Default: false.
    #[serde(default)]
    pub read_only: bool,
    /// What happens to calls of tools that may destroy something. A tool may, unless it says that
    /// it does not. Default: `allow`.
    #[serde(default)]
    pub destructive: Destructive,
    /// What is taken out of results, such as `email` or `customers.*.phone`.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::texts",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub redact: Vec<String>,
    /// What Ampoule tells the person whom it asks.
    #[serde(
        default,
        deserialize_with = "ampoule_fields::text",
        skip_serializing_if = "Option::is_none"
    )]
    pub reason: Option<String>,
}

/// What of tools that may destroy something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Destructive {
    /// They are allowed as others are.
    #[default]
    Allow,
    /// A person is asked.
    Ask,
    /// The role does not allow them.
    Deny,
}

impl Roles {
    /// Which of them somebody has.
    pub(crate) fn of<'r>(&'r self, caller: &Caller) -> impl Iterator<Item = &'r str> {
        let has = |names: &[String], name: &str| names.iter().any(|it| it == name);
        let of = |role: &Role| {
            let everybody = role.principals.is_empty() && role.groups.is_empty();
            let named = has(&role.principals, &caller.principal);
            let by_group = || {
                let mut theirs = caller.groups.iter();
                theirs.any(|group| has(&role.groups, group))
            };
            let by_client = role.clients.is_empty() || has(&role.clients, &caller.client);
            let is_within = role.toolkits.is_empty() || has(&role.toolkits, &caller.toolkit);
            by_client && is_within && (everybody || named || by_group())
        };
        let roles = self.0.iter().filter(|(_, role)| of(role));
        let roles: Vec<&str> = roles.map(|(name, _)| name.as_str()).collect();
        roles.into_iter()
    }

    /// As policies.
    pub(crate) fn policies(
        &self,
        actions: &mut Actions,
        found: &mut Diagnostics,
    ) -> Result<Vec<UncheckedPolicy>, CedarError> {
        let mut made = Vec::new();
        for (name, role) in &self.0 {
            let place = Place::table(format_args!("[roles.{name}]"));
            let tools = meant(role, &place, actions, found);
            if tools.allowed.is_empty() {
                let told = "it allows no known tool";
                found.add(PolicyDiagnostic::warning(Some(place), told));
                continue;
            }
            for draft in role.drafts(name, tools) {
                made.push(UncheckedPolicy::new(&draft, Author::Role, place.clone())?);
            }
        }
        Ok(made)
    }
}

/// The tools of a role, as actions.
struct Tools {
    allowed: Vec<String>,
    except: Vec<String>,
}

fn meant(role: &Role, place: &Place, actions: &mut Actions, found: &mut Diagnostics) -> Tools {
    let mut tools = Tools {
        allowed: Vec::new(),
        except: Vec::new(),
    };
    for pattern in &role.tools {
        let (pattern, into) = match pattern.strip_prefix('!') {
            Some(pattern) => (pattern, &mut tools.except),
            None => (pattern.as_str(), &mut tools.allowed),
        };
        match patterns::meant(pattern, actions) {
            PatternMeaning::Action(id) | PatternMeaning::Group(id) => into.push(id),
            PatternMeaning::Later => {}
            PatternMeaning::Nothing(problem) => found.add(problem.at(place)),
        }
    }
    tools
}

impl Role {
    fn drafts(&self, name: &str, tools: Tools) -> Vec<Draft> {
        let draft = |id: &str| {
            let mut draft = Draft::new(true, id);
            draft.role = Some(name.to_owned());
            draft.actions.clone_from(&tools.allowed);
            draft.except.clone_from(&tools.except);
            draft
                .among
                .extend(self.read_only.then(|| "read-only".to_owned()));
            draft.annotations.extend(self.redact());
            draft
        };
        let mut allowed = draft(name);
        if self.destructive != Destructive::Allow {
            allowed.except.push("destructive".into());
        }
        let mut drafts = vec![allowed];
        if self.destructive == Destructive::Ask && !self.read_only {
            let mut asked = draft(&format!("{name}: destructive"));
            asked.among.push("destructive".into());
            let reason = self.reason.as_deref();
            let reason = reason.unwrap_or("this may destroy or overwrite something");
            asked.annotations.push(("ask", reason.to_owned()));
            drafts.push(asked);
        }
        drafts
    }

    /// What is taken out of results.
    fn redact(&self) -> Option<(&'static str, String)> {
        (!self.redact.is_empty()).then(|| ("redact", self.redact.join(", ")))
    }
}

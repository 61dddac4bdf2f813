//! All policies, ready to decide.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use cedar_policy::{Authorizer, Entity};

use crate::actions::{Actions, Server};
use crate::caller::{Act, Caller, Request};
use crate::cedar::{ACTION, CLIENT, Draft, MODEL, TOOLS, USER, uid};
use crate::check::Check;
use crate::decision::Decision;
use crate::evaluate::{Held, Known, Question, context};
use crate::index::{Index, Slice};
use crate::parse;
use crate::problem::{Found, Place, Problem, Problems};
use crate::roles::Roles;
use crate::rule::{Made, Maker, Rule};
use crate::source::{Fallback, Sources};

/// The stack of the thread that reads policies. Cedar follows what is nested by recursion; this is
/// ten times what the deepest needs that is read at all.
const STACK_BYTES: usize = 64 << 20;

/// How much stack there must be for a decision, and how much there is where there was less.
const LEFT_BYTES: usize = 256 << 10;
const GIVEN_BYTES: usize = 2 << 20;

/// Policies, ready to decide. Made at once of everything, or not at all; never changed. The default
/// allows everything.
#[derive(Default)]
pub struct Policies {
    pub(crate) rules: Vec<Rule>,
    index: Index,
    pub(crate) actions: Actions,
    /// Each action as an entity, in the actions' order.
    entities: Vec<Entity>,
    roles: Roles,
    fingerprint: String,
    warnings: Vec<Problem>,
    authorizer: Authorizer,
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policies")
            .field("rules", &self.rules.len())
            .field("fingerprint", &self.fingerprint)
            .finish_non_exhaustive()
    }
}

/// What holds for a request.
pub(crate) struct Weighed {
    pub(crate) decision: Decision,
    pub(crate) held: Held,
    /// Those that may have concerned it, in order.
    pub(crate) considered: Vec<usize>,
    /// Whether it is the same whatever the arguments are.
    pub(crate) lasts: bool,
}

impl Policies {
    /// Policies for the tools of these servers. When a server's tools change, they are made anew:
    /// a tool that they were made without is denied.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the sources, each with its place.
    pub fn new(sources: &Sources, servers: &[Server<'_>]) -> Result<Self, Problems> {
        let refused = |error: &dyn fmt::Display| Problems(vec![internal(error)]);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let made = thread.spawn_scoped(scope, || Self::made(sources, servers));
            let made = made.map_err(|error| refused(&error))?;
            made.join()
                .unwrap_or_else(|_| Err(refused(&"they could not be read to their end")))
        })
    }

    fn made(sources: &Sources, servers: &[Server<'_>]) -> Result<Self, Problems> {
        let mut found = Found::default();
        let mut actions = Actions::of(servers).map_err(|problem| Problems(vec![problem]))?;
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
    pub fn warnings(&self) -> &[Problem] {
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

    /// Whether it may be done.
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        match self.are_none() {
            true => Decision::free(),
            false => self.weigh(request).decision,
        }
    }

    /// The same, and whether it is the same for all arguments that the tool may be called with: no
    /// policy that concerns the call reads any.
    pub fn decide_once(&self, request: &Request<'_>) -> (Decision, bool) {
        match self.are_none() {
            true => (Decision::free(), true),
            false => {
                let weighed = self.weigh(request);
                (weighed.decision, weighed.lasts)
            }
        }
    }

    /// Whether there is any call of a tool that would not be denied. A tool of which this is false
    /// does not exist for the caller. True where it can't be told beforehand.
    pub fn may_ever(&self, caller: &Caller, server: &str, tool: &str) -> bool {
        if self.are_none() {
            return true;
        }
        let Some(place) = self.actions.find(server, tool) else {
            return false;
        };
        let known = Known {
            caller,
            action: Some(self.actions.get(place)),
            arguments: None,
            labels: None,
        };
        let (held, slices, _) = self.ask(known, Some(place));
        let certain = |number: &&usize| {
            !held.failed.contains_key(number) && !self.rules[**number].read.asks_for_parts
        };
        let forbids = |number: &usize| self.rules[*number].force == crate::rule::Force::Forbids;
        if held.held.iter().filter(certain).any(forbids) {
            return false;
        }
        let permits = |number: &&usize| self.rules[**number].permits();
        let mut may = slices.iter().flat_map(|slice| &slice.rules).filter(permits);
        may.any(|number| {
            let unknown =
                held.failed.contains_key(number) || self.rules[*number].read.asks_for_parts;
            unknown || held.held.binary_search(number).is_ok()
        })
    }

    /// What holds for a request.
    pub(crate) fn weigh(&self, request: &Request<'_>) -> Weighed {
        let (place, arguments) = match request.act {
            Act::Model => (None, None),
            Act::Call {
                server,
                tool,
                arguments,
            } => match self.actions.find(server, tool) {
                Some(place) => (Some(place), Some(arguments)),
                None => return unknown(request.act),
            },
        };
        let known = Known {
            caller: request.caller,
            action: place.map(|place| self.actions.get(place)),
            arguments,
            labels: Some(request.labels),
        };
        let (held, slices, unfit) = self.ask(known, place);
        let considered = slices.iter().flat_map(|slice| slice.rules.iter().copied());
        let considered: BTreeSet<usize> = considered.collect();
        let decision = Decision::of(
            &self.rules,
            &held,
            unfit.as_deref(),
            &request.act.to_string(),
        );
        let reads = |slice: &&Slice| slice.needs.of("arguments").is_some();
        Weighed {
            decision,
            held,
            considered: considered.into_iter().collect(),
            lasts: !slices.iter().any(reads),
        }
    }

    fn ask(&self, known: Known<'_>, place: Option<usize>) -> (Held, Vec<&Slice>, Option<String>) {
        let caller = known.caller;
        let roles = self
            .roles
            .of(&caller.principal, &caller.groups, &caller.client);
        let roles: Vec<&str> = roles.collect();
        let groups = known.action.into_iter().flat_map(|action| &action.groups);
        let id = known.action.map_or(MODEL, |action| &action.id);
        let names = groups.map(|group| &**group).chain([id]);
        let slices = self.index.slices(names, caller, &roles);
        let (context, unfit) = context(&slices, known);
        // What their scopes say is met, or they would not be here.
        let asks_of_principal = slices.iter().any(|slice| slice.principals);
        let asks_of_action = slices.iter().any(|slice| slice.actions);
        let principal = match asks_of_principal {
            true => caller.entity(roles.into_iter()),
            false => Entity::with_uid(uid(USER, &caller.principal)),
        };
        let (action, resource) = match place {
            Some(place) => {
                let action = self.actions.get(place);
                let entity = match asks_of_action {
                    true => self.entities[place].clone(),
                    false => Entity::with_uid(action.uid.clone()),
                };
                (entity, action.resource.clone())
            }
            None => (
                Entity::with_uid(uid(ACTION, MODEL)),
                uid(CLIENT, &caller.client),
            ),
        };
        let all = || slices.iter().flat_map(|slice| slice.rules.iter().copied());
        let Some(question) = Question::new(principal, action, resource, context) else {
            let failed = all().map(|number| (number, "the request can't be made".to_owned()));
            let mut held: Vec<usize> = all()
                .filter(|number| !self.rules[*number].permits())
                .collect();
            held.sort_unstable();
            return (
                Held {
                    held,
                    failed: failed.collect(),
                },
                slices,
                None,
            );
        };
        // Calls are first looked at on stacks of WebAssembly's, which Cedar takes for used up.
        let ask = || question.ask(&self.authorizer, &self.rules, &slices);
        let mut held = stacker::maybe_grow(LEFT_BYTES, GIVEN_BYTES, ask);
        let unfit = unfit.map(|unfit| unfit.to_string());
        if let Some(unfit) = &unfit {
            // Without arguments these would not fail, but decide otherwise.
            for number in all().filter(|number| self.rules[*number].read.asks_for_parts) {
                held.fail(number, unfit, self.rules[number].permits());
            }
        }
        (held, slices, unfit)
    }
}

/// What holds of a tool that the policies were made without.
fn unknown(act: Act<'_>) -> Weighed {
    let told = format!(
        "the policies know no tool `{act}`; they are made anew when a server's tools change"
    );
    Weighed {
        decision: Decision::denied(told),
        held: Held::default(),
        considered: Vec::new(),
        lasts: false,
    }
}

fn rules(sources: &Sources, actions: &mut Actions, found: &mut Found) -> Vec<Rule> {
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
fn defaults(sources: &Sources, made: &[Made]) -> Result<Vec<Made>, crate::cedar::NotMade> {
    let permits = |made: &Made| made.policy.effect() == cedar_policy::Effect::Permit;
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
        defaults.push(Made::new(&draft, Maker::Default, place)?);
        Ok(())
    };
    permit("default: model", MODEL)?;
    if fallback == Fallback::Allow {
        permit("default", TOOLS)?;
    }
    Ok(defaults)
}

fn internal(error: &dyn fmt::Display) -> Problem {
    Problem::error(None, format!("the policies can't be used: {error}"))
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

//! Decisions: which policies hold for a request, and what that comes to.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use cedar_policy::Entity;
use serde_json::Value;

use crate::caller::{Act, Caller, Request};
use crate::cedar::{ACTION, CLIENT, MODEL, USER, uid};
use crate::decision::Decision;
use crate::evaluate::{CallFacts, Matches, Parties, context};
use crate::index::Slice;
use crate::policies::Policies;
use crate::run_labels::RunLabels;

/// How much stack there must be for a decision, and how much there is where there was less.
const LEFT_BYTES: usize = 256 << 10;
const GIVEN_BYTES: usize = 2 << 20;

/// What holds for a request.
pub(crate) struct Evaluation {
    pub(crate) decision: Decision,
    pub(crate) held: Matches,
    /// Those that may have concerned it, in order.
    pub(crate) considered: Vec<usize>,
}

/// Somebody about to do something, and the policies that may concern it.
struct Query {
    /// None if Cedar can't be asked.
    parties: Option<Parties>,
    /// Where those are that look at arguments.
    by_arguments: Vec<usize>,
    /// Where the others are.
    others: Vec<usize>,
}

/// The rules, by their numbers, that decide about all calls of a tool.
pub(crate) struct Possible {
    /// Those that forbid every call.
    pub(crate) forbidding: Vec<usize>,
    /// Those that may permit some call.
    pub(crate) permitting: Vec<usize>,
}

/// What policies come to as far as they don't look at arguments.
pub(crate) struct PartialEvaluation {
    asked: Query,
    held: Matches,
    /// What it comes to where none of those holds that look at arguments, and each can be judged.
    decision: Decision,
}

/// What policies come to for all calls of a tool, by a caller whose run has read this: found out
/// once, so that for each call only those are asked that look at its arguments.
pub struct ToolDecision {
    policies: Arc<Policies>,
    caller: Caller,
    server: Arc<str>,
    tool: Arc<str>,
    /// Which of the actions that is.
    place: usize,
    labels: Arc<RunLabels>,
    /// Whether it counts as destructive.
    is_undo: bool,
    stood: PartialEvaluation,
}

impl ToolDecision {
    /// Whether a call with these arguments may be done.
    pub fn decide(&self, arguments: &Value) -> Decision {
        let act = Act::Call {
            server: &self.server,
            tool: &self.tool,
            arguments,
        };
        let known = CallFacts {
            caller: &self.caller,
            action: Some((self.place, self.policies.actions.get(self.place))),
            arguments: Some(arguments),
            labels: Some(&self.labels),
            is_undo: self.is_undo,
        };
        self.policies.decide_by(&self.stood, act, &known)
    }

    /// What is decided of all such calls; none if some policy looks at arguments.
    pub fn decision(&self) -> Option<&Decision> {
        let any = !self.stood.asked.by_arguments.is_empty();
        (!any).then_some(&self.stood.decision)
    }
}

impl fmt::Debug for ToolDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDecision")
            .field("server", &self.server)
            .field("tool", &self.tool)
            .field("decision", &self.stood.decision)
            .finish_non_exhaustive()
    }
}

/// What a [`ToolDecision`] is made of.
struct DecisionFacts<'f> {
    caller: &'f Caller,
    server: &'f Arc<str>,
    tool: &'f Arc<str>,
    labels: &'f Arc<RunLabels>,
    is_undo: bool,
}

impl Policies {
    /// Whether it may be done.
    pub fn decide(&self, request: &Request<'_>) -> Decision {
        if self.are_none() {
            return Decision::free();
        }
        match self.known(request) {
            Some(known) => self.decide_by(&self.stood(request.act, &known), request.act, &known),
            None => unknown(request.act),
        }
    }

    /// What holds for all calls of a tool. None where nothing has to be found out: there are no
    /// policies, or the tool is none that they were made with.
    pub fn tool_decision(
        self: &Arc<Self>,
        caller: &Caller,
        server: &Arc<str>,
        tool: &Arc<str>,
        labels: &Arc<RunLabels>,
    ) -> Option<ToolDecision> {
        self.decision_of(DecisionFacts {
            caller,
            server,
            tool,
            labels,
            is_undo: false,
        })
    }

    /// The same for calls that take others back: they count as destructive, whatever the tool says.
    pub fn undo_decision(
        self: &Arc<Self>,
        caller: &Caller,
        server: &Arc<str>,
        tool: &Arc<str>,
        labels: &Arc<RunLabels>,
    ) -> Option<ToolDecision> {
        self.decision_of(DecisionFacts {
            caller,
            server,
            tool,
            labels,
            is_undo: true,
        })
    }

    fn decision_of(self: &Arc<Self>, facts: DecisionFacts<'_>) -> Option<ToolDecision> {
        let DecisionFacts {
            caller,
            server,
            tool,
            labels,
            is_undo,
        } = facts;
        if self.are_none() {
            return None;
        }
        let place = self.actions.find(server, tool)?;
        let act = Act::Call {
            server,
            tool,
            arguments: &Value::Null,
        };
        let known = CallFacts {
            caller,
            action: Some((place, self.actions.get(place))),
            arguments: None,
            labels: Some(labels),
            is_undo,
        };
        Some(ToolDecision {
            is_undo,
            stood: self.stood(act, &known),
            policies: Arc::clone(self),
            caller: caller.clone(),
            server: Arc::clone(server),
            tool: Arc::clone(tool),
            place,
            labels: Arc::clone(labels),
        })
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
        let known = CallFacts {
            caller,
            action: Some((place, self.actions.get(place))),
            arguments: None,
            labels: None,
            is_undo: false,
        };
        let possible = self.possible(&known);
        possible.forbidding.is_empty() && !possible.permitting.is_empty()
    }

    /// What is known of all calls of a tool, whatever their arguments are.
    pub(crate) fn possible(&self, known: &CallFacts<'_>) -> Possible {
        let asked = self.asked(known);
        let places = [&*asked.others, &*asked.by_arguments].concat();
        let (held, _) = self.ask(&asked, &places, known);
        let is_unknown = |number: &usize| {
            held.failed.contains_key(number) || self.rules[*number].read.asks_for_parts
        };
        let forbids = |number: &usize| {
            self.rules[*number].force == crate::rule::Force::Forbids && !is_unknown(number)
        };
        let permits = |number: &usize| {
            let holds = || held.held.binary_search(number).is_ok();
            self.rules[*number].permits() && (is_unknown(number) || holds())
        };
        let slices = places.iter().map(|place| self.index.at(*place));
        let rules = slices.flat_map(|slice| slice.rules.iter().copied());
        Possible {
            forbidding: held.held.iter().copied().filter(forbids).collect(),
            permitting: rules.filter(permits).collect(),
        }
    }

    /// What holds for a request.
    pub(crate) fn weigh(&self, request: &Request<'_>) -> Evaluation {
        let known = (!self.are_none()).then(|| self.known(request)).flatten();
        let Some(known) = known else {
            return Evaluation {
                decision: self.decide(request),
                held: Matches::default(),
                considered: Vec::new(),
            };
        };
        let stood = self.stood(request.act, &known);
        let asked = &stood.asked;
        let (held, _) = self.ask(asked, &asked.by_arguments, &known);
        let places = asked.others.iter().chain(&asked.by_arguments);
        let rules = places.flat_map(|place| &self.index.at(*place).rules);
        let considered: BTreeSet<usize> = rules.copied().collect();
        Evaluation {
            decision: self.decide_by(&stood, request.act, &known),
            held: held.and(&stood.held),
            considered: considered.into_iter().collect(),
        }
    }

    /// What is known of a request; none if it is of a tool that the policies were made without.
    pub(crate) fn known<'r>(&'r self, request: &Request<'r>) -> Option<CallFacts<'r>> {
        let (place, arguments) = match request.act {
            Act::Model => (None, None),
            Act::Call {
                server,
                tool,
                arguments,
            } => (Some(self.actions.find(server, tool)?), Some(arguments)),
        };
        Some(CallFacts {
            caller: request.caller,
            action: place.map(|place| (place, self.actions.get(place))),
            arguments,
            labels: Some(request.labels),
            is_undo: false,
        })
    }

    /// What holds whatever the arguments are.
    pub(crate) fn stood(&self, act: Act<'_>, known: &CallFacts<'_>) -> PartialEvaluation {
        let asked = self.asked(known);
        let (held, _) = self.ask(&asked, &asked.others, known);
        PartialEvaluation {
            decision: self.decision(&held, None, act),
            asked,
            held,
        }
    }

    /// Whether it may be done, by what stood for the same but for the arguments.
    pub(crate) fn decide_by(
        &self,
        stood: &PartialEvaluation,
        act: Act<'_>,
        known: &CallFacts<'_>,
    ) -> Decision {
        let asked = &stood.asked;
        let (held, unfit) = self.ask(asked, &asked.by_arguments, known);
        if held.is_nothing() && unfit.is_none() {
            return stood.decision.clone();
        }
        self.decision(&held.and(&stood.held), unfit.as_deref(), act)
    }

    fn decision(&self, held: &Matches, unfit: Option<&str>, act: Act<'_>) -> Decision {
        Decision::of(&self.rules, held, unfit, &act.to_string())
    }

    fn asked(&self, known: &CallFacts<'_>) -> Query {
        let caller = known.caller;
        let roles = self.roles.of(caller);
        let roles: Vec<&str> = roles.collect();
        let action = known.action.map(|(_, action)| action);
        let groups = action.map(|action| known.groups_of(action));
        let id = action.map_or(MODEL, |action| &action.id);
        let names = groups.iter().flatten().copied().chain([id]);
        let slices = self.index.find(names, caller, &roles);
        let reads_arguments = |place: &usize| self.index.at(*place).reads_arguments();
        let asks = |of: fn(&Slice) -> bool| slices.iter().any(|place| of(self.index.at(*place)));
        // What their scopes say is met, or they would not be here.
        let principal = match asks(|slice| slice.principals) {
            true => caller.entity(roles.into_iter()),
            false => Entity::with_uid(uid(USER, &caller.principal)),
        };
        let (action, resource) = match known.action {
            Some((place, action)) => {
                let entity = match asks(|slice| slice.actions) {
                    true if known.is_undo => action.entity_in(known.groups_of(action)),
                    true => (self.entities.get(place).cloned()).unwrap_or_else(|| action.entity()),
                    false => Entity::with_uid(action.uid.clone()),
                };
                (entity, action.resource.clone())
            }
            None => (
                Entity::with_uid(uid(ACTION, MODEL)),
                uid(CLIENT, &caller.client),
            ),
        };
        let (by_arguments, others) = slices.into_iter().partition(reads_arguments);
        Query {
            parties: Parties::new(principal, action, resource),
            by_arguments,
            others,
        }
    }

    /// Which policies at these places hold; and why, if the arguments are unfit to be looked at.
    fn ask(
        &self,
        asked: &Query,
        places: &[usize],
        known: &CallFacts<'_>,
    ) -> (Matches, Option<String>) {
        if places.is_empty() {
            return Default::default();
        }
        let slices = places.iter().map(|place| self.index.at(*place));
        let slices: Vec<&Slice> = slices.collect();
        let ask = || {
            let (context, unfit) = context(&slices, known);
            let parties = asked.parties.as_ref();
            let held = parties
                .and_then(|it| it.ask(context, &self.authorizer, &self.rules, &slices))
                .unwrap_or_else(|| {
                    Matches::none_of(&self.rules, &slices, "the request can't be made")
                });
            (held, unfit)
        };
        // On a stack of WebAssembly's, which Cedar takes for used up, there is to be enough all the
        // same.
        let (mut held, unfit) = stacker::maybe_grow(LEFT_BYTES, GIVEN_BYTES, ask);
        let unfit = unfit.map(|unfit| unfit.to_string());
        if let Some(unfit) = &unfit {
            // Without arguments these would not fail, but decide otherwise.
            let rules = slices.iter().flat_map(|slice| slice.rules.iter().copied());
            for number in rules.filter(|number| self.rules[*number].read.asks_for_parts) {
                held.fail(number, unfit, self.rules[number].permits());
            }
        }
        (held, unfit)
    }
}

/// What is decided of a tool that the policies were made without.
fn unknown(act: Act<'_>) -> Decision {
    Decision::denied(format!(
        "the policies don't know the tool `{act}`; Ampoule rebuilds them when a server's tools change"
    ))
}

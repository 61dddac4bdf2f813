//! One request, held against the policies that may concern it.

use std::collections::BTreeMap;

use cedar_policy::{
    AuthorizationError, Authorizer, Context, Entities, Entity, EntityUid, Request, Response,
    RestrictedExpression,
};

use crate::actions::{Action, DESTRUCTIVE, OPEN_WORLD, OUTGOING, READ_ONLY};
use crate::arguments::{ArgumentError, Reading};
use crate::caller::Caller;
use crate::index::Slice;
use crate::needs::Needs;
use crate::rule::Rule;
use crate::run_labels::RunLabels;
use serde_json::Value;

/// Which policies hold, by their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matches {
    /// In order, each once. Those that could not be judged are among them, unless they permit.
    pub(crate) held: Vec<usize>,
    /// Those that could not be judged, and why.
    pub(crate) failed: BTreeMap<usize, String>,
}

/// What is known of a call beforehand, and of one that is made.
pub(crate) struct CallFacts<'a> {
    pub(crate) caller: &'a Caller,
    /// The action, and which one it is; none for giving output to the model.
    pub(crate) action: Option<(usize, &'a Action)>,
    /// Not known of a call that is not made yet.
    pub(crate) arguments: Option<&'a Value>,
    /// Not known of a call that is not made yet.
    pub(crate) labels: Option<&'a RunLabels>,
    /// Whether it takes another call back: then it counts as destructive, whatever its tool says.
    pub(crate) is_undo: bool,
}

impl CallFacts<'_> {
    /// The groups that an action counts among.
    pub(crate) fn groups_of<'a>(&self, action: &'a Action) -> Vec<&'a str> {
        let groups = action.groups.iter().map(|group| &**group);
        if !self.is_undo {
            return groups.collect();
        }
        let mut groups: Vec<&str> = groups.filter(|group| *group != READ_ONLY).collect();
        let mut also = |group| {
            if !groups.contains(&group) {
                groups.push(group);
            }
        };
        also(DESTRUCTIVE);
        if action.groups.contains(OPEN_WORLD) {
            also(OUTGOING);
        }
        groups
    }
}

/// The context of a request: what the policies of these slices read. What is not known is not
/// there, so that a policy that reads it can't be judged.
pub(crate) fn context(
    slices: &[&Slice],
    known: &CallFacts<'_>,
) -> (Context, Option<ArgumentError>) {
    let reads = |name: &str| -> Vec<&Needs> {
        let needs = slices.iter().filter_map(|slice| slice.needs.of(name));
        needs.collect()
    };
    let mut pairs = Vec::new();
    let mut unfit = None;
    let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
    if !reads("client").is_empty() {
        pairs.push(("client".to_owned(), text(&known.caller.client)));
    }
    if !reads("toolkit").is_empty() {
        pairs.push(("toolkit".to_owned(), text(&known.caller.toolkit)));
    }
    if let Some(labels) = known.labels
        && !reads("labels").is_empty()
    {
        let labels = labels.all().map(|(label, _)| text(label));
        pairs.push(("labels".to_owned(), RestrictedExpression::new_set(labels)));
    }
    if let Some((_, action)) = known.action {
        if !reads("hints").is_empty() {
            let hints = hints(action, known.is_undo);
            pairs.extend(hints.map(|hints| ("hints".to_owned(), hints)));
        }
        let needs = reads("arguments");
        if let Some(arguments) = known.arguments
            && !needs.is_empty()
        {
            match Reading::new().record(&action.arguments, arguments, &needs) {
                Ok(arguments) => pairs.push(("arguments".to_owned(), arguments)),
                Err(why) => unfit = Some(why),
            }
        }
    }
    // No name is there twice, and each decimal is one. Should there be no context all the same, no
    // policy is taken to have looked at the arguments.
    let context = match pairs.is_empty() {
        true => Ok(Context::empty()),
        false => Context::from_pairs(pairs),
    };
    let context = context.unwrap_or_else(|error| {
        unfit.get_or_insert_with(|| ArgumentError::unseen(error));
        Context::empty()
    });
    (context, unfit)
}

fn hints(action: &Action, is_undo: bool) -> Option<RestrictedExpression> {
    let (read_only, destructive) = match is_undo {
        true => (action.hints.read_only.map(|_| false), Some(true)),
        false => (action.hints.read_only, action.hints.destructive),
    };
    let hints = [
        ("readOnly", read_only),
        ("destructive", destructive),
        ("idempotent", action.hints.idempotent),
        ("openWorld", action.hints.open_world),
    ];
    let stated = hints.into_iter().filter_map(|(name, hint)| {
        hint.map(|hint| (name.to_owned(), RestrictedExpression::new_bool(hint)))
    });
    RestrictedExpression::new_record(stated).ok()
}

/// Who does what to what, as Cedar has it.
pub(crate) struct Parties {
    principal: EntityUid,
    action: EntityUid,
    resource: EntityUid,
    entities: Entities,
}

impl Parties {
    /// The entities are the principal and the action, each with all that it is in.
    pub(crate) fn new(principal: Entity, action: Entity, resource: EntityUid) -> Option<Self> {
        Some(Self {
            principal: principal.uid(),
            action: action.uid(),
            resource,
            entities: Entities::from_entities([principal, action], None).ok()?,
        })
    }

    /// Which policies of these slices hold; none if it can't be asked.
    pub(crate) fn ask(
        &self,
        context: Context,
        authorizer: &Authorizer,
        rules: &[Rule],
        slices: &[&Slice],
    ) -> Option<Matches> {
        let [principal, action, resource] =
            [&self.principal, &self.action, &self.resource].map(Clone::clone);
        let request = Request::new(principal, action, resource, context, None).ok()?;
        let mut held = Matches::default();
        for slice in slices {
            for set in [&slice.permits, &slice.forbids] {
                if !set.is_empty() {
                    let response = authorizer.is_authorized(&request, set, &self.entities);
                    held.add(&response);
                }
            }
        }
        let failed = held
            .failed
            .keys()
            .filter(|number| !rules[**number].permits());
        held.held.extend(failed);
        held.sort();
        Some(held)
    }
}

impl Matches {
    fn add(&mut self, response: &Response) {
        let told = response.diagnostics();
        // Policies are called by their numbers.
        let number = |id: &cedar_policy::PolicyId| AsRef::<str>::as_ref(id).parse().ok();
        self.held.extend(told.reason().filter_map(number));
        for error in told.errors() {
            let AuthorizationError::PolicyEvaluationError(error) = error;
            if let Some(number) = number(error.policy_id()) {
                self.failed.insert(number, error.inner().to_string());
            }
        }
    }

    fn sort(&mut self) {
        self.held.sort_unstable();
        self.held.dedup();
    }

    /// With what was found out of others.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        self.held.extend(&others.held);
        self.sort();
        let failed = others.failed.iter();
        self.failed
            .extend(failed.map(|(number, why)| (*number, why.clone())));
        self
    }

    /// Whether none holds, and each could be judged.
    pub(crate) fn is_nothing(&self) -> bool {
        self.held.is_empty() && self.failed.is_empty()
    }

    /// All of these, as none can be judged.
    pub(crate) fn none_of(rules: &[Rule], slices: &[&Slice], why: &str) -> Self {
        let mut held = Self::default();
        for &number in slices.iter().flat_map(|slice| &slice.rules) {
            held.fail(number, why, rules[number].permits());
        }
        held
    }

    /// One that could not be judged.
    pub(crate) fn fail(&mut self, number: usize, why: &str, permits: bool) {
        self.failed.insert(number, why.to_owned());
        match (self.held.binary_search(&number), permits) {
            (Err(place), false) => self.held.insert(place, number),
            (Ok(place), true) => drop(self.held.remove(place)),
            _ => {}
        }
    }
}

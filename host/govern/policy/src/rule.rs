//! A policy, with what is known of it.

use std::sync::Arc;

use cedar_policy::pst::{self, ActionConstraint, EntityOrSlot, PrincipalConstraint};
use cedar_policy::{Effect, Policy, PolicyId};

use crate::annotations::{self, Annotations, Obligation};
use crate::cedar::{CedarError, Draft, GROUP, ROLE, USER};
use crate::diagnostic::{Place, PolicyDiagnostic};
use crate::needs::PolicyInputs;

/// Who wrote a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// An operator, in a file.
    File,
    /// A role.
    Role,
    /// The configuration of labels.
    Label,
    /// Nobody: it is there by default.
    Default,
}

/// A policy of Cedar that was made or read, before it is looked at.
pub(crate) struct UncheckedPolicy {
    pub(crate) policy: Policy,
    pub(crate) maker: Author,
    pub(crate) place: Place,
    pub(crate) text: Arc<str>,
    /// Where its text begins in its file, in bytes.
    pub(crate) offset: usize,
    /// Where what Cedar parsed begins in its file, in bytes: the policy, with what is before it.
    pub(crate) base: usize,
}

impl UncheckedPolicy {
    /// One that is made here.
    pub(crate) fn new(draft: &Draft, maker: Author, place: Place) -> Result<Self, CedarError> {
        let policy = draft.policy()?;
        let text = policy.to_cedar().unwrap_or_default();
        Ok(Self {
            policy,
            maker,
            place,
            text: text.into(),
            offset: 0,
            base: 0,
        })
    }
}

/// What a policy does where it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Force {
    /// It allows.
    Permits,
    /// It allows once a person has said so.
    PermitsIfAsked,
    /// It has something done, instead of denying.
    Obliges,
    /// It has a person asked, instead of denying.
    Asks,
    /// It denies.
    Forbids,
}

/// Whose calls a policy is about, as far as its scope says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScopePrincipal {
    Anybody,
    User(String),
    Group(String),
    Role(String),
}

/// A policy, with what is known of it.
pub(crate) struct Rule {
    pub(crate) id: Arc<str>,
    /// Called by its number; what people call it is `id`.
    pub(crate) policy: Policy,
    /// The same without what its scope says of principal and action, which `whose` and `actions`
    /// say: what is left to find out where these are known to be met.
    pub(crate) rest: Policy,
    pub(crate) maker: Author,
    pub(crate) place: Place,
    pub(crate) text: Arc<str>,
    pub(crate) offset: usize,
    pub(crate) base: usize,
    pub(crate) force: Force,
    pub(crate) reason: Option<Arc<str>>,
    pub(crate) obligations: Vec<Obligation>,
    pub(crate) whose: ScopePrincipal,
    /// The actions and groups that its scope names; `None` if it names none.
    pub(crate) actions: Option<Vec<String>>,
    /// Whether its scope says `action ==`.
    pub(crate) one_action: bool,
    pub(crate) read: PolicyInputs,
}

impl Rule {
    /// Looks at a policy. Diagnostics concern its annotations.
    pub(crate) fn of(
        made: UncheckedPolicy,
        number: usize,
    ) -> Result<(Self, Vec<PolicyDiagnostic>), PolicyDiagnostic> {
        let at = || Some(made.place.clone());
        let pst = made.policy.to_pst();
        let pst = pst.map_err(|error| PolicyDiagnostic::error(at(), error.to_string()))?;
        let body = pst.body();
        let whose = whose(&body.principal);
        let rest =
            rest(body, &whose).map_err(|error| PolicyDiagnostic::error(at(), error.to_string()))?;
        let (said, wrong) = annotations::read(&made.policy);
        let force = force(made.policy.effect(), &said);
        let id: Arc<str> = said.id.unwrap_or_else(|| made.place.to_string()).into();
        let wrong = wrong
            .into_iter()
            .map(|why| PolicyDiagnostic::error(at(), why).of(&id));
        let wrong = wrong.collect();
        let rule = Self {
            policy: made.policy.new_id(PolicyId::new(number.to_string())),
            rest: rest.new_id(PolicyId::new(number.to_string())),
            maker: made.maker,
            text: made.text,
            offset: made.offset,
            base: made.base,
            force,
            reason: said.reason.map(Into::into),
            obligations: said.obligations,
            whose,
            actions: actions(&body.action),
            one_action: matches!(body.action, ActionConstraint::Eq(_)),
            read: PolicyInputs::of(body),
            place: made.place,
            id,
        };
        Ok((rule, wrong))
    }

    /// Whether its scope says of the principal what no name does.
    pub(crate) fn limits_principal(&self) -> bool {
        self.rest.principal_constraint() != cedar_policy::PrincipalConstraint::Any
    }

    /// Whether it can allow anything.
    pub(crate) fn permits(&self) -> bool {
        matches!(self.force, Force::Permits | Force::PermitsIfAsked)
    }
}

fn force(effect: Effect, said: &Annotations) -> Force {
    match (effect, said.ask, said.obligations.is_empty()) {
        (Effect::Permit, false, _) => Force::Permits,
        (Effect::Permit, true, _) => Force::PermitsIfAsked,
        (Effect::Forbid, true, _) => Force::Asks,
        (Effect::Forbid, false, false) => Force::Obliges,
        (Effect::Forbid, false, true) => Force::Forbids,
    }
}

/// Whose calls a scope names. What can't be said by a name is left to Cedar.
fn whose(principal: &PrincipalConstraint) -> ScopePrincipal {
    let (entity, within) = match principal {
        PrincipalConstraint::Eq(EntityOrSlot::Entity(entity)) => (entity, false),
        PrincipalConstraint::In(EntityOrSlot::Entity(entity)) => (entity, true),
        PrincipalConstraint::IsIn(ty, EntityOrSlot::Entity(entity)) if ty.to_string() == USER => {
            (entity, true)
        }
        _ => return ScopePrincipal::Anybody,
    };
    let id = entity.eid.to_string();
    match (entity.ty.to_string().as_str(), within) {
        (USER, _) => ScopePrincipal::User(id),
        (GROUP, true) => ScopePrincipal::Group(id),
        (ROLE, true) => ScopePrincipal::Role(id),
        // Nobody is a group.
        _ => ScopePrincipal::Anybody,
    }
}

/// A policy without what is known to be met of its scope.
fn rest(body: &pst::Template, whose: &ScopePrincipal) -> Result<Policy, pst::PstConstructionError> {
    let principal = match whose {
        ScopePrincipal::Anybody => body.principal.clone(),
        _ => PrincipalConstraint::Any,
    };
    let rest = pst::Template::new(
        body.id.clone(),
        body.effect,
        principal,
        ActionConstraint::Any,
        body.resource.clone(),
    );
    let rest = rest.try_with_clauses(body.clauses().iter().cloned())?;
    let rest = pst::StaticPolicy::try_from(rest)?;
    Policy::from_pst(pst::Policy::Static(rest))
}

fn actions(action: &ActionConstraint) -> Option<Vec<String>> {
    let id = |entity: &pst::EntityUID| entity.eid.to_string();
    match action {
        ActionConstraint::Any => None,
        ActionConstraint::Eq(entity) => Some(vec![id(entity)]),
        ActionConstraint::In(entities) => {
            let mut ids: Vec<String> = entities.iter().map(id).collect();
            ids.sort_unstable();
            ids.dedup();
            Some(ids)
        }
    }
}

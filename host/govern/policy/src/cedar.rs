//! What Cedar calls things, and policies as values: no name of anybody's becomes part of a text that
//! is parsed.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use cedar_policy::pst::{
    self, ActionConstraint, BinaryOp, Clause, EntityOrSlot, EntityUID, Expr, Literal, Name,
    PolicyID, PrincipalConstraint, ResourceConstraint, StaticPolicy, Template, Var,
};
use cedar_policy::{EntityId, EntityTypeName, EntityUid, Policy};

pub(crate) const ACTION: &str = "Action";
pub(crate) const CLIENT: &str = "Client";
pub(crate) const GROUP: &str = "Group";
pub(crate) const ROLE: &str = "Role";
pub(crate) const SERVER: &str = "Server";
pub(crate) const USER: &str = "User";

/// The action of giving output to the model.
pub(crate) const MODEL: &str = "model";
/// The group of all tools.
pub(crate) const TOOLS: &str = "*.*";

/// What policies are made into could not be made. That is a mistake of this crate.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct CedarError(String);

pub(crate) fn not_made(error: impl ToString) -> CedarError {
    CedarError(error.to_string())
}

/// The types of entities. To make one of its name, Cedar parses it.
static TYPES: LazyLock<BTreeMap<&str, EntityTypeName>> = LazyLock::new(|| {
    let names = [ACTION, CLIENT, GROUP, ROLE, SERVER, USER];
    let types = names.into_iter().map(|name| (name, name.parse()));
    types
        .filter_map(|(name, ty)| Some((name, ty.ok()?)))
        .collect()
});

/// An entity, as requests have it. `ty` is one of the types above.
pub(crate) fn uid(ty: &str, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(TYPES[ty].clone(), EntityId::new(id))
}

/// An entity, as policies have it.
fn named(ty: &str, id: &str) -> Result<EntityUID, CedarError> {
    let name = Name::unqualified(ty).map_err(not_made)?;
    Ok(EntityUID {
        ty: pst::EntityType::from_name(name),
        eid: id.into(),
    })
}

/// A policy that is made here and not by whoever writes files.
pub(crate) struct Draft {
    pub(crate) permits: bool,
    /// Whose calls; everybody's if there is none.
    pub(crate) role: Option<String>,
    /// Tools and groups of tools; every action if there are none.
    pub(crate) actions: Vec<String>,
    /// Groups of which what is done must be one.
    pub(crate) among: Vec<String>,
    /// Groups of which it must not.
    pub(crate) except: Vec<String>,
    /// Labels of which the run must have one.
    pub(crate) labels: Vec<String>,
    pub(crate) annotations: Vec<(&'static str, String)>,
}

impl Draft {
    pub(crate) fn new(permits: bool, id: &str) -> Self {
        Self {
            permits,
            role: None,
            actions: Vec::new(),
            among: Vec::new(),
            except: Vec::new(),
            labels: Vec::new(),
            annotations: vec![("id", id.to_owned())],
        }
    }

    pub(crate) fn policy(&self) -> Result<Policy, CedarError> {
        let effect = match self.permits {
            true => pst::Effect::Permit,
            false => pst::Effect::Forbid,
        };
        let principal = match &self.role {
            Some(role) => PrincipalConstraint::In(EntityOrSlot::Entity(named(ROLE, role)?)),
            None => PrincipalConstraint::Any,
        };
        let actions = self.actions.iter().map(|action| named(ACTION, action));
        let mut actions: Vec<EntityUID> = actions.collect::<Result<_, _>>()?;
        let action = match actions.len() {
            0 => ActionConstraint::Any,
            1 if self.actions[0] == MODEL => ActionConstraint::Eq(actions.remove(0)),
            _ => ActionConstraint::In(actions),
        };
        let id = PolicyID("made".into());
        let mut clauses = Vec::new();
        if !self.among.is_empty() {
            clauses.push(Clause::When(action_in(&self.among)?));
        }
        if !self.labels.is_empty() {
            clauses.push(Clause::When(labelled(&self.labels)));
        }
        if !self.except.is_empty() {
            clauses.push(Clause::Unless(action_in(&self.except)?));
        }
        let annotations = self.annotations.iter();
        let annotations: BTreeMap<_, _> = annotations
            .map(|(name, value)| ((*name).to_owned(), value.as_str().into()))
            .collect();
        let template = Template::new(id, effect, principal, action, ResourceConstraint::Any)
            .with_annotations(annotations)
            .try_with_clauses(clauses)
            .map_err(not_made)?;
        let policy = StaticPolicy::try_from(template).map_err(not_made)?;
        Policy::from_pst(pst::Policy::Static(policy)).map_err(not_made)
    }
}

fn action_in(groups: &[String]) -> Result<Arc<Expr>, CedarError> {
    let literal = |group: &String| {
        Ok(Arc::new(Expr::Literal(Literal::EntityUID(named(
            ACTION, group,
        )?))))
    };
    let groups = groups.iter().map(literal).collect::<Result<_, _>>()?;
    Ok(binary(
        BinaryOp::In,
        Expr::Var(Var::Action),
        Expr::Set(groups),
    ))
}

fn labelled(labels: &[String]) -> Arc<Expr> {
    let of_run = Expr::GetAttr {
        expr: Arc::new(Expr::Var(Var::Context)),
        attr: "labels".into(),
    };
    let literal = |label: &String| Expr::Literal(Literal::String(label.as_str().into()));
    match labels {
        [label] => binary(BinaryOp::Contains, of_run, literal(label)),
        labels => {
            let labels = labels.iter().map(|label| Arc::new(literal(label)));
            binary(BinaryOp::ContainsAny, of_run, Expr::Set(labels.collect()))
        }
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Arc<Expr> {
    Arc::new(Expr::BinaryOp {
        op,
        left: Arc::new(left),
        right: Arc::new(right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_a_policy_that_cedar_reads_back_the_same() {
        let mut draft = Draft::new(false, "odd \"id\"\n");
        draft.role = Some("a\"); permit(principal, action, resource); //".into());
        draft.actions = vec!["x.\"y\n".into(), "github.*".into()];
        draft.labels = vec!["l\\\"".into(), "m".into()];
        draft.except = vec!["read-only".into()];
        let policy = draft.policy().unwrap();
        let text = policy.to_cedar().unwrap();
        let read: cedar_policy::PolicySet = text.parse().unwrap();
        let [read] = read.policies().collect::<Vec<_>>()[..] else {
            panic!("{text}")
        };
        assert!(
            text.contains(r#"context.labels.containsAny(["l\\\"", "m"])"#),
            "{text}"
        );
        assert_eq!(read.annotation("id"), Some("odd \"id\"\n"));
        assert_eq!(read.action_constraint(), policy.action_constraint());
        assert_eq!(read.principal_constraint(), policy.principal_constraint());
    }
}

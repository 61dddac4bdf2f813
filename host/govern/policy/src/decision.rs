//! What policies come to.

use std::sync::Arc;

use crate::annotations::Obligation;
use crate::evaluate::Matches;
use crate::rule::{Force, Rule};

/// What policies say to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether it may be done.
    pub effect: Effect,
    /// The ids of the policies that decide, in the order of their sources; none if nothing permits
    /// it, or no policy is there.
    pub by: Vec<Arc<str>>,
    /// Why, for whoever asked: what the policy's `@reason` says. Always there unless it is allowed.
    pub reason: Option<String>,
    /// What has to be done with it if it goes on.
    pub obligations: Vec<Duty>,
}

/// Whether something may be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It may.
    Allow,
    /// It may not.
    Deny,
    /// It may once a person has said so.
    Ask,
}

/// What has to be done, and which policy says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duty {
    /// What.
    pub obligation: Obligation,
    /// The policy's id.
    pub by: Arc<str>,
}

impl std::fmt::Display for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
        })
    }
}

impl Decision {
    /// What holds where there are no policies.
    pub(crate) fn free() -> Self {
        Self {
            effect: Effect::Allow,
            by: Vec::new(),
            reason: None,
            obligations: Vec::new(),
        }
    }

    /// What nothing allows.
    pub(crate) fn denied(reason: String) -> Self {
        Self {
            effect: Effect::Deny,
            by: Vec::new(),
            reason: Some(reason),
            obligations: Vec::new(),
        }
    }

    /// What the policies that concern a request come to. One that could not be judged stands as if
    /// it held, unless it would allow something. `unfit` says why, if the arguments are why.
    pub(crate) fn of(rules: &[Rule], held: &Matches, unfit: Option<&str>, act: &str) -> Self {
        let with = |force: Force| -> Vec<usize> {
            let rules = held
                .held
                .iter()
                .filter(|number| rules[**number].force == force);
            rules.copied().collect()
        };
        let forbids = with(Force::Forbids);
        if !forbids.is_empty() {
            return Self::made(Effect::Deny, rules, &forbids, &[], held, unfit, act);
        }
        let (plain, asked) = (with(Force::Permits), with(Force::PermitsIfAsked));
        let (asks, obliges) = (with(Force::Asks), with(Force::Obliges));
        let permits = if plain.is_empty() { &asked } else { &plain };
        if permits.is_empty() {
            return Self::denied(match unfit {
                Some(unfit) => {
                    format!("no policy permits `{act}`, as far as can be judged: {unfit}")
                }
                None => format!("no policy permits `{act}`"),
            });
        }
        let obliging = [permits.as_slice(), &asks, &obliges].concat();
        let (effect, by) = match (asks.is_empty(), plain.is_empty()) {
            (false, _) => (Effect::Ask, asks),
            (true, true) => (Effect::Ask, asked),
            (true, false) => (Effect::Allow, [plain.as_slice(), &obliges].concat()),
        };
        Self::made(effect, rules, &by, &obliging, held, unfit, act)
    }

    fn made(
        effect: Effect,
        rules: &[Rule],
        by: &[usize],
        obliging: &[usize],
        held: &Matches,
        unfit: Option<&str>,
        act: &str,
    ) -> Self {
        let mut by = by.to_vec();
        by.sort_unstable();
        let stated = by
            .iter()
            .find_map(|&number| rules[number].reason.as_deref());
        let unjudged = by.iter().find_map(|number| held.failed.get(number));
        let reason = match (effect, unjudged, stated) {
            (Effect::Allow, ..) => None,
            (_, Some(why), _) => {
                let why = unfit.unwrap_or(why);
                let stated = stated.map(|stated| format!(" ({stated})"));
                Some(format!(
                    "a policy could not be judged: {why}{}",
                    stated.unwrap_or_default()
                ))
            }
            (_, None, Some(stated)) => Some(stated.to_owned()),
            (Effect::Ask, ..) => Some(format!("a person has to agree to `{act}`")),
            (Effect::Deny, ..) => Some(format!("a policy forbids `{act}`")),
        };
        let mut obliging = obliging.to_vec();
        obliging.sort_unstable();
        let duties = obliging.iter().flat_map(|&number| {
            let rule = &rules[number];
            rule.obligations.iter().map(|obligation| Duty {
                obligation: obligation.clone(),
                by: Arc::clone(&rule.id),
            })
        });
        Self {
            effect,
            by: by
                .iter()
                .map(|&number| Arc::clone(&rules[number].id))
                .collect(),
            reason,
            obligations: duties.collect(),
        }
    }
}

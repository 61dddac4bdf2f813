//! Files of cases: what policies should say to some requests. For `ampoule policy test`.
//!
//! ```toml
//! [[case]]
//! name = "nobody deletes outside of the sandbox"
//! principal = "alice"
//! groups = ["support"]
//! client = "cursor"
//! call = "github.delete_repository"
//! arguments = { owner = "acme", repo = "shop" }
//! labels = ["untrusted"]
//! expect = "deny"
//! by = "no-deletes"
//! ```

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::caller::{ActText, Caller, Request};
use crate::decision::{Decision, Effect};
use crate::diagnostic::{Lines, Place, PolicyDiagnostic, PolicyError};
use crate::policies::Policies;
use crate::run_labels::{LabelOrigin, RunLabels};

/// How many cases a file may have.
const MOST: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(default)]
    case: Vec<toml::Spanned<Case>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: Option<String>,
    principal: String,
    #[serde(default)]
    groups: Vec<Arc<str>>,
    #[serde(default)]
    client: String,
    #[serde(default)]
    toolkit: String,
    call: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(default)]
    labels: Vec<Arc<str>>,
    expect: Expectation,
    by: Option<String>,
}

/// What is expected: what is decided, or that the tool does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expectation {
    Allow,
    Deny,
    Ask,
    Absent,
}

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseResult {
    /// The case's name; its call, if it has none.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// What is decided.
    pub decision: Decision,
    /// Why that is not what was expected; `None` if it is.
    pub failure: Option<String>,
}

/// Tries all cases of a file, each by itself.
///
/// # Errors
///
/// What can't be read of the file.
pub fn try_cases(
    policies: &Policies,
    name: &str,
    text: &str,
) -> Result<Vec<CaseResult>, PolicyError> {
    let (name, lines): (Arc<str>, _) = (name.into(), Lines::of(text));
    let at = |span: Option<Range<usize>>| {
        let offset = span.map_or(0, |span| span.start);
        Place::in_file(&name, &lines, offset)
    };
    let wrong = |place, told: String| PolicyError(vec![PolicyDiagnostic::error(Some(place), told)]);
    let cases: Cases = toml::from_str(text)
        .map_err(|error| wrong(at(error.span()), error.message().to_owned()))?;
    if cases.case.len() > MOST {
        let told = format!("there are {} cases; there may be {MOST}", cases.case.len());
        return Err(wrong(at(None), told));
    }
    let mut results = Vec::new();
    for case in cases.case {
        let place = at(Some(case.span()));
        let case = case.into_inner();
        let written = ActText::new(&case.call, Value::Object(case.arguments.clone()));
        let written = written.map_err(|error| wrong(place.clone(), error.to_string()))?;
        results.push(case.tried(policies, &written, place));
    }
    Ok(results)
}

impl Case {
    fn tried(&self, policies: &Policies, written: &ActText, place: Place) -> CaseResult {
        let caller = Caller {
            principal: self.principal.as_str().into(),
            groups: self.groups.clone(),
            client: self.client.as_str().into(),
            toolkit: self.toolkit.as_str().into(),
        };
        let mut labels = RunLabels::new();
        for label in &self.labels {
            labels.rise(label, || LabelOrigin {
                call: None,
                from: "the case".into(),
            });
        }
        let act = written.act();
        let request = Request {
            caller: &caller,
            act,
            labels: &labels,
        };
        let decision = policies.decide(&request);
        let exists = match act {
            crate::Act::Model => true,
            crate::Act::Call { server, tool, .. } => policies.may_ever(&caller, server, tool),
        };
        CaseResult {
            name: self.name.clone().unwrap_or_else(|| self.call.clone()),
            place,
            failure: self.failure(&decision, exists),
            decision,
        }
    }

    fn failure(&self, decision: &Decision, exists: bool) -> Option<String> {
        let expected = match self.expect {
            Expectation::Allow => Effect::Allow,
            Expectation::Deny => Effect::Deny,
            Expectation::Ask => Effect::Ask,
            Expectation::Absent if exists => {
                return Some("the tool exists for this principal".to_owned());
            }
            Expectation::Absent => return None,
        };
        let by = decision.by.join("`, `");
        if decision.effect != expected {
            let reason = decision.reason.as_deref();
            let reason = reason
                .map(|reason| format!(": {reason}"))
                .unwrap_or_default();
            return Some(format!(
                "expected {expected}, but it is {} by `{by}`{reason}",
                decision.effect
            ));
        }
        let expected = self.by.as_deref()?;
        let is_by = decision.by.iter().any(|id| **id == *expected);
        (!is_by).then(|| format!("expected to be decided by `{expected}`, but it is by `{by}`"))
    }
}

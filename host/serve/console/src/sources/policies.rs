//! Policies: what holds, and what they say of a case.

use std::sync::Arc;

use ampoule::governance::Governance;
use ampoule_policy::{
    ActText, Caller, ConsideredPolicy as PolicyFinding, Explanation, LabelOrigin as RunLabelOrigin,
    RunLabels, Verdict,
};

use crate::model::{
    ConsideredPolicy, LabelOrigin, PolicyCase, PolicyOverview, PolicyProblem, PolicyResult, Viewer,
};
use crate::{Console, ConsoleError};

impl Console {
    /// The policies that hold. Their texts are for operators.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Conflict`] if the configuration can't be read at the moment.
    pub async fn policies(&self, viewer: &Viewer) -> Result<PolicyOverview, ConsoleError> {
        let governance = self.sources().runtime().governance();
        let is_operator = viewer.is_operator();
        let warnings = governance.filter(|_| is_operator).map(Governance::warnings);
        let problem = |message: String| PolicyProblem {
            severity: "warning".to_owned(),
            place: None,
            message,
        };
        Ok(PolicyOverview {
            any: governance.is_some_and(Governance::has_policies),
            fingerprint: governance.map(Governance::fingerprint).unwrap_or_default(),
            cedar: governance.filter(|_| is_operator).map(Governance::to_cedar),
            roles: match is_operator {
                true => self.settings().await?.roles,
                false => Vec::new(),
            },
            problems: warnings
                .unwrap_or_default()
                .into_iter()
                .map(problem)
                .collect(),
        })
    }

    /// What the policies say of a case, and why. Viewers who are not operators ask about themselves,
    /// and learn the decision and its reason, not the texts of policies.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`] for a case of another principal; [`ConsoleError::Invalid`] if the
    /// call can't be read.
    pub fn test_policy(
        &self,
        viewer: &Viewer,
        case: &PolicyCase,
    ) -> Result<PolicyResult, ConsoleError> {
        let principal = case.principal.as_deref().filter(|name| !name.is_empty());
        let is_own = principal.is_none_or(|name| name == viewer.name());
        if !viewer.is_operator() && (!is_own || !case.groups.is_empty()) {
            return Err(ConsoleError::OperatorsOnly);
        }
        let act: ActText = case
            .call
            .parse()
            .map_err(|problem: ampoule_policy::ActError| {
                ConsoleError::Invalid(problem.to_string())
            })?;
        let mut labels = RunLabels::new();
        for label in &case.labels {
            labels.rise(&label.as_str().into(), || RunLabelOrigin {
                call: None,
                from: "the case".into(),
            });
        }
        let own_groups = viewer.owner().filter(|_| is_own).map(|it| it.groups());
        let groups: Vec<Arc<str>> = match case.groups.is_empty() {
            true => own_groups.unwrap_or_default().to_vec(),
            false => case.groups.iter().map(|it| it.as_str().into()).collect(),
        };
        let caller = Caller {
            principal: principal.unwrap_or(viewer.name()).into(),
            groups,
            client: case.client.as_deref().unwrap_or_default().into(),
            toolkit: case.toolkit.as_deref().unwrap_or_default().into(),
        };
        let governance = self.sources().runtime().governance();
        let governance = governance.filter(|it| it.has_policies());
        let Some(governance) = governance else {
            return Ok(everything());
        };
        let explanation = governance.explain(&caller, act.act(), &labels);
        Ok(result(&explanation, viewer.is_operator()))
    }
}

/// Where no policy is configured.
fn everything() -> PolicyResult {
    PolicyResult {
        decision: "allow".to_owned(),
        exists: true,
        by: Vec::new(),
        reason: Some(
            "no policy is configured, so everything that is granted is allowed".to_owned(),
        ),
        obligations: Vec::new(),
        labels: Vec::new(),
        considered: Vec::new(),
        explanation: String::new(),
    }
}

fn result(explanation: &Explanation, with_texts: bool) -> PolicyResult {
    let decision = &explanation.decision;
    let effect = serde_json::to_value(decision.effect).unwrap_or_default();
    let labels = explanation.labels.iter().map(|(label, read)| LabelOrigin {
        label: label.to_string(),
        from: read.from.to_string(),
    });
    let considered = explanation.considered.iter().filter(|_| with_texts);
    PolicyResult {
        decision: effect.as_str().unwrap_or_default().to_owned(),
        exists: explanation.exists,
        by: decision.by.iter().map(ToString::to_string).collect(),
        reason: decision.reason.as_deref().map(ToOwned::to_owned),
        obligations: decision
            .obligations
            .iter()
            .map(|duty| duty.obligation.to_string())
            .collect(),
        labels: labels.collect(),
        considered: considered.map(policy).collect(),
        explanation: match with_texts {
            true => explanation.to_string(),
            false => String::new(),
        },
    }
}

fn policy(one: &PolicyFinding) -> ConsideredPolicy {
    ConsideredPolicy {
        id: one.id.to_string(),
        place: one.place.to_string(),
        verdict: match &one.verdict {
            Verdict::Holds => "holds",
            Verdict::DoesNot => "does-not",
            Verdict::Failed(_) => "failed",
        }
        .to_owned(),
        decides: one.decides,
        text: one.text.to_string(),
    }
}

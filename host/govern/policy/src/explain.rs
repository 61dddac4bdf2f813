//! Which policies decide a request, and why.

use std::fmt;
use std::sync::Arc;

use ampoule_untrusted::text;

use crate::caller::Request;
use crate::decision::Decision;
use crate::diagnostic::Place;
use crate::evaluation::Evaluation;
use crate::policies::Policies;
use crate::run_labels::LabelOrigin;

/// A decision, with everything that was considered. Displays as text of several lines for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What was decided.
    pub decision: Decision,
    /// The policies whose scopes concern the request, in the order of their sources.
    pub considered: Vec<ConsideredPolicy>,
    /// The run's labels, with what put them there.
    pub labels: Vec<(Arc<str>, LabelOrigin)>,
    /// What a caller sees of the tool: false if it does not exist for them.
    pub exists: bool,
}

/// A policy that was considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsideredPolicy {
    /// The policy's id.
    pub id: Arc<str>,
    /// Where it stands.
    pub place: Place,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Whether the decision is by it.
    pub decides: bool,
    /// It, with its annotations, as Cedar.
    pub text: Arc<str>,
    /// Those of the run's labels that it looks for.
    pub labels: Vec<Arc<str>>,
}

/// Whether a policy holds for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// Its scope does not include this, or its conditions are not met.
    DoesNot,
    /// It could not be judged; this is why. Unless it permits, it stands as if it held.
    Failed(String),
}

impl Policies {
    /// What is decided, and why.
    pub fn explain(&self, request: &Request<'_>) -> Explanation {
        let Evaluation {
            decision,
            held,
            considered,
        } = self.weigh(request);
        let exists = match request.act {
            crate::Act::Model => true,
            crate::Act::Call { server, tool, .. } => self.may_ever(request.caller, server, tool),
        };
        let considered = considered.into_iter().map(|number| {
            let rule = &self.rules[number];
            let verdict = match held.failed.get(&number) {
                Some(why) => Verdict::Failed(why.clone()),
                None if held.held.binary_search(&number).is_ok() => Verdict::Holds,
                None => Verdict::DoesNot,
            };
            let labels = request.labels.all().map(|(label, _)| label);
            let looked_for =
                |label: &&Arc<str>| rule.read.labels.iter().any(|one| **one == ***label);
            ConsideredPolicy {
                decides: decision.by.contains(&rule.id),
                id: Arc::clone(&rule.id),
                place: rule.place.clone(),
                verdict,
                text: Arc::clone(&rule.text),
                labels: labels.filter(looked_for).cloned().collect(),
            }
        });
        let labels = request.labels.all();
        Explanation {
            considered: considered.collect(),
            labels: labels
                .map(|(label, read)| (Arc::clone(label), read.clone()))
                .collect(),
            decision,
            exists,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.decision.effect)?;
        if let Some(reason) = &self.decision.reason {
            write!(f, ": {}", text::one_line(reason))?;
        }
        writeln!(f)?;
        for duty in &self.decision.obligations {
            let told = duty.obligation.to_string();
            writeln!(
                f,
                "  {}, by `{}`",
                text::one_line(&told),
                text::one_line(&duty.by)
            )?;
        }
        if !self.exists {
            writeln!(
                f,
                "  the tool does not exist for this principal: no call of it would be allowed"
            )?;
        }
        let deciding = self.considered.iter().filter(|one| one.decides);
        for one in deciding {
            write!(f, "\n{one}")?;
            for (label, read) in &self.labels {
                if one.labels.contains(label) {
                    writeln!(f, "  the label `{}` is from {read}", text::one_line(label))?;
                }
            }
        }
        let others: Vec<&ConsideredPolicy> =
            self.considered.iter().filter(|one| !one.decides).collect();
        if !others.is_empty() {
            writeln!(f, "\nconsidered too:")?;
        }
        for one in others {
            writeln!(
                f,
                "  {}: `{}` {}",
                one.place,
                text::one_line(&one.id),
                one.verdict
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for ConsideredPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: `{}` {}",
            self.place,
            text::one_line(&self.id),
            self.verdict
        )?;
        for line in text::visible(&self.text).lines() {
            writeln!(f, "  | {line}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::DoesNot => f.write_str("does not hold"),
            Self::Failed(why) => write!(f, "can't be judged: {}", text::one_line(why)),
        }
    }
}

//! What the audit log records of a run.

use std::sync::Arc;

use ampoule_approvals::{AnswerSource, Answerer, Approval, Reach};
use ampoule_audit::{
    Answer, CallAsked, CallEnded, CallOutcome, Decision, Event, Name, RunEnded, RunStarted,
    Session, Verdict, WrittenArguments,
};
use ampoule_policy::RunLabels;
use ampoule_projection::names::server_and_account;
use ampoule_tools::{Account, Call, CallError, ToolResult};

use crate::facts::{EndFacts, RunFacts};

/// What a run's events begin with.
#[derive(Debug, Clone)]
pub(crate) struct RunIdentity {
    pub(crate) run: Name,
    pub(crate) principal: Option<Name>,
    script: Name,
}

/// What policies said, and which.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PolicyStatement<'s> {
    pub(crate) verdict: Verdict,
    pub(crate) by: Option<&'s Name>,
    pub(crate) fingerprint: &'s str,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The number of the call, if it is one.
    pub(crate) call: Option<u32>,
    pub(crate) server: &'a Arc<str>,
    pub(crate) tool: &'a Arc<str>,
}

impl<'a> Subject<'a> {
    /// A call.
    pub(crate) fn of(call: &'a Call) -> Self {
        Self {
            call: Some(call.number),
            server: &call.server,
            tool: &call.tool,
        }
    }
}

impl RunIdentity {
    pub(crate) fn of(facts: &RunFacts) -> Self {
        Self {
            run: facts.id.to_string().into(),
            principal: facts.principal.as_ref().map(|it| Arc::clone(it.name())),
            script: Arc::clone(&facts.script),
        }
    }

    pub(crate) fn started(&self, facts: &RunFacts) -> Event {
        Event::RunStarted(RunStarted {
            run: Arc::clone(&self.run),
            principal: self.principal.clone(),
            client: facts.client.clone(),
            toolkit: facts.toolkit.clone(),
            language: Arc::clone(&facts.language),
            script: Arc::clone(&facts.script),
            session: facts.session.clone(),
            tools: facts.tools,
            undoes: facts.undoes.map(|run| run.to_string().into()),
        })
    }

    pub(crate) fn ended(&self, ended: &EndFacts, labels: &RunLabels) -> Event {
        Event::RunEnded(RunEnded {
            run: Arc::clone(&self.run),
            principal: self.principal.clone(),
            script: Arc::clone(&self.script),
            outcome: Arc::clone(&ended.outcome),
            limit: ended.limit.clone(),
            fuel: ended.fuel,
            took_us: micros(ended.took),
            calls: ended.calls,
            bytes: ended.bytes,
            tokens: ended.model_tokens,
            direct_tokens: ended.direct_tokens,
            labels: names(labels),
        })
    }

    /// It is about to leave a session so.
    pub(crate) fn left(&self, name: &str, action: &str, number: u64) -> Event {
        Event::Session(Session {
            action: action.into(),
            name: name.into(),
            principal: self.principal.clone(),
            run: Some(Arc::clone(&self.run)),
            number: Some(number),
            ..Session::default()
        })
    }

    /// A call is about to leave.
    pub(crate) fn asked(
        &self,
        call: &Call,
        arguments: WrittenArguments,
        said: PolicyStatement<'_>,
        labels: &RunLabels,
    ) -> Event {
        Event::CallAsked(CallAsked {
            run: Arc::clone(&self.run),
            call: u64::from(call.number),
            principal: self.principal.clone(),
            server: Arc::clone(&call.server),
            tool: Arc::clone(&call.tool),
            arguments,
            decision: said.verdict,
            policy: said.by.cloned(),
            fingerprint: fingerprint(said.fingerprint),
            labels: names(labels),
        })
    }

    /// What a call came to.
    pub(crate) fn came_to(&self, call: &Call, ended: CallEnd) -> Event {
        Event::CallEnded(CallEnded {
            run: Arc::clone(&self.run),
            call: u64::from(call.number),
            principal: self.principal.clone(),
            server: Arc::clone(&call.server),
            tool: Arc::clone(&call.tool),
            outcome: ended.outcome,
            account: account(&call.server, ended.account),
            bytes: ended.bytes,
            took_us: micros(ended.took),
        })
    }

    /// What was decided, where that is more than to let a call pass.
    pub(crate) fn decided(
        &self,
        subject: Subject<'_>,
        said: PolicyStatement<'_>,
        reason: &str,
    ) -> Event {
        Event::Decision(Decision {
            run: Arc::clone(&self.run),
            call: subject.call.map(u64::from),
            principal: self.principal.clone(),
            server: Arc::clone(subject.server),
            tool: Arc::clone(subject.tool),
            decision: said.verdict,
            policy: said.by.cloned(),
            fingerprint: fingerprint(said.fingerprint),
            reason: Some(reason.into()),
        })
    }

    /// A person allowed it.
    pub(crate) fn allowed(&self, granted: &Approval) -> Event {
        Event::Answer(Answer {
            question: granted.question.to_string().into(),
            run: Some(Arc::clone(&self.run)),
            by: Some(granted.by.who.as_str().into()),
            how: how(granted.by.how).into(),
            answer: "allowed".into(),
            holds: match granted.reach {
                Reach::Once => None,
                Reach::Run => Some("run".into()),
                Reach::Session => Some("session".into()),
            },
            digest: None,
        })
    }

    /// A person did not.
    pub(crate) fn denied(&self, by: &Answerer) -> Event {
        Event::Answer(Answer {
            run: Some(Arc::clone(&self.run)),
            by: Some(by.who.as_str().into()),
            how: how(by.how).into(),
            answer: "denied".into(),
            ..Answer::default()
        })
    }
}

fn names(labels: &RunLabels) -> Vec<Name> {
    labels.all().map(|(label, _)| Arc::clone(label)).collect()
}

fn fingerprint(text: &str) -> Option<Name> {
    (!text.is_empty()).then(|| text.into())
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn how(how: AnswerSource) -> &'static str {
    match how {
        AnswerSource::Dialogue => "dialogue",
        AnswerSource::Page => "page",
        AnswerSource::Console => "console",
        AnswerSource::CommandLine => "command-line",
        AnswerSource::Webhook => "webhook",
    }
}

/// Whose account the server saw: the name that the configuration has for it, where a server has
/// several, and what kind of sign-in it is of.
fn account(server: &str, signed_in: Option<Account>) -> Option<Arc<str>> {
    let (_, named) = server_and_account(server);
    match (named, signed_in) {
        (Some(named), Some(Account::Principal)) => {
            Some(format!("{named}/{}", Account::Principal.name()).into())
        }
        (Some(named), _) => Some(named.into()),
        (None, signed_in) => signed_in.map(|account| account.name().into()),
    }
}

/// How a call ended.
pub(crate) struct CallEnd {
    pub(crate) outcome: CallOutcome,
    /// Whose account the server saw, if somebody signed in to it.
    pub(crate) account: Option<Account>,
    pub(crate) bytes: u64,
    pub(crate) took: std::time::Duration,
}

/// What a call came to, in a word.
pub(crate) fn outcome_of(answer: &Result<ToolResult, CallError>) -> CallOutcome {
    match answer {
        Ok(result) if result.is_error => CallOutcome::ToolFailed,
        Ok(_) => CallOutcome::Answered,
        Err(CallError::NotReached(_)) => CallOutcome::NotReached,
        Err(CallError::NeedsSignIn(_)) => CallOutcome::NeedsSignIn,
        Err(CallError::Denied(_)) => CallOutcome::Denied,
        Err(CallError::Arguments(_) | CallError::Refused(_)) => CallOutcome::Refused,
        Err(CallError::TimedOut(_)) => CallOutcome::TimedOut,
        Err(CallError::Cancelled(_)) => CallOutcome::Cancelled,
        Err(CallError::Lost(_)) => CallOutcome::Lost,
        Err(CallError::Protocol(_)) => CallOutcome::Protocol,
        Err(CallError::ResultTooLarge { .. }) => CallOutcome::ResultTooLarge,
        Err(_) => CallOutcome::Other,
    }
}

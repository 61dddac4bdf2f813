//! From code to an active run.

use std::sync::Arc;
use std::time::Duration;

use ampoule::{Error, Grant, Limits, Trace};
use ampoule_effort::Effort;
use ampoule_telemetry::RunOf;
use serde::Deserialize;

use super::asking::link::ClientLink;
use super::asking::question::Questions;
use super::asking::respondent::RunRespondent;
use super::asking::route::{AskRoute, AskRoutes};
use super::asking::run_client::RunClient;
use super::call_notes::CallNotes;
use super::code::{CodeKind, RunnableCode};
use super::finish::StartedRun;
use super::handle::{RunHandle, RunReports};
use super::lines::Lines;
use super::progress::{Progress, ToolProgress};
use super::registry::{CallCount, RunDescription};
use super::requester::Requester;
use super::service::{Runs, Shared};
use super::stored_output::StoredOutput;
use super::telemetry;

/// A run that is about to be started.
pub(crate) struct NewRun<'a> {
    /// What it may call.
    pub(crate) grant: Grant,
    pub(crate) code: RunnableCode,
    /// The code, as its client sent it.
    pub(crate) text: &'a str,
    pub(crate) options: RunOptions,
    pub(crate) requester: Requester,
    pub(crate) routes: AskRoutes,
    pub(crate) progress: Progress,
    /// Where the progress of calls goes, if the client wants it.
    pub(crate) tool_progress: Option<ToolProgress>,
    pub(crate) lines: Lines,
    /// Where it belongs in a trace.
    pub(crate) trace: Option<&'a Trace>,
}

/// A client's settings for a run.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    /// What it may use. Default: the operator's limits.
    pub(crate) limits: Option<Limits>,
    /// Seconds until it is stopped. Default: the operator's limit.
    pub(crate) timeout: Option<f64>,
    /// The session that it is a run of.
    pub(crate) session: Option<String>,
    /// Which of its ends are kept in the session.
    pub(crate) keep: SessionKeep,
    /// An app calls, and not a model.
    pub(crate) of_app: bool,
    /// The client gets what the run gives as it is, and no report of it.
    pub(crate) gives_value: bool,
}

/// Which ends of a run are kept in its session.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SessionKeep {
    /// That by itself.
    #[default]
    Returned,
    /// That, and an error that it threw.
    Always,
}

impl Runs {
    /// How a new run's client is asked: by this link, or through the request that waits for the
    /// run.
    pub(crate) fn routes(&self, link: Option<Arc<ClientLink>>) -> AskRoutes {
        let (later, questions) = Questions::channel(self.form);
        let now = match link {
            Some(link) => AskRoute::Request(link),
            None => AskRoute::Waiter(later.clone()),
        };
        AskRoutes {
            now,
            later,
            questions,
        }
    }

    /// Starts a run.
    ///
    /// # Errors
    ///
    /// Those of [`Isolate::start`](ampoule::Isolate::start), and a request error where the timeout is
    /// not a number of seconds.
    pub(crate) async fn start(&self, new: NewRun<'_>) -> Result<RunHandle, Error> {
        let Shared { runtime, .. } = &*self.shared;
        let NewRun {
            grant,
            code: RunnableCode { isolate, kind },
            text,
            options,
            requester,
            routes,
            progress,
            tool_progress,
            lines,
            trace,
        } = new;
        let AskRoutes {
            now,
            later,
            questions,
        } = routes;
        let notes = CallNotes::default();
        let respondent = RunRespondent {
            route: now.clone(),
            abilities: requester.abilities,
            tool_progress,
            lines: lines.clone(),
            notes: matches!(kind, CodeKind::Call).then(|| notes.clone()),
        };
        let mut limits = options.limits.unwrap_or(*runtime.limits());
        if let Some(seconds) = options.timeout {
            limits.wall_time = Duration::try_from_secs_f64(seconds).map_err(|_| {
                Error::request(format!(
                    "timeout_seconds must be a number of seconds, not {seconds}"
                ))
            })?;
        }
        let calls = CallCount::default();
        let (mut hears, mut counts) = (progress.listener(), calls.listener());
        let mut isolate =
            isolate
                .limits(limits)?
                .respondent(respondent)
                .on_event(move |happened| {
                    hears(happened);
                    counts(&happened.event);
                });
        if let Some(session) = options.session {
            isolate = isolate.session(session);
        }
        if self.previews {
            isolate = isolate.preview();
        }
        if options.keep == SessionKeep::Always {
            isolate = isolate.keep_always();
        }
        if let Some(principal) = &requester.principal {
            isolate = isolate.principal(principal.clone());
        }
        if let Some(name) = &requester.client {
            isolate = isolate.client(name.clone());
        }
        let (principal, client) = (requester.principal.as_ref(), requester.client.as_deref());
        let toolkit = grant.toolkit().map(|toolkit| Arc::clone(toolkit.name()));
        let mut told = self.telemetry.run(RunOf {
            language: kind.name(),
            principal,
            client,
            toolkit: toolkit.as_deref(),
            within: trace,
        });
        if let Some(trace) = told.trace() {
            isolate = isolate.trace(trace);
        }
        // Before the first of its calls asks a person.
        let registration = self.dialogues.as_ref().map(|dialogues| {
            let client = RunClient::new(&requester, now, later);
            dialogues.register(isolate.id(), client)
        });
        progress.approval.set_run(isolate.id());
        let seen = grant.clone();
        let mut grant = match options.of_app {
            true => grant.of_app(),
            false => grant,
        };
        let stored = self.shared.clients.of(principal, toolkit.as_ref());
        let stored = stored.stored.clone();
        if let Some((binding, name)) = stored.as_ref().and_then(StoredOutput::binding) {
            isolate = isolate.binding(binding);
            grant = grant.and_server(name);
        }
        let run = match isolate.grant(grant).start().await {
            Ok(run) => run,
            Err(error) => {
                told.ended(telemetry::not_run(&self.telemetry, &error));
                return Err(error);
            }
        };
        told.called(run.id());
        let effort = Effort::without_a_run(requester.principal.clone());
        let client = requester.client.clone();
        let shows_apps = requester.shows_apps;
        let description = RunDescription {
            toolkit,
            ..RunDescription::new(requester.principal, requester.client, kind.name(), text)
        };
        let record = self.shared.registry.enter(&run, description, &calls);
        let answer = self.answer(StartedRun {
            run,
            telemetry: told,
            kind,
            stored,
            effort,
            record: Arc::downgrade(&record),
            registration,
            grant: seen,
            client,
            shows_apps,
            gives_value: options.gives_value,
        });
        let reports = RunReports {
            progress,
            lines,
            notes,
        };
        Ok(RunHandle::new(record, answer, reports, questions))
    }
}

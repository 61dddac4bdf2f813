//! Runs that a previous process parked: they resume, and their clients find them by their ids.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule::governance::Governance;
use ampoule::{Error, Language, ParkedRun, Principal, Run};
use ampoule_effort::Effort;
use ampoule_telemetry::RunOf;

use super::answer::Answer;
use super::asking::approval_wait::ApprovalWait;
use super::asking::run_client::RunClient;
use super::call_notes::CallNotes;
use super::code::CodeKind;
use super::finish::StartedRun;
use super::handle::{RunHandle, RunReports};
use super::lines::Lines;
use super::progress::Progress;
use super::registry::{CallCount, RunDescription};
use super::requester::Requester;
use super::service::Runs;
use crate::content::blocks::Content;
use crate::content::cut;

impl Runs {
    /// Resumes the runs that were parked when the previous process stopped. From the call on,
    /// clients that ask for one of these wait until the parked runs are known.
    pub(crate) fn resume_parked(&self) -> impl Future<Output = ()> + Send + use<> {
        let resuming = self.shared.resuming.clone().try_write_owned();
        let runs = self.clone();
        async move {
            runs.resume_all().await;
            drop(resuming);
        }
    }

    /// Waits until it is known which runs this process resumes.
    pub(crate) async fn resumed(&self) {
        drop(self.shared.resuming.read().await);
    }

    async fn resume_all(&self) {
        let runtime = &self.shared.runtime;
        let known = match runtime.all_parked() {
            Ok(known) => known.into_iter().flatten(),
            Err(error) => {
                tracing::warn!(%error, "can't resume parked runs");
                return;
            }
        };
        let mut known: HashMap<_, _> = known.map(|run| (run.run.to_string(), run)).collect();
        let resumed = match runtime.resume_parked().await {
            Ok(resumed) => resumed,
            Err(error) => {
                tracing::warn!(%error, "can't resume parked runs");
                return;
            }
        };
        for (name, run) in resumed {
            match (run, known.remove(&name)) {
                (Ok(run), Some(known)) => {
                    self.adopt(run, known);
                    self.asks_again(&name).await;
                }
                // It was parked between the two looks: it resumes, and its end is stored.
                (Ok(run), None) => drop(tokio::spawn(run.outcome())),
                (Err(error), _) => {
                    tracing::warn!(run = name, %error, "can't resume a parked run");
                }
            }
        }
    }

    /// Asks again the questions about a run's calls, from this process.
    async fn asks_again(&self, run: &str) {
        let governance = self.shared.runtime.governance();
        if let Some(asking) = governance.and_then(Governance::asking)
            && let Err(error) = asking.recall(run).await
        {
            tracing::warn!(run, %error, "can't ask the questions of a resumed run again");
        }
    }

    /// Registers a run, so that its principal can wait for it.
    fn adopt(&self, run: Run, known: ParkedRun) {
        tracing::info!(run = %run.id(), "resumed a parked run");
        let language = Language::named(&known.language);
        let kind = CodeKind::Script {
            language: language.unwrap_or(Language::TypeScript),
            looked_at: false,
        };
        let principal = known.principal.map(Principal::new);
        let toolkit = known.toolkit;
        let state = (self.shared.clients).of(principal.as_ref(), toolkit.as_ref());
        let client = known.client.as_deref();
        let told = self.telemetry.run(RunOf {
            language: kind.name(),
            principal: principal.as_ref(),
            client,
            toolkit: toolkit.as_deref(),
            within: None,
        });
        let client = client.map(str::to_owned);
        let description = RunDescription {
            toolkit,
            ..RunDescription::new(principal.clone(), client, kind.name(), &known.code)
        };
        let calls = CallCount::default();
        let record = self.shared.registry.enter(&run, description, &calls);
        let effort = Effort::without_a_run(principal.clone());
        let approval = ApprovalWait::new(self.asking());
        approval.set_run(run.id());
        // No client can be asked until one waits for the run.
        let routes = self.routes(None);
        let registration = self.dialogues.as_ref().map(|dialogues| {
            let requester = Requester {
                principal,
                ..Requester::default()
            };
            let client = RunClient::new(&requester, routes.now, routes.later);
            dialogues.register(run.id(), client)
        });
        let answer = self.answer(StartedRun {
            run,
            telemetry: told,
            kind,
            stored: state.stored.clone(),
            effort,
            record: Arc::downgrade(&record),
            registration,
            grant: self.shared.grant.clone(),
            client: known.client.as_deref().map(str::to_owned),
            // Which client will ask for it is not known.
            shows_apps: false,
            gives_value: false,
        });
        let reports = RunReports {
            progress: Progress::new(approval),
            lines: Lines::of_requests(),
            notes: CallNotes::default(),
        };
        let run = RunHandle::new(record, answer, reports, routes.questions);
        state.runs.add(run);
    }

    /// How a run ended that a previous process resumed; none if it is not one of the principal's
    /// runs within this toolkit.
    pub(crate) fn ended_before(
        &self,
        id: &str,
        principal: Option<&Principal>,
        toolkit: Option<&Arc<str>>,
    ) -> Option<Answer> {
        let kept: Result<Vec<Result<ParkedRun, Error>>, _> = self.shared.runtime.parked(principal);
        let mut found = kept.ok()?.into_iter().flatten();
        let run = found.find(|run| run.toolkit.as_ref() == toolkit && run.run.is_meant_by(id))?;
        let outcome = run.outcome?;
        let text = ampoule_untrusted::text::visible(outcome.get());
        let cut = cut::text(&text, self.room());
        Some(Answer::success(vec![Content::text(cut)]))
    }
}

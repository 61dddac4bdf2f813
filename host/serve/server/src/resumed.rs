//! Runs that a process before this one parked: they go on, and their clients find them by their ids.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule::governance::Governance;
use ampoule::{Abilities, Error, Language, ParkedRun, Principal, Run};
use ampoule_effort::Effort;
use rmcp::model::{CallToolResult, ContentBlock};
use tokio::sync::mpsc;

use super::Server;
use super::approvals::{Reached, Waits};
use super::asked::Way;
use super::client;
use super::format::Format;
use super::held::UnderWay;
use super::kept::Kept;
use super::operator::{About, Calls};
use super::progress::Progress;
use super::report::Ran;

impl Server {
    /// Goes on with the runs that were parked when the process before this one stopped. From the call
    /// on, clients that ask for one of these wait until it is known.
    pub fn resume_parked(&self) -> impl Future<Output = ()> + Send + use<> {
        let resuming = self.shared.resuming.clone().try_write_owned();
        let server = self.clone();
        async move {
            server.resume_all().await;
            drop(resuming);
        }
    }

    /// Waits until it is known which runs this process goes on with.
    pub(super) async fn resumed(&self) {
        drop(self.shared.resuming.read().await);
    }

    async fn resume_all(&self) {
        let runtime = &self.shared.runtime;
        let known = match runtime.all_parked() {
            Ok(known) => known.into_iter().flatten(),
            Err(error) => {
                tracing::warn!(%error, "parked runs can't be gone on with");
                return;
            }
        };
        let mut known: HashMap<_, _> = known.map(|run| (run.run.to_string(), run)).collect();
        let resumed = match runtime.resume_parked().await {
            Ok(resumed) => resumed,
            Err(error) => {
                tracing::warn!(%error, "parked runs can't be gone on with");
                return;
            }
        };
        for (name, run) in resumed {
            match (run, known.remove(&name)) {
                (Ok(run), Some(known)) => {
                    self.adopt(run, known);
                    self.asks_again(&name).await;
                }
                // It was parked between the two looks: it goes on, and its end is kept.
                (Ok(run), None) => drop(tokio::spawn(run.outcome())),
                (Err(error), _) => {
                    tracing::warn!(run = name, %error, "a parked run can't be gone on with");
                }
            }
        }
    }

    /// Who is asked about a run's calls is asked by this process now.
    async fn asks_again(&self, run: &str) {
        let governance = self.shared.runtime.governance();
        if let Some(asking) = governance.and_then(Governance::asking)
            && let Err(error) = asking.recall(run).await
        {
            tracing::warn!(run, %error, "nobody is asked again what a run had asked");
        }
    }

    /// What was parked stays so when this process ends, for the next one.
    pub fn suspend(&self) {
        self.shared.runtime.suspend();
    }

    /// Makes a run one that its principal can wait for.
    fn adopt(&self, run: Run, known: ParkedRun) {
        tracing::info!(run = %run.id(), "a parked run goes on");
        let language = Language::named(&known.language);
        let ran = Ran::Script {
            language: language.unwrap_or(Language::TypeScript),
            looked_at: false,
        };
        let principal = known.principal.map(Principal::new);
        let estate = self.shared.estates.of(principal.as_ref());
        let client = known.client.as_deref();
        let told = (self.telemetry).run(ran.name(), principal.as_ref(), client, None);
        let client = client.map(str::to_owned);
        let about = About::new(principal.clone(), client, ran.name(), &known.code);
        let seen = self.shared.watched.see(&run, about, &Calls::default());
        let named = (run.id(), run.canceller());
        let effort = Effort::without_a_run(principal.clone());
        let weak = Arc::downgrade(&seen);
        let kept: Option<Kept> = estate.kept.clone();
        let asking = self
            .shared
            .runtime
            .governance()
            .and_then(Governance::asking);
        let waits = Waits::new(asking);
        waits.is(named.0);
        // Whoever could be asked is gone, until a client waits for it.
        let (questions, asked) = mpsc::channel(1);
        let reached = self.dialogues.as_ref().map(|dialogues| {
            let who = client::person(principal.as_ref()).to_owned();
            let way = (Way::Waits(questions.clone()), questions);
            let reached = Reached::new(who, way, Abilities::default());
            dialogues.register(named.0, reached)
        });
        let ran = (ran, Format::default());
        let answer = self.answer((run, told), ran, (kept, effort), (weak, reached));
        let run = UnderWay::new(named, answer, Progress::of_nobody(waits), asked, seen);
        estate.long.add(run);
    }

    /// How a run ended that a process before this one went on with; none if it is none of the
    /// principal's.
    pub(super) fn ended_before(
        &self,
        id: &str,
        principal: Option<&Principal>,
    ) -> Option<CallToolResult> {
        let kept: Result<Vec<Result<ParkedRun, Error>>, _> = self.shared.runtime.parked(principal);
        let mut found = kept.ok()?.into_iter().flatten();
        let run = found.find(|run| run.run.is_meant_by(id))?;
        let outcome = run.outcome?;
        let text = ampoule_untrusted::text::visible(outcome.get());
        let cut = super::cut::text(
            &text,
            super::cut::Room {
                bytes: self.answer_bytes,
                tokens: super::CUT_TOKENS,
            },
        );
        Some(CallToolResult::success(vec![ContentBlock::text(cut)]))
    }
}

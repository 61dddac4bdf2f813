//! `ampoule policy`: checks policies, and explains their decisions.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::Grant;
use ampoule_audit::{Events, Filter};
use ampoule_config::Config;
use ampoule_configured::{SetupError, governed};
use ampoule_governance::{KnownServer, LOCAL};
use ampoule_policy::{
    ActText, Caller, CaseResult, ConsideredPolicy, Explanation, LabelOrigin, Policies,
    PolicyDiagnostic, Request, RunLabels, Verdict, try_cases,
};
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use futures::future::join_all;
use serde_json::{Value, json};

use super::exit::{self, Failure};
use super::governance;
use super::output::Output;
use super::setup::{ConfiguredRuntime, Setup};
use super::stop_signal::{self, Cancellation};
use super::streams;

const EXAMPLES: &str = "Examples:
  ampoule policy check
  ampoule policy explain --principal ada --call 'demo.create_ticket {\"subject\": \"x\"}'
  ampoule policy explain --call model --labels customer-data
  ampoule policy test policies/cases.toml
A case of such a file:
  [[case]]
  name = \"support opens tickets\"
  principal = \"ada\"
  groups = [\"support\"]
  call = \"demo.create_ticket\"
  arguments = { subject = \"x\" }
  expect = \"allow\"            # or deny, ask, absent";

/// Checks policies, explains their decisions, and tests them.
///
/// Policies are [roles], [labels] and [approvals] in ampoule.toml, and the Cedar files in the
/// folder `policies` beside it. The command starts all servers to check policies against their
/// tools. A running `serve` reloads changed policies: all of them, or none.
#[derive(Debug, Args)]
#[command(after_help = exit::POLICY_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::POLICY_HELP))]
pub(super) struct Policy {
    #[command(subcommand)]
    what: Task,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Lists the problems of the policies, with file and line.
    Check {
        /// Prints all policies as Cedar, with those made from roles and labels.
        #[arg(long)]
        cedar: bool,
    },
    Explain(Box<Explain>),
    /// Tests the cases of a file: compares each decision with the expected one.
    Test {
        /// The file, in TOML.
        file: PathBuf,
    },
}

/// Explains the decision about a call: which policy decides, and why.
#[derive(Debug, Args)]
struct Explain {
    /// The principal that makes the call. Default: the local user, `local` in policies.
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// A group of the principal. May be repeated.
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// The client's name, as the client states it.
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// The toolkit that the call is made within, by its name in `[toolkits]`. Default: none.
    #[arg(long, value_name = "NAME")]
    toolkit: Option<String>,
    /// The call: `server.tool {"argument": 1}`, with the server's own name of the tool; or `model`,
    /// for the result that a run gives to the model.
    #[arg(long, value_name = "CALL")]
    call: ActText,
    /// The labels of what the run has read, separated by commas.
    #[arg(long, value_name = "LABELS", value_delimiter = ',')]
    labels: Vec<String>,
    /// A run whose labels to use; the answer names the call that set each label. Needs the audit
    /// log.
    #[arg(long, value_name = "ID")]
    run: Option<String>,
}

impl Policy {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let config = self.setup.read_or_demo()?;
        let ConfiguredRuntime { runtime, .. } = self.setup.ungoverned()?;
        let tools = runtime.tools(Grant::all())?.waiting();
        let doing = async move {
            let waiting = streams::err().waiting();
            waiting.on("waiting for the servers' tools".to_owned());
            let stale = tools.refresh(None).await;
            let known = tools.servers().map(async |server| {
                // A server that was never started lists its tools now; a failure is reported above.
                let _ = server.binding().tools().await;
                KnownServer::of(&**server.binding())
            });
            let known = join_all(known).await;
            drop(waiting);
            for problem in &stale {
                streams::err().problem(problem);
            }
            self.done(&config, &known)
        };
        stop_signal::until_stopped(runtime, Cancellation::default(), doing)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    fn done(&self, config: &Config, known: &[KnownServer]) -> Result<ExitCode, Failure> {
        let made =
            governed::sources(config).and_then(|sources| governance::policies(&sources, known));
        let policies = match (made, &self.what) {
            (Ok(policies), _) => policies,
            (Err(problems), Task::Check { .. }) => {
                self.say_problems(&problems.0);
                return Ok(ExitCode::FAILURE);
            }
            (Err(problems), _) => return Err(SetupError::from(problems).into()),
        };
        match &self.what {
            Task::Check { cedar } => self.check(config, &policies, *cedar),
            Task::Explain(explain) => self.explain(config, &policies, explain),
            Task::Test { file } => self.test(&policies, file),
        }
    }

    fn say_problems(&self, problems: &[PolicyDiagnostic]) {
        let out = streams::out();
        if self.output.as_json {
            let problems: Vec<Value> = problems.iter().map(document).collect();
            return out.json(&json!({ "problems": problems }).to_string());
        }
        for problem in problems {
            out.line(out.prose(&problem.to_string()));
        }
    }

    fn check(
        &self,
        config: &Config,
        policies: &Policies,
        as_cedar: bool,
    ) -> Result<ExitCode, Failure> {
        let out = streams::out();
        if as_cedar {
            out.line(text::visible(&policies.to_cedar()));
            return Ok(ExitCode::SUCCESS);
        }
        let fingerprint = policies.fingerprint();
        if self.output.as_json {
            let warnings: Vec<Value> = policies.warnings().iter().map(document).collect();
            let checked = json!({ "problems": warnings, "fingerprint": fingerprint });
            out.json(&checked.to_string());
            return Ok(ExitCode::SUCCESS);
        }
        self.say_problems(policies.warnings());
        if policies.are_none() {
            let folder = governed::folder(config);
            let folder = folder.map(|folder| folder.display().to_string());
            let told = folder.unwrap_or_else(|| "policies".to_owned());
            out.line(out.prose(&format!(
                "no policies: every granted tool may be called. To restrict calls, add `[roles]` to ampoule.toml, or a file such as {told}/deletes.cedar"
            )));
            return Ok(ExitCode::SUCCESS);
        }
        let short = fingerprint.get(..12).unwrap_or(fingerprint);
        out.line(out.prose(&format!("the policies are valid ({short})")));
        Ok(ExitCode::SUCCESS)
    }

    fn explain(
        &self,
        config: &Config,
        policies: &Policies,
        asked: &Explain,
    ) -> Result<ExitCode, Failure> {
        let mut labels = match &asked.run {
            None => RunLabels::new(),
            Some(run) => labels_of(config, policies, run)?,
        };
        for label in &asked.labels {
            labels.rise(&label.as_str().into(), || LabelOrigin {
                call: None,
                from: "--labels".into(),
            });
        }
        let caller = Caller {
            principal: asked.principal.as_deref().unwrap_or(LOCAL).into(),
            groups: asked.group.iter().map(|it| it.as_str().into()).collect(),
            client: asked.client.as_deref().unwrap_or_default().into(),
            toolkit: asked.toolkit.as_deref().unwrap_or_default().into(),
        };
        let explanation = policies.explain(&Request {
            caller: &caller,
            act: asked.call.act(),
            labels: &labels,
        });
        let out = streams::out();
        match self.output.as_json {
            true => out.json(&explained(&explanation).to_string()),
            false => {
                let told = explanation.to_string();
                out.line(out.indented(told.trim_end()));
                if policies.are_none() {
                    streams::err().note("no policies: everything is allowed");
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn test(&self, policies: &Policies, file: &std::path::Path) -> Result<ExitCode, Failure> {
        let shown = text::one_line(&file.to_string_lossy()).into_owned();
        let content = std::fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("{shown} can't be read: {error}")))?;
        let results = try_cases(policies, &shown, &content)
            .map_err(|problems| Failure::usage(problems.to_string()))?;
        let failed = results.iter().filter(|case| case.failure.is_some()).count();
        let out = streams::out();
        if self.output.as_json {
            let results: Vec<Value> = results.iter().map(tried).collect();
            out.json(&json!(results).to_string());
        } else {
            for case in &results {
                let name = text::one_line(&case.name);
                let line = match &case.failure {
                    None => format!("ok: {name}"),
                    Some(why) => format!("FAILED: {}: {name}: {why}", case.place),
                };
                out.line(out.prose(&line));
            }
            let all = results.len();
            out.line(format_args!("{} of {all} cases pass", all - failed));
        }
        Ok(match failed {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}

/// What a run has read, from the audit log: each call that returned, with the current labels of its
/// tool; and the other labels that the log has for the run.
fn labels_of(config: &Config, policies: &Policies, run: &str) -> Result<RunLabels, Failure> {
    let Some(audit) = &config.governance.audit else {
        return Err(Failure::usage(
            "--run needs the audit log: add `[audit]` to ampoule.toml, or give labels with --labels",
        ));
    };
    let filter = Filter {
        run: Some(run.to_owned()),
        ..Filter::default()
    };
    let folder = governed::audit_folder(audit)?;
    let events = Events::read(&folder, filter);
    let events = events.map_err(|problem| Failure::usage(problem.to_string()))?;
    let (mut labels, mut runs) = (RunLabels::new(), Vec::<String>::new());
    for entry in events {
        if let Some(of) = entry.run().filter(|of| runs.iter().all(|run| run != of)) {
            runs.push(of.to_owned());
        }
        let carried: &[Arc<str>] = match &entry.event {
            Some(ampoule_audit::Event::CallEnded(call)) => {
                for label in policies.labels_of(&call.server, &call.tool) {
                    labels.rise(label, || LabelOrigin {
                        call: Some(call.call),
                        from: format!("{}.{}", call.server, call.tool).into(),
                    });
                }
                &[]
            }
            Some(ampoule_audit::Event::CallAsked(call)) => &call.labels,
            Some(ampoule_audit::Event::RunEnded(run)) => &run.labels,
            _ => &[],
        };
        for label in carried {
            labels.rise(label, || LabelOrigin {
                call: None,
                from: "the start of the run".into(),
            });
        }
    }
    match runs.as_slice() {
        [_] => Ok(labels),
        [] => Err(Failure::usage(format!(
            "unknown run `{}`; `ampoule audit ls --kind run-started` lists the runs of the audit log",
            text::one_line(run)
        ))),
        several => Err(Failure::usage(format!(
            "ambiguous id: {} runs end in `{}`; give more of the id",
            several.len(),
            text::one_line(run)
        ))),
    }
}

fn document(problem: &PolicyDiagnostic) -> Value {
    json!({
        "severity": format!("{:?}", problem.severity).to_lowercase(),
        "place": problem.place.as_ref().map(ToString::to_string),
        "policy": problem.policy,
        "message": problem.message,
        "near": problem.near,
    })
}

fn explained(explanation: &Explanation) -> Value {
    let considered = |one: &ConsideredPolicy| {
        let (verdict, why) = match &one.verdict {
            Verdict::Holds => ("holds", None),
            Verdict::DoesNot => ("does-not", None),
            Verdict::Failed(why) => ("failed", Some(why)),
        };
        json!({
            "id": one.id, "place": one.place.to_string(), "verdict": verdict, "why": why,
            "decides": one.decides, "policy": one.text, "labels": one.labels,
        })
    };
    let decision = &explanation.decision;
    let labels = explanation.labels.iter();
    let labels = labels.map(|(label, read)| json!({ "label": label, "read": read }));
    let obligations = decision.obligations.iter();
    let obligations =
        obligations.map(|duty| json!({ "what": duty.obligation.to_string(), "by": duty.by }));
    json!({
        "decision": decision.effect,
        "by": decision.by,
        "reason": decision.reason,
        "obligations": obligations.collect::<Vec<_>>(),
        "exists": explanation.exists,
        "labels": labels.collect::<Vec<_>>(),
        "considered": explanation.considered.iter().map(considered).collect::<Vec<_>>(),
    })
}

fn tried(case: &CaseResult) -> Value {
    json!({
        "name": case.name, "place": case.place.to_string(), "decision": case.decision.effect,
        "by": case.decision.by, "failure": case.failure,
    })
}

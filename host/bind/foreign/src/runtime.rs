//! A runtime with threads of its own.

use std::sync::Arc;
use std::time::Duration;

use ampoule::{Isolate, Principal};
use ampoule_configured::governed::{self, GovernanceSetup};
use parking_lot::{Mutex, RwLock};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::block_in_place;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::document::document;
use crate::options::language;
use crate::run::{Parking, Run, under_way};
use crate::waiting::WaitingCalls;
use crate::{Fault, Layer, RunOptions, RuntimeOptions, Tools};
use crate::{parked_runs, process};

/// The error for a preview of a run whose functions would be called twice.
const UNTRIED: &str = "approvals.preview: functions of this program can't be previewed, unless all of them say that they only read: \
run this with a runtime whose configuration has no preview, or make the functions an MCP server";

/// How often a waiting caller is asked whether to continue.
const ASKED_EVERY: Duration = Duration::from_millis(50);
/// How long closing a runtime waits for its runs, its servers and its governance to end.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// What a process has once: isolates, servers, and the threads that they run on. Its methods may be
/// called from any thread but its own. Clones are the same one.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    /// None once it is closed: the last of what uses the audit log is gone then.
    runtime: RwLock<Option<ampoule::Runtime>>,
    governed: Mutex<Option<GovernanceSetup>>,
    /// Whether runs are previewed first.
    previews: bool,
    /// Whether there is a folder for parked runs.
    parks: bool,
    pub(crate) tokio: Handle,
    executor: Mutex<Option<tokio::runtime::Runtime>>,
    pub(crate) closing: CancellationToken,
    pub(crate) runs: TaskTracker,
    expiry: parked_runs::Expiry,
}

impl Runtime {
    /// A runtime of plain options. No server is started yet.
    ///
    /// # Errors
    ///
    /// Options that can't be used, or why WebAssembly can't run here.
    pub fn new(options: &RuntimeOptions) -> Result<Self, Fault> {
        process::enter()?;
        let executor = ampoule::executor()
            .map_err(|error| Fault::host(format!("the system gives no threads: {error}")))?;
        let tokio = executor.handle().clone();
        let (runtime, governed) = {
            let _entered = executor.enter();
            let (builder, governed) = options.made()?;
            (builder.build()?, governed)
        };
        if options.parked.is_some() {
            // A folder that can't be used is told now, and not where a run waits.
            runtime.parked(None)?;
        }
        Ok(Self {
            shared: Arc::new(Shared {
                runtime: RwLock::new(Some(runtime)),
                previews: governed.as_ref().is_some_and(|it| it.previews),
                parks: options.parks(),
                governed: Mutex::new(governed),
                tokio,
                executor: Mutex::new(Some(executor)),
                closing: CancellationToken::new(),
                runs: TaskTracker::new(),
                expiry: parked_runs::Expiry::default(),
            }),
        })
    }

    /// The runtime of Rust's, as long as it can be used.
    pub(crate) fn runtime(&self) -> Result<ampoule::Runtime, Fault> {
        process::unforked()?;
        let runtime = self.shared.runtime.read().clone();
        runtime.ok_or_else(closed)
    }

    /// Whether runs can be parked: there is a folder for them.
    pub fn parks(&self) -> bool {
        self.shared.parks
    }

    /// The threads that runs are on, for what waits there.
    pub fn handle(&self) -> &Handle {
        &self.shared.tokio
    }

    /// Compiles the guest of a [language](RunOptions::language), or loads its code, so that the first
    /// run does not wait for it.
    ///
    /// # Errors
    ///
    /// An unknown language, or a guest that can't be compiled.
    pub async fn warm(&self, language_name: &str) -> Result<(), Fault> {
        Ok(self.runtime()?.warm(language(language_name)?).await?)
    }

    /// Runs a script to its end, on this thread, and gives the outcome as JSON. Its calls pass the
    /// layers, the first of them first; what the runtime's configuration says of calls, it says of
    /// what they let pass. The caller is asked some times a second whether to `go_on`; if not, the
    /// run ends at once.
    ///
    /// # Errors
    ///
    /// Why the run has no outcome.
    pub fn run_here(
        &self,
        options: RunOptions,
        tools: &[Tools],
        layers: &[Layer],
        go_on: impl FnMut() -> bool,
    ) -> Result<String, Fault> {
        let may_park = options.park_after.is_some() || options.resume.is_some();
        if may_park {
            return self.started_here(options, tools, layers, go_on);
        }
        let (isolate, language) =
            self.isolate(options, tools, layers, &WaitingCalls::of_unparked())?;
        let _counted = self.shared.runs.token();
        let running = self.until_over(isolate, language, go_on);
        self.wait(running)
    }

    /// The same of a run that may be parked.
    fn started_here(
        &self,
        options: RunOptions,
        tools: &[Tools],
        layers: &[Layer],
        mut go_on: impl FnMut() -> bool,
    ) -> Result<String, Fault> {
        let (ended, end) = oneshot::channel();
        let run = self.start(options, tools, layers, |outcome| drop(ended.send(outcome)))?;
        let waiting = async {
            let mut end = end;
            loop {
                match timeout(ASKED_EVERY, &mut end).await {
                    Ok(outcome) => return outcome.unwrap_or_else(|_| Err(closed())),
                    Err(_) if go_on() => {}
                    Err(_) => {
                        run.cancel();
                        return Err(Fault::closed("the caller stopped waiting for the run"));
                    }
                }
            }
        };
        self.wait(waiting)
    }

    /// Waits on this thread. A tool that does so may be called by one of the runtime's own.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        waited(|| self.shared.tokio.block_on(work))
    }

    async fn until_over(
        &self,
        isolate: Isolate,
        language: &'static str,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<String, Fault> {
        let asking = async {
            let mut ticks = interval(ASKED_EVERY);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks.tick().await;
            while go_on() {
                ticks.tick().await;
            }
        };
        tokio::select! {
            biased;
            outcome = isolate.run() => document(&outcome?, language),
            () = asking => Err(Fault::closed("the caller stopped waiting for the run")),
            () = self.shared.closing.cancelled() => Err(closed()),
        }
    }

    /// Starts a script. `ended` gets the outcome as JSON, once, on one of the runtime's threads, or
    /// on this thread if that does [steps](crate::Stepper) now; it must not block.
    ///
    /// # Errors
    ///
    /// Wrong options; `ended` gets all other errors.
    pub fn start(
        &self,
        options: RunOptions,
        tools: &[Tools],
        layers: &[Layer],
        ended: impl FnOnce(Result<String, Fault>) + Send + 'static,
    ) -> Result<Run, Fault> {
        let waiting = WaitingCalls::default();
        let (isolate, language) = self.isolate(options, tools, layers, &waiting)?;
        let at_once = isolate.allowed().calls_at_once;
        let runtime = self.runtime()?;
        let run = {
            let _entered = self.shared.tokio.enter();
            isolate.start_awaited()?
        };
        let parking = Parking {
            suspender: run.suspender(&runtime),
            runtime,
            waiting,
            at_once,
        };
        Ok(under_way(&self.shared, run, parking, language, ended))
    }

    fn isolate(
        &self,
        options: RunOptions,
        tools: &[Tools],
        layers: &[Layer],
        waiting: &WaitingCalls,
    ) -> Result<(Isolate, &'static str), Fault> {
        let own = tools.iter().map(Tools::server);
        let _entered = self.shared.tokio.enter();
        let (mut isolate, language) = options.isolate(&self.runtime()?, own)?;
        if self.shared.previews {
            if !tools.iter().all(Tools::only_read) {
                return Err(Fault::usage(UNTRIED));
            }
            isolate = isolate.preview();
        }
        let tools = tools.iter();
        let isolate = tools.fold(isolate, |isolate, tools| isolate.binding(tools.clone()));
        let layers = layers.iter();
        let isolate = layers.fold(isolate, |isolate, layer| {
            isolate.layer(layer.of_run(waiting))
        });
        Ok((isolate, language))
    }

    /// The runs that are parked, of a principal, or of nobody in particular: a JSON array, each as
    /// `ampoule runs --json` lists it, with its calls that have not ended, or with its outcome if
    /// that is [kept](RunOptions::keep_outcome). Those that are older than a week are removed.
    ///
    /// # Errors
    ///
    /// Parked runs are kept nowhere, or can't be read.
    pub fn parked(&self, principal: Option<String>) -> Result<String, Fault> {
        let principal = principal.map(Principal::new);
        let runtime = self.runtime()?;
        if self.shared.expiry.is_due() {
            runtime.remove_expired_parked()?;
        }
        parked_runs::listed(&runtime.parked(principal.as_ref())?)
    }

    /// Removes a parked run of that principal, or of no principal, that no process has.
    ///
    /// # Errors
    ///
    /// The run does not exist, or a process has it.
    pub fn remove_parked(&self, run: &str, principal: Option<String>) -> Result<(), Fault> {
        let (principal, runtime) = (principal.map(Principal::new), self.runtime()?);
        let run = parked_runs::name(&runtime, run, principal.as_ref())?;
        Ok(runtime.remove_parked(&run, principal.as_ref())?)
    }

    /// Ends all runs, and releases the servers and the threads. Waits for them a few seconds at
    /// most. Closing it twice does nothing the second time.
    pub fn close(&self) {
        let shared = &self.shared;
        if process::is_forked() || shared.closing.is_cancelled() {
            return;
        }
        shared.closing.cancel();
        shared.runs.close();
        let runtime = shared.runtime.write().take();
        let governed = shared.governed.lock().take();
        let over = async {
            let _ = timeout(LAST_WORDS, shared.runs.wait()).await;
            if let Some(runtime) = runtime {
                let _ = timeout(LAST_WORDS, runtime.close()).await;
            }
        };
        self.wait(over);
        if let Some(executor) = shared.executor.lock().take() {
            let_go(executor, governed);
        }
    }
}

/// Ends the governance of the runs, and the threads.
fn let_go(executor: tokio::runtime::Runtime, governed: Option<GovernanceSetup>) {
    let Some(governed) = governed else {
        return executor.shutdown_background();
    };
    let mut ending = executor.spawn(governed::closed(Some(governed)));
    let ended = waited(|| executor.block_on(async { timeout(LAST_WORDS, &mut ending).await }));
    if ended.is_ok() {
        return executor.shutdown_background();
    }
    // A system that gets the audit log does not answer. These threads give up soon, and the caller
    // does not wait for them.
    let given_up = move || {
        let _ = executor.block_on(ending);
        executor.shutdown_background();
    };
    let _ = std::thread::Builder::new().spawn(given_up);
}

/// Does what blocks this thread, which may be one that runs are on: others take over from it.
pub fn waited<T>(blocking: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(_) => block_in_place(blocking),
        Err(_) => blocking(),
    }
}

pub(crate) fn closed() -> Fault {
    Fault::closed("the runtime was closed")
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(executor) = self.executor.get_mut().take() else {
            return;
        };
        let (runtime, governed) = (self.runtime.get_mut(), self.governed.get_mut());
        let (runtime, governed) = (runtime.take(), governed.take());
        match process::is_forked() {
            // There are no threads to wait for.
            true => std::mem::forget((executor, runtime, governed)),
            false => {
                drop(runtime);
                let_go(executor, governed);
            }
        }
    }
}

//! The data of a run's Store: everything that the host knows of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_effort::Effort;
use ampoule_limits::{LimitError, Limits};
use ampoule_tools::{CallOutcome, Deadline, Form, GrantedTools, ResolvedTool};
use ampoule_workspace::{FilesSnapshot, Memory};
use parking_lot::Mutex;
use serde_json::value::RawValue;

use super::calls::{CallId, Calls, Completion, EndedCall};
use super::event::Event;
use super::failed_blocks::FailedBlocks;
use super::feed::Feed;
use super::files::{OwnFiles, RunFiles};
use super::fuel::Slice;
use super::gauge::Gauge;
use super::host_memory::{HeldBytes, Hold};
use super::memory::MemoryPlace;
use super::meter::Meter;
use super::output::{Level, OutputSnapshot};
use super::pages::Pages;
use super::parking::{Gate, IdleWait, Journal, KeptUsage, Note, ParkedSession, Parking, nanos};
use super::session::Resume;
use super::setup::RunSetup;
use super::tool_slots::ResolvedTools;
use super::under_way::{AwaitedCall, Calling};
use super::wasi::context::Wasi;
use super::world::{DivergenceError, HostTime, Live, World};

/// Everything that the host knows of one run.
pub(crate) struct RunState {
    pub(crate) limits: Limits,
    pub(crate) started: Instant,
    pub(crate) deadline: Deadline,
    pub(crate) world: Arc<dyn World>,
    pub(crate) memory: Meter,
    /// Where the memory of an interpreter's instance is.
    pub(crate) pages: Option<Pages>,
    pub(crate) gauge: Gauge,
    pub(crate) slice: Slice,
    pub(crate) held: Arc<HeldBytes>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) tools: Arc<GrantedTools>,
    /// What the host computes for the run; the Store pays for it.
    pub(crate) effort: Effort,
    /// What was computed of it while the fuel could not be taken, and is not paid yet.
    pub(crate) debt: u64,
    pub(crate) resolved: ResolvedTools,
    pub(crate) calls: Calls,
    /// What its failed calls gave besides text.
    pub(crate) failed_blocks: FailedBlocks,
    /// What the error has besides text that the run ended with.
    pub(crate) error_content: Vec<Box<RawValue>>,
    /// The fuel that was left when an interpreter last started a call, or took one that had ended.
    pub(crate) fuel_at_last_call: Option<u64>,
    /// It has asked for entropy: the Python guest does before it runs anything of a script.
    pub(crate) has_drawn: bool,
    /// Its output says already which servers a search lacked.
    pub(crate) told_of_servers: bool,
    /// Compiled guests that import it have it.
    pub(crate) wasi: Option<Box<Wasi>>,
    /// What makes it one of a session, until it begins.
    pub(crate) session: Option<Box<Resume>>,
    /// How many bytes an earlier run left in its memory, or it itself before it was parked.
    pub(crate) put_back: usize,
    /// The files that it was given.
    pub(crate) files: RunFiles,
    /// Those that it has in memory.
    pub(crate) own_files: OwnFiles,
    /// When it is parked, and where, until it begins.
    pub(crate) parking: Option<Box<Parking>>,
    pub(crate) gate: Option<Arc<Gate>>,
    pub(crate) idle_wait: Option<IdleWait>,
    /// How often it was parked.
    pub(crate) parked: u32,
    /// Where all of its memory is put when it has returned.
    pub(crate) memory_place: Option<MemoryPlace>,
    /// What it has used in other processes.
    before: EarlierUse,
}

/// What a run has used in the processes before this one.
#[derive(Default)]
struct EarlierUse {
    /// Time since it began, in nanoseconds.
    elapsed: u64,
    wall_time: Duration,
}

impl RunState {
    /// Whether nothing of its script has run yet, as far as the host can see.
    pub(crate) fn has_run_nothing(&self) -> bool {
        !self.has_drawn && self.calls.started() == 0 && self.feed.bytes() == 0
    }

    pub(crate) fn new(setup: RunSetup) -> Self {
        let RunSetup {
            id,
            principal,
            limits,
            tools,
            layers,
            respondent,
            trace,
            deadline,
            world,
            observers,
            gauge,
            session,
            parking,
            files,
            memory_place,
        } = setup;
        let world = world.unwrap_or_else(Live::shared);
        let effort = Effort::on_behalf_of(principal.clone(), limits.fuel);
        deadline.restart();
        let backend = parking.as_ref().map(|parking| Arc::clone(&parking.backend));
        let gate = backend.map(|backend| Arc::new(Gate::new(backend)));
        let idle_wait = parking
            .as_ref()
            .map(|parking| IdleWait::new(parking.after, Arc::clone(&parking.backend)));
        let calling = Calling {
            run: id,
            principal,
            deadline: deadline.clone(),
            layers,
            respondent,
            trace,
            world: Arc::clone(&world),
            gate: gate.clone(),
        };
        let held = Arc::new(HeldBytes::new(limits));
        Self {
            limits,
            started: Instant::now(),
            memory: Meter::new(&limits, gauge.clone()),
            pages: None,
            gauge,
            slice: Slice::default(),
            calls: Calls::new(limits, calling, Arc::clone(&held), effort.clone()),
            failed_blocks: FailedBlocks::default(),
            error_content: Vec::new(),
            fuel_at_last_call: None,
            deadline,
            world,
            feed: Arc::new(Feed::new(limits, Arc::clone(&held), observers)),
            held,
            tools: Arc::new(tools.paid_by(effort.clone())),
            effort,
            debt: 0,
            resolved: ResolvedTools::default(),
            has_drawn: false,
            told_of_servers: false,
            wasi: None,
            session,
            put_back: 0,
            parking,
            gate,
            idle_wait,
            parked: 0,
            before: EarlierUse::default(),
            files,
            own_files: OwnFiles::default(),
            memory_place,
        }
    }

    /// What is kept of it while it waits, with so much fuel left. It continues after so long if no call
    /// ends.
    pub(crate) fn journal(
        &self,
        fuel_left: u64,
        timeout: Option<Duration>,
        session: Option<ParkedSession>,
        files: Option<FilesSnapshot>,
    ) -> Journal {
        let time = self.host_time();
        let OutputSnapshot {
            lines: output,
            bytes: output_bytes,
            emitted,
        } = self.feed.kept();
        Journal {
            time,
            due: timeout.map(|timeout| time.now.saturating_add(nanos(timeout))),
            wall_used: self.wall_used(),
            stood_still: self.deadline.stands_still(),
            fuel_left,
            fuel_at_last_call: self.fuel_at_last_call,
            peak_memory: self.memory.peak_memory(),
            peak_host: self.held.peak(),
            output,
            output_bytes,
            emitted,
            told_of_servers: self.told_of_servers,
            parked: self.parked,
            tools: self.resolved.names(),
            usage: self.calls.usage().iter().map(KeptUsage::from).collect(),
            calls: self.calls.kept(),
            notes: self.calls.notes().clone(),
            undo: self.calls.undo_notes().clone(),
            session,
            files,
        }
    }

    /// Resumes what another process kept; of its calls, when its tools are there.
    ///
    /// # Errors
    ///
    /// What it printed is more than the host may hold for it.
    pub(crate) fn resume(&mut self, journal: &mut Journal) -> Result<(), LimitError> {
        let now = self.host_time().now;
        // What was kept later than now was kept by another clock.
        let since = now.saturating_sub(journal.time.now);
        self.before = EarlierUse {
            elapsed: journal.time.elapsed.saturating_add(since),
            // Time that a person takes is not the run's, whether or not the host was there.
            wall_time: match journal.stood_still {
                true => journal.wall_used,
                false => journal.wall_used + Duration::from_nanos(since),
            },
        };
        self.deadline.shorten(self.before.wall_time);
        self.effort.allow(journal.fuel_left);
        self.gauge(journal.fuel_left);
        self.gauge.hold_memory(journal.peak_memory);
        self.held.hold_peak(journal.peak_host);
        self.fuel_at_last_call = journal.fuel_at_last_call;
        self.told_of_servers = journal.told_of_servers;
        self.parked = journal.parked;
        self.resolved = ResolvedTools::elsewhere(std::mem::take(&mut journal.tools));
        self.feed.restore(OutputSnapshot {
            lines: std::mem::take(&mut journal.output),
            bytes: journal.output_bytes,
            emitted: std::mem::take(&mut journal.emitted),
        })
    }

    /// The files that it has in memory.
    pub(crate) fn own_files(&mut self) -> Arc<Mutex<Memory>> {
        self.own_files.get(&mut self.memory)
    }

    /// Resumes its calls.
    pub(crate) async fn resume_calls(
        &mut self,
        journal: Journal,
        notes: Vec<Note>,
    ) -> Result<(), LimitError> {
        if !journal.calls.is_empty() {
            self.find_tools().await;
        }
        self.calls.resume_notes(journal.notes, journal.undo);
        let usage = journal.usage.into_iter().map(Into::into).collect();
        (self.calls).resume(usage, journal.calls, notes, &self.resolved)
    }

    /// Finds the tools that were resolved in another process.
    pub(crate) async fn find_tools(&mut self) {
        let tools = Arc::clone(&self.tools);
        self.resolved.resolve(&tools).await;
    }

    /// What clocks show the host; the time since the run began has that of other processes in it.
    pub(crate) fn host_time(&self) -> HostTime {
        let HostTime { now, elapsed } = self.world.host_time(self.started);
        let elapsed = elapsed.saturating_add(self.before.elapsed);
        HostTime { now, elapsed }
    }

    /// Nanoseconds since the run began, as it sees them.
    pub(crate) fn elapsed(&self) -> Result<u64, DivergenceError> {
        let elapsed = self.world.elapsed(self.started)?;
        Ok(elapsed.saturating_add(self.before.elapsed))
    }

    /// How much of its wall time is used.
    pub(crate) fn wall_used(&self) -> Duration {
        self.before.wall_time + self.deadline.used()
    }

    /// What another run would begin with that is to do nothing.
    pub(crate) fn blank(&self) -> RunSetup {
        RunSetup::of(self.limits, (*self.tools).clone())
    }

    /// Shows what it has used, where it has so much fuel left.
    pub(crate) fn gauge(&self, fuel_left: u64) {
        let fuel = self.limits.fuel.saturating_sub(fuel_left);
        self.gauge.set_fuel(fuel);
    }

    /// Says in the output, once, why servers could not be searched: their tools are not among those
    /// found.
    pub(crate) fn tell_of_servers(&mut self, problems: &[String]) -> Result<(), LimitError> {
        if problems.is_empty() || self.told_of_servers {
            return Ok(());
        }
        self.told_of_servers = true;
        let note = format!("not searched: {}", problems.join("\nnot searched: "));
        self.feed.write(Level::Warn, &note)
    }

    /// Starts a call of a tool that the guest resolved.
    pub(crate) fn start_call(
        &mut self,
        tool: u32,
        arguments: String,
        form: Form,
    ) -> wasmtime::Result<CallId> {
        if let Some(((server, name), gone)) = self.resolved.gone(tool) {
            return Ok(self
                .calls
                .fail(server, name, &arguments, gone.to_string())?);
        }
        let tool = self.resolved.get(tool)?;
        let call = self.calls.start(tool, arguments, form)?;
        self.feed.tell(|| started(call, tool));
        Ok(call)
    }

    /// Starts a typed call of a tool that the guest imports.
    pub(crate) fn start_awaited(
        &mut self,
        tool: u32,
        arguments: String,
        values: Hold,
    ) -> wasmtime::Result<AwaitedCall> {
        let tool = self.resolved.get(tool)?;
        let (call, awaited) = self.calls.start_awaited(tool, arguments, values)?;
        self.feed.tell(|| started(call, tool));
        Ok(awaited)
    }

    /// Counts a typed call whose arguments can't be sent.
    pub(crate) fn refuse_call(&mut self, tool: u32, reason: &str) -> wasmtime::Result<()> {
        let tool = self.resolved.get(tool)?;
        let (server, name) = (tool.server(), tool.name());
        Ok(self.calls.refuse(server, name, reason)?)
    }

    /// Takes the end of a typed call, with what the host holds of it.
    pub(crate) fn settle(&mut self, ended: EndedCall) -> wasmtime::Result<(CallOutcome, Hold)> {
        self.world.taken(&[ended.call]);
        let settled = self
            .calls
            .settle(ended)
            .ok_or_else(|| wasmtime::Error::msg("an abandoned call has ended"))?;
        let Completion {
            call,
            outcome,
            held,
        } = settled?;
        self.feed.tell(|| self.calls.ended(call));
        Ok((outcome, held))
    }

    /// Takes these calls, once they have ended.
    pub(crate) async fn take(&mut self, expected: &[CallId]) -> wasmtime::Result<Vec<Completion>> {
        let ended = self.calls.take(expected).await?;
        for completion in &ended {
            self.feed.tell(|| self.calls.ended(completion.call));
        }
        Ok(ended)
    }

    /// Takes the calls that have ended by now.
    pub(crate) fn take_ended(&mut self) -> Result<Vec<Completion>, LimitError> {
        let ended = self.calls.take_ended()?;
        for completion in &ended {
            self.feed.tell(|| self.calls.ended(completion.call));
        }
        Ok(ended)
    }
}

fn started(call: CallId, tool: &ResolvedTool) -> Event {
    Event::CallStarted {
        call,
        server: Arc::clone(tool.server()),
        tool: Arc::clone(tool.name()),
    }
}

/// What the host still computes for a run that is gone ends there.
impl Drop for RunState {
    fn drop(&mut self) {
        self.effort.end();
    }
}

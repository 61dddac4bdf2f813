//! A peer in the course of the rounds: what is asked of its driver, and what comes of that.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::Bench;
use super::checks::{check, one_line, per_second};
use super::order::Random;
use crate::driver::Driver;
use crate::memory::{self, MARK};
use crate::peers::{Parallel, Peer};
use crate::protocol::{Answer, Limits, Request, RunMeasurement, Script};
use crate::results::{Cell, Measure, Part};
use crate::setup::StartablePeer;
use crate::workloads::{HOLD, Kind, LARGE, LIMITS, TRIVIAL, Task, Workload};

/// How long a driver may take to be ready, and to answer: far longer than any does.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long many sandboxes may take to start together.
const TOGETHER: Duration = Duration::from_secs(25);
/// Runs in random order, in each round.
const MIXED: usize = 40;

pub(super) struct Runner<'a> {
    pub(super) peer: &'static Peer,
    ready: StartablePeer,
    bench: &'a Bench<'a>,
    driver: Option<Driver>,
    /// Workloads that this driver has run before.
    warm: HashSet<&'static str>,
    version: String,
    cells: BTreeMap<String, Cell>,
}

impl<'a> Runner<'a> {
    /// Sets it up, starts its driver, and has a trivial run made.
    pub(super) fn start(
        peer: &'static Peer,
        ready: StartablePeer,
        bench: &'a Bench<'a>,
    ) -> Result<Self> {
        let mut runner = Self {
            peer,
            ready,
            bench,
            driver: None,
            warm: HashSet::new(),
            version: String::new(),
            cells: BTreeMap::new(),
        };
        runner.runs(TRIVIAL, 1)?;
        if let Some(driver) = &runner.driver {
            runner.version.clone_from(&driver.version);
        }
        Ok(runner)
    }

    /// One round of a workload. A peer that could not do it is not asked again.
    pub(super) fn round(&mut self, workload: &Workload, round: usize) {
        let measures = Measure::of(workload);
        let first = self.cells.entry(measures[0].id.clone()).or_default();
        if first.cannot.is_some() {
            return;
        }
        let values = self.values(workload);
        if values.is_err() {
            // What is left of it is not what the next workload should meet.
            self.end();
        }
        let values = values.map_err(|error| one_line(&format!("{error:#}")));
        for (place, measure) in measures.into_iter().enumerate() {
            let cell = self.cells.entry(measure.id).or_default();
            match &values {
                Ok(values) => {
                    cell.rounds.resize(round, Vec::new());
                    cell.rounds
                        .push(values.get(place).cloned().unwrap_or_default());
                }
                Err(why) if cell.rounds.is_empty() => cell.cannot = Some(why.clone()),
                // What it could do before stands, and so does that it failed.
                Err(why) => cell.cannot = Some(format!("in round {}: {why}", round + 1)),
            }
        }
    }

    pub(super) fn reached(&self, workload: &Workload) -> String {
        let measures = Measure::of(workload).into_iter().map(|measure| {
            let cell = &self.cells[&measure.id];
            match (&cell.cannot, cell.p50()) {
                (Some(why), _) => why.clone(),
                (None, Some(value)) => format!("{value:.3} {}", measure.unit),
                (None, None) => "nothing".to_owned(),
            }
        });
        measures.collect::<Vec<_>>().join(", ")
    }

    /// What came of a workload, for each of its measures.
    fn values(&mut self, workload: &Workload) -> Result<Vec<Vec<f64>>> {
        Ok(match workload.kind {
            Kind::Runs(task, times) => {
                if workload.calls_server() {
                    let server = self.bench.server.as_ref();
                    server.map_err(|why| anyhow!("the real MCP server is missing: {why}"))?;
                }
                if !self.warm.contains(workload.id) {
                    // Work that happens only once, such as compiling, is not part of a run.
                    self.runs(task, 1)?;
                    self.warm.insert(workload.id);
                }
                vec![self.runs(task, times)?]
            }
            Kind::Cold => vec![vec![self.cold()?]],
            Kind::Mixed => vec![self.mixed()?],
            Kind::Alive(count) => {
                let (memory, start) = self.alive(count)?;
                vec![vec![memory], vec![start]]
            }
            Kind::Throughput => vec![vec![self.throughput()?]],
            Kind::After(task, ms) => vec![vec![self.after(task, ms)?]],
        })
    }

    /// From the start of a driver to the end of its first run, while the warm one waits.
    fn cold(&mut self) -> Result<f64> {
        let fresh = self.another()?;
        let began = fresh.started;
        let warm = self.driver.replace(fresh);
        let ran = self.runs(TRIVIAL, 1);
        let ms = began.elapsed().as_secs_f64() * 1000.0;
        self.driver = warm;
        ran.map(|_| ms)
    }

    fn runs(&mut self, task: Task, times: usize) -> Result<Vec<f64>> {
        let plan = vec![0; times];
        let runs = self.planned(&[task], plan, LIMITS, self.bench.extent.budget_ms)?;
        Ok(runs.into_iter().map(|(_, ms)| ms).collect())
    }

    /// The small ones' times.
    fn mixed(&mut self) -> Result<Vec<f64>> {
        let [rows, fib, calls] = LARGE;
        let mut random = Random(1);
        let plan = (0..MIXED).map(|_| match random.below(10) {
            0 => 1 + random.below(LARGE.len()),
            _ => 0,
        });
        // The first ones are often small, and what came before them was something else.
        let plan: Vec<usize> = (1..=LARGE.len()).chain(plan).collect();
        let tasks = [TRIVIAL, rows, fib, calls];
        // What is large takes its time, however short the round.
        let budget_ms = self.bench.extent.budget_ms * 2 + 2000;
        let runs = self.planned(&tasks, plan, LIMITS, budget_ms)?;
        let small = runs.into_iter().filter(|(which, _)| *which == 0);
        let small: Vec<f64> = small.map(|(_, ms)| ms).collect();
        match small.is_empty() {
            // The large ones took all of the time; these still come after them.
            true => self.runs(TRIVIAL, 2),
            false => Ok(small),
        }
    }

    /// Runs scripts, and looks at what they returned: which it was, and how many ms it took.
    fn planned(
        &mut self,
        tasks: &[Task],
        plan: Vec<usize>,
        limits: Limits,
        budget_ms: u64,
    ) -> Result<Vec<(usize, f64)>> {
        let scripts = tasks
            .iter()
            .map(|task| self.script(*task))
            .collect::<Result<_>>()?;
        let request = Request::Run {
            scripts,
            plan: plan.clone(),
            budget_ms,
            limits,
        };
        let runs = match self.driver()?.ask(&request, PATIENCE)? {
            Answer::Runs(runs) => runs,
            Answer::Cannot(why) => bail!(why),
            other => bail!("it answered {other:?}"),
        };
        ensure!(!runs.is_empty(), "it ran nothing");
        let expected: Vec<_> = tasks.iter().map(|task| task.expected()).collect();
        let runs = plan.into_iter().zip(runs).map(|(which, ran)| {
            let (value, output) = &expected[which];
            check(&ran, value, output.as_deref())?;
            Ok((which, ran.ns as f64 / 1e6))
        });
        runs.collect()
    }

    /// MiB of each, and the ms until all were there.
    fn alive(&mut self, count: usize) -> Result<(f64, f64)> {
        self.can_be_many(count)?;
        // Memory that earlier runs left would be taken for what was there before.
        self.end();
        self.together(1)?;
        let (before, _) = self.together(0)?;
        let (after, ns) = self.together(count)?;
        let each = (after - before) / count as f64;
        ensure!(each > 0.0, "its memory can't be separated from its host's");
        Ok((each, ns as f64 / 1e6))
    }

    /// Slow starts get fewer samples, so that the bench does not wait long.
    fn can_be_many(&self, count: usize) -> Result<()> {
        for (id, cell) in &self.cells {
            let fewer = id
                .strip_prefix("alive-")
                .and_then(|id| id.strip_suffix("-start"));
            let fewer = fewer.and_then(|fewer| fewer.parse::<usize>().ok());
            let (Some(fewer), Some(ms)) = (fewer.filter(|fewer| *fewer < count), cell.p50()) else {
                continue;
            };
            let expected = ms / fewer as f64 * count as f64 / 1000.0;
            ensure!(
                expected < TOGETHER.as_secs_f64(),
                "{fewer} took {:.1} s: {count} would take more than {TOGETHER:?}",
                ms / 1000.0
            );
        }
        Ok(())
    }

    /// MiB of all when so many are alive, and how long it took until they were.
    fn together(&mut self, count: usize) -> Result<(f64, u64)> {
        let script = self.script(HOLD)?;
        let mark = self.mark();
        let driver = self.driver()?;
        if count == 0 {
            return Ok((memory::proportional(driver.id(), &mark), 0));
        }
        let limits = Limits {
            ms: LIMITS.ms * 4,
            ..LIMITS
        };
        let request = Request::Together {
            script,
            count,
            limits,
        };
        let ns = match driver.ask(&request, PATIENCE)? {
            Answer::Alive { ns } => ns,
            Answer::Cannot(why) => bail!(why),
            Answer::Runs(runs) => match runs.into_iter().find_map(|ran| ran.error) {
                Some(problem) => bail!(problem),
                None => bail!("some ended early"),
            },
            other => bail!("it answered {other:?}"),
        };
        let memory = memory::proportional(driver.id(), &mark);
        match driver.ask(&Request::Release, PATIENCE)? {
            Answer::Runs(runs) if runs.len() == count => {
                for ran in &runs {
                    check(ran, &HOLD.expected().0, None)?;
                }
            }
            other => bail!("it answered {other:?}"),
        }
        Ok((memory, ns))
    }

    /// Runs a second, on all cores.
    fn throughput(&mut self) -> Result<f64> {
        let cores = self.bench.extent.cores;
        let script = self.script(TRIVIAL)?;
        let request = |workers| Request::Throughput {
            script: script.clone(),
            window_ms: self.bench.extent.window_ms,
            workers,
            limits: LIMITS,
        };
        if self.peer.parallel == Parallel::Workers {
            // Those behind a pipe are to have something to do meanwhile.
            let request = request(cores * 2);
            return per_second(&self.driver()?.ask(&request, PATIENCE)?);
        }
        let request = request(1);
        let mut more = (1..cores)
            .map(|_| self.another())
            .collect::<Result<Vec<_>>>()?;
        let mut drivers: Vec<&mut Driver> = more.iter_mut().collect();
        drivers.push(self.driver()?);
        for driver in &mut drivers {
            driver.tell(&request)?;
        }
        let answers = drivers.into_iter().map(|driver| driver.answer(PATIENCE));
        answers.map(|answer| per_second(&answer?)).sum()
    }

    /// How long a trivial run takes after one that had to be ended.
    fn after(&mut self, task: Task, ms: u64) -> Result<f64> {
        let scripts = [self.script(task)?, self.script(TRIVIAL)?];
        let driver = self.driver()?;
        let mut run = |scripts: &[Script], ms| -> Result<RunMeasurement> {
            let request = Request::Run {
                scripts: scripts.to_vec(),
                plan: vec![0],
                budget_ms: 0,
                limits: Limits { ms, ..LIMITS },
            };
            match driver.ask(&request, PATIENCE)? {
                Answer::Runs(mut runs) if runs.len() == 1 => Ok(runs.remove(0)),
                Answer::Cannot(why) => bail!(why),
                other => bail!("it answered {other:?}"),
            }
        };
        let ended = run(&scripts[..1], ms).context("it did not get over it")?;
        ensure!(ended.error.is_some(), "it was not ended");
        let next = run(&scripts[1..], LIMITS.ms).context("it did not get over it")?;
        check(&next, &TRIVIAL.expected().0, None)?;
        Ok(next.ns as f64 / 1e6)
    }

    /// What it reached, at the end.
    pub(super) fn part(self) -> Part {
        Part {
            peer: self.peer,
            version: self.version,
            command: self.ready.shown(self.bench.place),
            cells: self.cells,
        }
    }

    fn script(&self, task: Task) -> Result<Script> {
        task.script(&self.bench.scripts, self.peer.language)
    }

    fn mark(&self) -> String {
        format!("{}-{}", std::process::id(), self.peer.id)
    }

    /// Its driver, started if needed.
    fn driver(&mut self) -> Result<&mut Driver> {
        let driver = match self.driver.take() {
            Some(driver) => driver,
            None => self.another()?,
        };
        Ok(self.driver.insert(driver))
    }

    /// What it has learnt, read or compiled goes with it.
    fn end(&mut self) {
        self.driver = None;
        self.warm.clear();
    }

    fn another(&self) -> Result<Driver> {
        let logs = self.bench.place.folder.join("logs");
        fs::create_dir_all(&logs)?;
        let log = File::create(logs.join(format!("{}.log", self.peer.id)))?;
        let mut told = vec![
            (MARK, self.mark()),
            ("COMPARE_DATA", self.bench.data.display().to_string()),
        ];
        if let Ok(server) = &self.bench.server {
            told.push(("COMPARE_MCP", serde_json::json!(server).to_string()));
        }
        Driver::start(self.ready.command(&told), log, PATIENCE)
    }
}

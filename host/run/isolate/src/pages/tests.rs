//! What the pool keeps after runs of each kind.

use std::future::pending;
use std::time::Duration;

use ampoule_limits::Limits;
use ampoule_tools::{Catalog, Grant, GrantedTools};

use super::{MUCH_FUEL, between, beyond, without};
use crate::engine::{Capacity, Engine, Engines, Kind};
use crate::gauge::Gauge;
use crate::guest::Guest;
use crate::outcome::{Ending, Outcome};
use crate::run::ReadyRun;
use crate::script::{Language, Script};
use crate::setup::RunSetup;
use crate::testing::code_folder;
use crate::work::Work;

struct Host {
    engines: Engines,
    engine: Engine,
    guest: Guest,
    limits: Limits,
}

impl Host {
    fn of(language: Language) -> Self {
        let ceilings = Limits::default_ceilings();
        let capacity = Capacity {
            isolates: 1,
            memory_bytes: ceilings.memory_bytes,
            table_elements: ceilings.table_elements,
        };
        let engines = Engines::new(capacity, Some(&code_folder())).unwrap();
        let engine = engines.engine(Kind::Interpreters).unwrap();
        let embedded = match language {
            Language::Python => ampoule_guests::PYTHON,
            _ => ampoule_guests::JAVASCRIPT,
        };
        let code = engine.compile_named(embedded.bytes(), || Ok(embedded.component()?.into()));
        Self {
            guest: Guest::new(engine.wasmtime(), &code.unwrap())
                .unwrap()
                .reading(embedded.pages()),
            engines,
            engine,
            limits: Limits {
                fuel: 1_000_000_000,
                ..Limits::default()
            },
        }
    }

    async fn run(&self, script: &Script, cancelled: impl Future<Output = ()>) -> Ending {
        self.run_shown(script, &Gauge::default(), cancelled).await
    }

    async fn run_shown(
        &self,
        script: &Script,
        gauge: &Gauge,
        cancelled: impl Future<Output = ()>,
    ) -> Ending {
        let place = self.engines.place(None, 1, Duration::from_secs(1)).await;
        let catalog = Catalog::new(Vec::new()).unwrap();
        let granted = GrantedTools::new(catalog, Grant::all()).unwrap();
        let mut setup = RunSetup::of(self.limits, granted);
        setup.gauge = gauge.clone();
        let work = Work::Script(&self.guest, script.clone());
        let prepared = ReadyRun::new(&self.engine, place.unwrap(), work, 0, setup).unwrap();
        let Outcome { ending, .. } = prepared.run(cancelled).await.unwrap();
        ending
    }

    /// What the only slot keeps, in bytes.
    fn kept(&self) -> usize {
        let metrics = self.engine.wasmtime().pooling_allocator_metrics();
        metrics.unwrap().unused_memory_bytes_resident()
    }

    /// That after this run, above what a small one left before it.
    async fn left_by(&self, small: &Script, large: &Script) -> (Ending, usize) {
        self.run(small, pending()).await;
        let before = self.kept();
        let ending = self.run(large, pending()).await;
        let kept = self.kept();
        let again = self.run(small, pending()).await;
        assert!(matches!(again, Ending::Returned(_)), "{again}");
        (ending, kept.saturating_sub(before))
    }
}

#[test]
fn all_goes_but_the_usual_pages_or_in_sessions_what_was_written_but_them() {
    let usual = [2..4, 30..31];
    assert_eq!(between(&usual, 40), [0..2, 4..30, 31..40]);
    assert_eq!(between(&[0..4, 20..21, 39..40], 40), [4..20, 21..39]);
    assert!(between(&[], 0).is_empty());
    // Nothing beyond the memory's end.
    assert_eq!(between(&[10..12, 38..60, 70..80], 40), [0..10, 12..38]);
    assert_eq!(between(&[0..4, 20..21, 50..60], 40), [4..20, 21..40]);
    // What lies close together is one, unless a usual page is between.
    let written = [1..5, 8..9, 20..21, 28..32];
    assert_eq!(beyond(&written, &usual), [1..2, 4..9, 20..30, 31..32]);
    assert!(beyond(&usual, &usual).is_empty());
    assert_eq!(
        without(&[1..9, 12..14], &[2..3, 5..6, 8..13]),
        [1..2, 3..5, 6..8, 13..14]
    );
    assert_eq!(without(&usual, &[0..2, 4..5]), usual);
    assert!(without(&usual, &[0..20, 30..31]).is_empty());
}

/// How much of guests' memories is mapped in this process, in KiB.
#[cfg(target_os = "linux")]
fn mapped() -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut of_guest = false;
    let mut sum = 0;
    for line in maps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [_, "rw-p", .., name] if line.contains('-') => of_guest = name.ends_with(".cwasm"),
            ["Rss:", kib, _] if of_guest => sum += kib.parse::<usize>().unwrap(),
            [range, ..] if range.contains('-') => of_guest = false,
            _ => {}
        }
    }
    sum
}

/// The system maps the neighbours of each page that is read, and the pool looks at all of them.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn small_runs_in_javascript_leave_no_pages_that_they_do_not_read() {
    small_runs_leave_no_pages_that_they_do_not_read(Language::JavaScript, "return 1").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn small_runs_in_python_leave_no_pages_that_they_do_not_read() {
    small_runs_leave_no_pages_that_they_do_not_read(Language::Python, "1").await;
}

#[cfg(target_os = "linux")]
async fn small_runs_leave_no_pages_that_they_do_not_read(language: Language, small: &str) {
    let mut host = Host::of(language);
    let small = Script::new(language, small);
    let reading = host.guest.clone();
    host.guest = reading.clone().reading(Vec::new());
    host.run(&small, pending()).await;
    let all = mapped();
    host.guest = reading;
    host.run(&small, pending()).await;
    let used = mapped();
    // How many neighbours are mapped depends on what of the file is in memory.
    assert!(used > 100 && used + 100 < all, "{used} of {all} KiB");
    let again = host.run(&small, pending()).await;
    assert!(matches!(again, Ending::Returned(_)), "{again}");
    // What it needs besides is mapped again, with its neighbours.
    assert!(mapped() <= all, "{} after {used} of {all} KiB", mapped());
}

async fn large_runs_leave_little(language: Language, small: &str, large: [&str; 3]) {
    let host = Host::of(language);
    let small = Script::new(language, small);
    let [returns, grows, endless] = large.map(|large| Script::new(language, large));
    let (ending, left) = host.left_by(&small, &returns).await;
    assert!(matches!(ending, Ending::Returned(_)), "{ending}");
    assert!(left == 0, "{left} after it returned");
    for large in [&grows, &endless] {
        let (ending, left) = host.left_by(&small, large).await;
        assert!(matches!(ending, Ending::Limit(_)), "{ending}");
        assert!(left == 0, "{left} after {ending}");
    }
    let before = host.kept();
    let gauge = Gauge::default();
    // Not before it has done much: of a small run, a little may be left.
    let soon = async {
        while gauge.fuel() < 5 * MUCH_FUEL {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let ending = host.run_shown(&endless, &gauge, soon).await;
    assert!(matches!(ending, Ending::Cancelled), "{ending}");
    assert_eq!(host.kept(), before, "after it was cancelled");
}

#[tokio::test]
async fn large_runs_in_javascript_leave_little() {
    let large = [
        "return Array.from({ length: 30000 }, (_, n) => ({ n })).length",
        "const kept = []; for (;;) kept.push(new Array(1000).fill(1.5))",
        "const kept = []; for (let n = 0; ; n = (n + 1) % 9999) kept[n] = { n }",
    ];
    large_runs_leave_little(Language::JavaScript, "return 1", large).await;
}

#[tokio::test]
async fn large_runs_in_python_leave_little() {
    let large = [
        "len([{ 'n': n } for n in range(20000)])",
        "kept = []\nwhile True:\n    kept.append([1.5] * 10000)",
        "kept = {}\nn = 0\nwhile True:\n    n = (n + 1) % 9999\n    kept[n] = [n]",
    ];
    large_runs_leave_little(Language::Python, "1", large).await;
}

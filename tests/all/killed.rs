//! Processes that are killed where a run's end is kept in several stores: all of it is there, or
//! nothing.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ampoule::governance::Governance;
use ampoule::governance::audit::Log;
use ampoule::{
    Grant, Keep, Language, ParkedLimits, Quota, RecordOptions, Runtime, Script, SessionLimits,
    Sharing, SkillOptions, Workspace, Workspaces,
};
use ampoule_tests::runtime_builder;

use crate::killed_commands::kills;

/// Where a process that is to be killed finds what those before it left.
const FOLDER: &str = "AMPOULE_TEST_KILLED_TOGETHER";
/// How often one is killed for each set of stores, unless `AMPOULE_TEST_KILLS` says otherwise.
const TIMES: u64 = 15;

/// What each run changes: its number goes up by one in all of it.
#[derive(Clone, Copy)]
struct Stores {
    /// The name of the test.
    test: &'static str,
    session: bool,
    files: bool,
    record: bool,
    parked: bool,
    skills: bool,
}

const NONE: Stores = Stores {
    test: "",
    session: false,
    files: false,
    record: false,
    parked: false,
    skills: false,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_and_files_never_part() {
    let stores = Stores {
        test: "a_session_and_files_never_part",
        session: true,
        files: true,
        ..NONE
    };
    stores.tried().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_and_a_record_never_part() {
    let stores = Stores {
        test: "a_session_and_a_record_never_part",
        session: true,
        record: true,
        ..NONE
    };
    stores.tried().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_a_record_never_part() {
    let stores = Stores {
        test: "files_and_a_record_never_part",
        files: true,
        record: true,
        ..NONE
    };
    stores.tried().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_files_a_record_skills_and_the_audit_log_never_part() {
    let stores = Stores {
        test: "a_session_files_a_record_skills_and_the_audit_log_never_part",
        session: true,
        files: true,
        record: true,
        skills: true,
        ..NONE
    };
    stores.tried().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_parked_run_leaves_never_parts() {
    let stores = Stores {
        test: "what_a_parked_run_leaves_never_parts",
        session: true,
        files: true,
        record: true,
        parked: true,
        ..NONE
    };
    stores.tried().await;
}

/// What there is after some process was killed.
#[derive(Debug)]
struct Found {
    session: Option<u64>,
    files: Option<u64>,
    records: Option<u64>,
}

impl Stores {
    async fn tried(self) {
        if let Some(folder) = env::var_os(FOLDER) {
            return self.until_killed(Path::new(&folder)).await;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut before = 0;
        for time in 0..kills(TIMES) {
            let said = folder.path().join("said");
            let mut child = Command::new(env::current_exe().unwrap())
                .args([&format!("killed::{}", self.test), "--exact", "--nocapture"])
                .env(FOLDER, folder.path())
                .stdout(Stdio::null())
                .stderr(File::create(&said).unwrap())
                .spawn()
                .unwrap();
            // It is at work, and killed somewhere in the next runs.
            let seen = acknowledged(folder.path());
            while acknowledged(folder.path()) == seen {
                if child.try_wait().unwrap().is_some() {
                    let said = fs::read_to_string(&said).unwrap();
                    panic!("it ended by itself: {said}");
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let most = if self.parked || self.skills {
                60_000
            } else {
                20_000
            };
            tokio::time::sleep(Duration::from_micros(time * 7_919 % most)).await;
            child.kill().unwrap();
            child.wait().unwrap();
            let known = acknowledged(folder.path());
            let number = self.whole(folder.path(), known).await;
            assert!(number > before, "{number} after {before}");
            before = number;
        }
        // The next process settles what they promised.
        let next = self.run(&self.runtime(folder.path())).await;
        assert_eq!(next, (before + 1).to_string());
        let left = promises(folder.path());
        assert!(left.is_empty(), "{left:?}");
    }

    /// Begins one run after the other, until this is killed.
    async fn until_killed(self, folder: &Path) {
        let runtime = self.runtime(folder);
        if self.parked {
            for (_, run) in runtime.resume_parked().await.unwrap() {
                run.unwrap().outcome().await.unwrap();
            }
        }
        loop {
            let number = self.run(&runtime).await;
            append(&folder.join("acknowledged"), &number);
        }
    }

    /// One run. Gives its number.
    async fn run(self, runtime: &Runtime) -> String {
        let isolate = runtime
            .isolate(Script::new(Language::TypeScript, self.script()))
            .grant(Grant::all());
        let isolate = match self.session {
            true => isolate.session("k"),
            false => isolate,
        };
        let outcome = isolate.run().await.unwrap();
        let number: u64 = outcome
            .value()
            .unwrap_or_else(|_| panic!("{}", outcome.ending));
        number.to_string()
    }

    fn script(self) -> String {
        let mut script = "import fs from 'node:fs/promises';\n".to_owned();
        script += match self.session {
            true => "globalThis.n = (globalThis.n ?? 0) + 1;\n",
            false => {
                "globalThis.n = Number(await fs.readFile('0', 'utf8').catch(() => '0')) + 1;\n"
            }
        };
        if self.files {
            script += "for (let file = 0; file < 5; file++) await fs.writeFile(String(file), String(n));\n";
        }
        if self.skills {
            script += "await skills.save('counted', { description: 'A number', code: `export const n = ${n}` });\n";
        }
        if self.parked {
            script += "await new Promise(resolve => setTimeout(resolve, 12));\n";
        }
        script + "return n"
    }

    fn runtime(self, folder: &Path) -> Runtime {
        let mut builder = runtime_builder();
        if self.session {
            builder = builder.sessions(folder.join("sessions"), SessionLimits::default());
        }
        if self.files {
            let files = folder.join("files");
            let files = Workspaces::new(files, Sharing::Project, Quota::default());
            builder = builder.workspaces(files);
        }
        if self.record {
            let mut options = RecordOptions::default();
            options.keep = Keep::All;
            builder = builder.records(folder.join("records"), options);
        }
        if self.parked {
            let parked = folder.join("parked");
            builder = builder.parked(parked, ParkedLimits::default());
            builder = builder.park_after(Duration::from_millis(4));
        }
        if self.skills {
            let log = Arc::new(Log::open(&folder.join("audit"), Default::default()).unwrap());
            let governance = Governance::builder().audit(log).build().unwrap();
            builder = builder
                .skills(folder.join("skills"), SkillOptions::default())
                .governance(governance);
        }
        builder.build().unwrap()
    }

    /// The number of the last run that is there, in all that there is of it. This many are known to
    /// have ended.
    async fn whole(self, folder: &Path, known: u64) -> u64 {
        let runtime = self.runtime(folder);
        if self.parked {
            for (_, run) in runtime.resume_parked().await.unwrap() {
                run.unwrap().outcome().await.unwrap();
            }
        }
        let found = Found {
            session: self.session.then(|| session(&runtime)),
            files: self.files.then(|| files(&folder.join("files"))),
            records: self.record.then(|| records(&runtime)),
        };
        let all = [found.session, found.files, found.records];
        let mut numbers: Vec<u64> = all.into_iter().flatten().collect();
        numbers.dedup();
        assert_eq!(numbers.len(), 1, "{found:?}");
        let number = numbers[0];
        assert!(number >= known, "{number} of {known}");
        if self.skills {
            // A save is a call: it is there once it is answered, whatever becomes of the run.
            let shelf = runtime.skills(None).unwrap();
            let saved = shelf.names().unwrap().into_values().flatten().max();
            assert!(
                u64::from(saved.unwrap_or(0)) >= number,
                "{saved:?} of {number}"
            );
            let announced = announced(&folder.join("audit"));
            assert!(announced >= number, "{announced} of {number}");
        }
        number
    }
}

#[test]
fn the_page_of_kinds_says_how_often() {
    let page = include_str!("../../docs/internals/kinds.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = format!("`killed.rs` kills {TIMES} processes for each of five sets of stores");
    assert!(page.contains(&said), "{said}");
}

fn session(runtime: &Runtime) -> u64 {
    let listed = runtime.sessions(None).unwrap().list().unwrap();
    listed.first().map_or(0, |session| session.run)
}

/// The number that all files have, as a run sees them.
fn files(folder: &Path) -> u64 {
    // The next reader settles what was promised.
    let tree = Workspace::workspace(folder, Quota::default()).unwrap();
    let mut numbers: Vec<u64> = (0..5)
        .map(|file| {
            let mut text = Vec::new();
            match tree.get(&file.to_string(), &mut text) {
                Ok(_) => String::from_utf8(text).unwrap().parse().unwrap(),
                Err(_) => 0,
            }
        })
        .collect();
    numbers.dedup();
    assert_eq!(numbers.len(), 1, "{numbers:?}");
    numbers[0]
}

fn records(runtime: &Runtime) -> u64 {
    let listed = runtime.records(None).unwrap().list().unwrap();
    listed.len() as u64
}

/// The number of the newest run whose end the audit log has announced.
fn announced(audit: &Path) -> u64 {
    let mut newest = 0;
    for file in below(audit) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        for line in text
            .lines()
            .filter(|line| line.contains(r#""action":"saved""#))
        {
            let number = line.split(r#""number":"#).nth(1).unwrap();
            let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
            newest = newest.max(digits.parse().unwrap());
        }
    }
    newest
}

fn acknowledged(folder: &Path) -> u64 {
    let text = fs::read_to_string(folder.join("acknowledged")).unwrap_or_default();
    text.lines().last().map_or(0, |line| line.parse().unwrap())
}

/// The files of promises.
fn promises(folder: &Path) -> Vec<PathBuf> {
    let mut left = below(folder);
    left.retain(|file| file.to_string_lossy().ends_with(".promised"));
    left
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => files.extend(below(&entry.path())),
            false => files.push(entry.path()),
        }
    }
    files
}

/// Adds a line, in one piece.
fn append(file: &Path, line: &str) {
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

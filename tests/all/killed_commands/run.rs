//! `ampoule run`, with each pair of stores, and with all of them.

use std::time::Duration;

use ampoule_tests::command::Workplace;

use super::process::{Process, Said};
use super::{FEW, Tally, found, kills, part};

/// What each run changes: its number goes up by one in all of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stores {
    pub(super) session: bool,
    pub(super) files: bool,
    pub(super) record: bool,
    /// A skill, and the audit log.
    pub(super) skill: bool,
    pub(super) parked: bool,
}

/// How long a run takes by itself.
struct Usual {
    whole: Duration,
    /// From the last line of the script to the end of the process.
    end: Duration,
}

#[tokio::test]
async fn a_session_and_files_of_a_command_never_part() {
    Stores::SESSION_AND_FILES.tried(kills(FEW)).await;
}

#[tokio::test]
async fn a_session_and_the_record_of_a_command_never_part() {
    Stores::SESSION_AND_RECORD.tried(kills(FEW)).await;
}

#[tokio::test]
async fn files_and_the_record_of_a_command_never_part() {
    Stores::FILES_AND_RECORD.tried(kills(FEW)).await;
}

#[tokio::test]
async fn all_that_a_command_leaves_never_parts() {
    Stores::ALL.tried(kills(FEW)).await;
}

#[tokio::test]
async fn a_parked_run_of_a_command_is_resumed_whole() {
    Stores::PARKED.tried(kills(FEW)).await;
}

impl Stores {
    const NONE: Self = Self {
        session: false,
        files: false,
        record: false,
        skill: false,
        parked: false,
    };
    pub(super) const SESSION_AND_FILES: Self = Self {
        session: true,
        files: true,
        ..Self::NONE
    };
    pub(super) const SESSION_AND_RECORD: Self = Self {
        session: true,
        record: true,
        ..Self::NONE
    };
    pub(super) const FILES_AND_RECORD: Self = Self {
        files: true,
        record: true,
        ..Self::NONE
    };
    pub(super) const ALL: Self = Self {
        session: true,
        files: true,
        record: true,
        skill: true,
        parked: false,
    };
    pub(super) const PARKED: Self = Self {
        session: true,
        files: true,
        record: true,
        skill: false,
        parked: true,
    };

    /// Kills so many commands, one after the other, and looks at what is there after each.
    pub(super) async fn tried(self, times: u64) -> Tally {
        let workplace = self.workplace();
        let usual = self.usual(&workplace).await;
        let (mut tally, mut before) = (Tally::default(), 1);
        for time in 0..times {
            let said = self.killed(&workplace, time, &usual).await;
            let told = told(&said);
            let number = self.whole(&workplace, time).await;
            tally.count(number, before, told);
            before = number;
        }
        let next = self.start(&workplace).ended(&workplace).await;
        assert_eq!(told(&next), before + 1, "{:?}", next.lines);
        assert_eq!(self.whole(&workplace, 0).await, before + 1);
        // How a parked run ended is listed, and its promise is there, until somebody removes it.
        found::removed(&workplace).await;
        let left = found::promises(&workplace);
        assert!(left.is_empty(), "{left:?}");
        tally
    }

    fn workplace(self) -> Workplace {
        let workplace = Workplace::default();
        let mut config = String::new();
        if self.record {
            config += "[records]\nkeep = 'all'\n";
        }
        if self.skill {
            config += "[skills]\n[audit]\n";
        }
        if self.parked {
            config += "[runs]\npark-after = '10ms'\n";
        }
        workplace.file("ampoule.toml", config);
        workplace.file("count.ts", self.script());
        workplace
    }

    /// A run that finds another number in its files than in its session fails.
    fn script(self) -> String {
        let mut script = "import fs from 'node:fs/promises';\n".to_owned();
        let files = found::FILES;
        if self.files {
            script += &format!(
                "const seen: number[] = [];\nfor (let file = 0; file < {files}; file++) seen.push(Number(await fs.readFile(String(file), 'utf8').catch(() => '0')));\n"
            );
        }
        script += match self.session {
            true => "globalThis.n ??= 0;\n",
            false => "globalThis.n = seen[0];\n",
        };
        if self.files {
            script += "if (seen.some(it => it !== n)) throw new Error(`the session has ${n}, and the files have ${seen}`);\n";
        }
        script += "n += 1;\n";
        if self.files {
            script += &format!(
                "for (let file = 0; file < {files}; file++) await fs.writeFile(String(file), String(n));\n"
            );
        }
        if self.skill {
            script += "await skills.save('counted', { description: 'A number', code: `export const n = ${n}` });\n";
        }
        if self.parked {
            script +=
                "console.log('waits');\nawait new Promise(resolve => setTimeout(resolve, 60));\n";
        }
        script + "console.log('begun');\nreturn n"
    }

    fn start(self, workplace: &Workplace) -> Process {
        let mut arguments = vec!["run", "--quiet", "count.ts"];
        if self.session {
            arguments.extend(["--session", "k"]);
        }
        if self.files {
            arguments.extend(["--workspace", "w"]);
        }
        Process::start(workplace, &arguments)
    }

    /// The first run, which nobody kills.
    async fn usual(self, workplace: &Workplace) -> Usual {
        let mut process = self.start(workplace);
        process.says("begun").await;
        let begun = std::time::Instant::now();
        let said = process.ended(workplace).await;
        assert_eq!(told(&said), 1, "{:?}", said.lines);
        Usual {
            whole: said.took,
            end: begun.elapsed(),
        }
    }

    /// Kills a command: one of four at any moment, the others behind the last line of the script, or
    /// where the run is about to be parked.
    async fn killed(self, workplace: &Workplace, time: u64, usual: &Usual) -> Said {
        let mut process = self.start(workplace);
        let wait = match time % 4 {
            0 => part(usual.whole, time),
            1 if self.parked => {
                process.says("waits").await;
                part(Duration::from_millis(90), time)
            }
            _ => {
                process.says("begun").await;
                part(usual.end.mul_f64(1.2), time)
            }
        };
        tokio::time::sleep(wait).await;
        process.killed(workplace).await
    }

    /// The number of the last run that is there, which all stores have. Another store is looked at
    /// first each time.
    async fn whole(self, workplace: &Workplace, time: u64) -> u64 {
        if self.parked {
            found::resumed(workplace, "w").await;
        }
        let mut numbers = Vec::new();
        for place in time..time + 3 {
            match place % 3 {
                0 if self.session => numbers.push(found::session(workplace, "k").await),
                1 if self.files => numbers.push(found::files(workplace, "w").await),
                2 if self.parked => numbers.push(found::ends(workplace).await),
                2 if self.record => numbers.push(found::records(workplace).await),
                _ => {}
            }
        }
        let number = numbers[0];
        if numbers.iter().any(|it| *it != number) {
            let rows = found::lines(workplace, &["runs", "--json"]).await;
            panic!(
                "stores have parted: {numbers:?}, looked at from {}: {rows:#?}",
                time % 3
            );
        }
        if self.skill {
            // A save is a call: it is there once it is answered, whatever becomes of the run.
            let saved = found::skill(workplace).await;
            assert!(saved >= number, "{saved} is saved, of {number}");
            let announced = found::announced(workplace).await;
            assert!(announced >= number, "{announced} is announced, of {number}");
        }
        number
    }
}

/// The number that a command told, once its run was over.
fn told(said: &Said) -> u64 {
    let last = said.lines.last().and_then(|line| line.parse().ok());
    last.unwrap_or(0)
}

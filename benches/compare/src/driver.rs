//! The driver of a peer: a process that is asked, and given up when it does not answer.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::protocol::{Answer, Request};

pub(crate) struct Driver {
    process: Child,
    write: ChildStdin,
    answers: Receiver<String>,
    pub(crate) version: String,
    pub(crate) started: Instant,
}

impl Driver {
    /// Starts one, and waits until it is ready. What it complains about goes to `log`.
    pub(crate) fn start(mut command: Command, log: File, patience: Duration) -> Result<Self> {
        let started = Instant::now();
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0)
            .spawn()
            .with_context(|| format!("{:?} can't be started", command.get_program()))?;
        let (write, read) = (process.stdin.take(), process.stdout.take());
        let (Some(write), Some(read)) = (write, read) else {
            bail!("a driver has no pipes");
        };
        let (answer, answers) = channel();
        thread::spawn(move || {
            for line in BufReader::new(read).lines().map_while(Result::ok) {
                if answer.send(line).is_err() {
                    return;
                }
            }
        });
        let mut driver = Self {
            process,
            write,
            answers,
            version: String::new(),
            started,
        };
        match driver.answer(patience)? {
            Answer::Ready { version } => driver.version = version,
            Answer::Cannot(why) => bail!(why),
            other => bail!("it began with {other:?}"),
        }
        Ok(driver)
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn ask(&mut self, request: &Request, patience: Duration) -> Result<Answer> {
        self.tell(request)?;
        self.answer(patience)
    }

    pub(crate) fn tell(&mut self, request: &Request) -> Result<()> {
        let line = serde_json::to_string(request)?;
        writeln!(self.write, "{line}").map_err(|_| anyhow!("its host process ended"))
    }

    pub(crate) fn answer(&mut self, patience: Duration) -> Result<Answer> {
        match self.answers.recv_timeout(patience) {
            Ok(line) => {
                serde_json::from_str(&line).with_context(|| format!("it said {:.200}", line))
            }
            Err(RecvTimeoutError::Timeout) => bail!("no answer within {patience:?}"),
            Err(RecvTimeoutError::Disconnected) => bail!("its host process ended"),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // With everything that it started and that stayed with it.
        let id = i32::try_from(self.process.id()).ok();
        if let Some(group) = id.and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

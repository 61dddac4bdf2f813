//! What a program prints, bounded in time and bytes.

use std::fmt;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How a program ended, and what it printed.
pub struct Output {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed on its output.
    pub printed: Vec<u8>,
    /// What it printed on its error output.
    pub said: Vec<u8>,
}

/// A process group that is killed when it is let go of.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            // It fails when nobody is left, which is as well.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}

/// Why there is nothing that a program printed. Displayed, it continues after the program's name.
#[derive(Debug)]
pub enum OutputError {
    /// It can't be started.
    Start(io::Error),
    /// It takes too long.
    Slow(Duration),
    /// It prints more than so many bytes.
    Long(u64),
    /// Nobody knows how it ended.
    Lost(io::Error),
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "can't be started: {error}"),
            Self::Slow(within) => {
                let within = humantime::format_duration(*within);
                write!(f, "did not end within {within}")
            }
            Self::Long(most) => write!(f, "printed more than {most} bytes"),
            Self::Lost(error) => write!(f, "failed: {error}"),
        }
    }
}

impl std::error::Error for OutputError {}

/// Runs a program without input, in a group of its own, until it ends.
///
/// # Errors
///
/// It can't be started, takes too long, or prints more than `most` bytes; what it started is killed
/// then.
pub async fn output(command: Command, within: Duration, most: u64) -> Result<Output, OutputError> {
    let mut child = tokio::process::Command::from(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(OutputError::Start)?;
    let _group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = async {
        let (printed, said) = tokio::join!(all(stdout, most), all(stderr, most));
        if printed.len() as u64 > most {
            return Err(OutputError::Long(most));
        }
        let status = child.wait().await.map_err(OutputError::Lost)?;
        Ok(Output {
            status,
            printed,
            said,
        })
    };
    let ended = tokio::time::timeout(within, ended).await;
    ended.unwrap_or(Err(OutputError::Slow(within)))
}

impl Output {
    /// What it printed.
    ///
    /// # Errors
    ///
    /// It failed: how, and the last line that it said, as it is.
    pub fn success(self) -> Result<Vec<u8>, String> {
        if self.status.success() {
            return Ok(self.printed);
        }
        let said = String::from_utf8_lossy(&self.said);
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
        let why = last.unwrap_or("it did not say why");
        Err(format!("failed ({}): {why}", self.status))
    }
}

/// What a stream has, up to one byte more than is accepted.
async fn all(stream: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut read = Vec::new();
    if let Some(stream) = stream {
        // What came before an error counts.
        let _ = stream.take(most + 1).read_to_end(&mut read).await;
    }
    read
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        command
    }

    #[tokio::test]
    async fn programs_are_bounded_and_leave_nothing_behind() {
        let second = Duration::from_secs(1);
        let ended = output(shell("echo a; echo b >&2; exit 2"), second * 20, 100).await;
        let ended = ended.unwrap();
        assert_eq!((ended.printed, ended.said), (b"a\n".into(), b"b\n".into()));
        assert_eq!(ended.status.code(), Some(2));
        let begun = Instant::now();
        let slow = output(shell("sleep 60 & wait"), second / 5, 100).await;
        assert_eq!(slow.err().unwrap().to_string(), "did not end within 200ms");
        assert!(output(shell("yes"), second * 20, 100).await.is_err());
        assert!(begun.elapsed() < second * 20);
        let missing = output(Command::new("/no/such/program"), second, 100).await;
        assert!(matches!(missing, Err(OutputError::Start(_))));
    }
}

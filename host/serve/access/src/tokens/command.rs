//! A command that prints the list, such as one that asks a vault for it.

use std::process::Stdio;
use std::time::Duration;

use ampoule_untrusted::text;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

/// How long the command may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How much is kept of what it says is wrong, in bytes, and how much of that is shown, in
/// characters.
const MOST_SAID: u64 = 64 * 1024;
const SHOWN: usize = 300;

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

/// What the command prints, or how it failed.
pub(super) async fn printed(words: &[String], most: u64) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("it is empty")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("it can't be started: {error}"))?;
    let _group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = async {
        let (printed, said) = tokio::join!(all(stdout, most + 1), all(stderr, MOST_SAID));
        (child.wait().await, printed, said)
    };
    let Ok((status, printed, said)) = tokio::time::timeout(TIMEOUT, ended).await else {
        let waited = humantime::format_duration(TIMEOUT);
        return Err(format!("it did not end within {waited}"));
    };
    if printed.len() as u64 > most {
        return Err(format!("it printed more than {most} bytes"));
    }
    match status {
        Ok(status) if status.success() => {
            String::from_utf8(printed).map_err(|_| "it printed bytes that are not text".to_owned())
        }
        Ok(status) => Err(format!("it failed ({status}): {}", last_line(&said))),
        Err(error) => Err(format!("it failed: {error}")),
    }
}

fn last_line(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    let last: String = last
        .unwrap_or("it did not say why")
        .chars()
        .take(SHOWN)
        .collect();
    text::one_line(&last).into_owned()
}

/// What a stream has, up to so many bytes. What follows is not waited for: whoever writes it is
/// told by the closed pipe.
async fn all(stream: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut read = Vec::new();
    if let Some(stream) = stream {
        // What came before an error counts.
        let _ = stream.take(most).read_to_end(&mut read).await;
    }
    read
}

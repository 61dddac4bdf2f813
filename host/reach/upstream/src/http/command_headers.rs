//! Headers that a command prints, such as a token that is good for an hour.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

use crate::command::ServerCommand;
use crate::secrets::Secrets;

/// How long the command may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How much it may print, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// How much is shown of what it says is wrong, in bytes.
const SHOWN_BYTES: usize = 300;

/// What the command printed last.
#[derive(Default)]
pub(super) struct CommandHeaders {
    headers: Option<HeaderMap>,
    /// How often it was run.
    pub(super) count: u64,
}

impl CommandHeaders {
    /// What the command printed; it is run where that is not known.
    pub(super) async fn get(
        &mut self,
        command: &ServerCommand,
        secrets: &Secrets,
    ) -> Result<&HeaderMap, String> {
        if self.headers.is_none() {
            let text = run(command).await.map_err(|why| {
                let why = command.secrets().redact(&why, SHOWN_BYTES * 2);
                let why = secrets.quote_line(&why, SHOWN_BYTES * 2);
                format!("the command for its headers {why}")
            })?;
            self.headers = Some(read(&text, secrets)?);
            self.count += 1;
        }
        Ok(self.headers.get_or_insert_default())
    }

    /// Lets go of what was printed that time, so that the command is run again.
    pub(super) fn forget(&mut self, count: u64) {
        if self.count == count {
            self.headers = None;
        }
    }
}

fn read(text: &[u8], secrets: &Secrets) -> Result<HeaderMap, String> {
    let printed: BTreeMap<String, String> = serde_json::from_slice(text).map_err(|_| {
        "the command for its headers did not print a JSON object of texts, such as {\"Authorization\": \"Bearer …\"}".to_owned()
    })?;
    for (name, value) in &printed {
        secrets.add_header(name, value);
    }
    headers(&printed)
}

/// Headers out of names and values.
pub(super) fn headers(texts: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let header = |(name, value): (&String, &String)| {
        let shown = || ampoule_untrusted::text::one_line(name).into_owned();
        let parsed: HeaderName = name
            .parse()
            .map_err(|_| format!("no header can have the name `{}`", shown()))?;
        let mut value = HeaderValue::from_str(value.trim())
            .map_err(|_| format!("its header `{}` has a value that can't be sent", shown()))?;
        value.set_sensitive(true);
        Ok((parsed, value))
    };
    texts.iter().map(header).collect()
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

/// What the command prints, or how it failed.
async fn run(command: &ServerCommand) -> Result<Vec<u8>, String> {
    let mut child = Command::from(command.to_std())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("can't be started: {}", command.explain(error)))?;
    let _group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = async {
        let (printed, said) = tokio::join!(all(stdout), all(stderr));
        (child.wait().await, printed, said)
    };
    let Ok((status, printed, said)) = tokio::time::timeout(TIMEOUT, ended).await else {
        let waited = humantime::format_duration(TIMEOUT);
        return Err(format!("did not end within {waited}"));
    };
    if printed.len() as u64 > MAX_BYTES {
        return Err(format!("printed more than {MAX_BYTES} bytes"));
    }
    match status {
        Ok(status) if status.success() => Ok(printed),
        Ok(status) => {
            let said = String::from_utf8_lossy(&said);
            let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            Err(format!(
                "failed ({status}): {}",
                last.unwrap_or("it did not say why")
            ))
        }
        Err(error) => Err(format!("failed: {error}")),
    }
}

/// What a stream has, up to one byte more than is accepted.
async fn all(stream: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut read = Vec::new();
    if let Some(stream) = stream {
        // What came before an error counts.
        let _ = stream.take(MAX_BYTES + 1).read_to_end(&mut read).await;
    }
    read
}

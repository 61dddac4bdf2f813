//! Headers that a command prints, such as a token that is good for an hour.

use std::collections::BTreeMap;
use std::time::Duration;

use ampoule_secrets::{OutputError, output};
use http::HeaderMap;

use super::configured_headers::headers;
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

/// What the command prints, or how it failed.
async fn run(command: &ServerCommand) -> Result<Vec<u8>, String> {
    match output(command.to_std(), TIMEOUT, MAX_BYTES).await {
        Ok(ended) => ended.success(),
        Err(OutputError::Start(error)) => {
            Err(format!("can't be started: {}", command.explain(error)))
        }
        Err(error) => Err(error.to_string()),
    }
}

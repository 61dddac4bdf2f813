//! How a server is doing, for people and programs to read.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use super::handshake::Era;

/// What state a server is in. As JSON a member `state` with one of `not-started`, `starting`,
/// `ready`, `waiting`, `needs-sign-in` and `failed`; `waiting` comes with a second member `untilMs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(
    tag = "state",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum UpstreamState {
    /// Nobody has needed it yet, or not since it was stopped or ended by itself. The next call
    /// starts it.
    NotStarted,
    /// It is being started.
    Starting,
    /// It is connected.
    Ready,
    /// It failed several times in a row, and is left alone for a while. The next call after that
    /// starts it.
    Waiting {
        /// Until when. As JSON in milliseconds since 1970 (UTC).
        #[serde(rename = "untilMs", serialize_with = "as_millis")]
        until: SystemTime,
    },
    /// A person has to sign in before it can be used.
    NeedsSignIn,
    /// It could not be started. The next call tries again.
    Failed,
}

impl UpstreamState {
    /// Its name, as in JSON: `ready`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotStarted => "not-started",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Waiting { .. } => "waiting",
            Self::NeedsSignIn => "needs-sign-in",
            Self::Failed => "failed",
        }
    }
}

/// How a server is doing: its state, and what is known besides. As JSON one object with the members
/// of [`UpstreamState`] and the fields' names in camel case, times in milliseconds (`sinceMs`,
/// `untilMs`, `connectMs`); what is not known is left out:
///
/// ```json
/// {"server":"files","transport":"stdio","state":"ready","sinceMs":1795395600000,
///  "era":"sessions","protocolVersion":"2025-11-25","tools":14,"connectMs":412}
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UpstreamStatus {
    /// The server's name.
    pub server: Arc<str>,
    /// How it is reached, such as `stdio`.
    pub transport: &'static str,
    /// The state.
    #[serde(flatten)]
    pub state: UpstreamState,
    /// Since when it is in that state. As JSON in milliseconds since 1970 (UTC).
    #[serde(rename = "sinceMs", serialize_with = "as_millis")]
    pub since: SystemTime,
    /// Why it is in that state, as a sentence, where there is a reason to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The command that fixes it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// Which of the protocol's lifecycles it speaks, as far as is known; possibly from an earlier
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub era: Option<Era>,
    /// The version of the protocol that was agreed on when it was last connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<Arc<str>>,
    /// How many tools are known, possibly from an earlier time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<usize>,
    /// How long it took to connect the last time that it did. As JSON `connectMs`.
    #[serde(
        rename = "connectMs",
        skip_serializing_if = "Option::is_none",
        serialize_with = "as_whole_millis"
    )]
    pub connected_in: Option<Duration>,
    /// What went wrong last, also where it went well after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// What it sent that is not a message, as a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

fn as_millis<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    as_whole_millis(&since.ok(), serializer)
}

fn as_whole_millis<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let millis = time.unwrap_or_default().as_millis();
    serializer.serialize_u64(u64::try_from(millis).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_form_as_json_is_the_documented_one() {
        let at = |ms| SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
        let status = UpstreamStatus {
            server: "files".into(),
            transport: "stdio",
            state: UpstreamState::Ready,
            since: at(1_795_395_600_000),
            why: None,
            remedy: None,
            era: Some(Era::Sessions),
            protocol_version: Some("2025-11-25".into()),
            tools: Some(14),
            connected_in: Some(Duration::from_micros(412_900)),
            last_error: None,
            skipped: None,
        };
        let ready = r#"{"server":"files","transport":"stdio","state":"ready","sinceMs":1795395600000,"era":"sessions","protocolVersion":"2025-11-25","tools":14,"connectMs":412}"#;
        assert_eq!(serde_json::to_string(&status).unwrap(), ready);
        let states = [
            (UpstreamState::NotStarted, json!({ "state": "not-started" })),
            (UpstreamState::Starting, json!({ "state": "starting" })),
            (
                UpstreamState::Waiting { until: at(5) },
                json!({ "state": "waiting", "untilMs": 5 }),
            ),
            (
                UpstreamState::NeedsSignIn,
                json!({ "state": "needs-sign-in" }),
            ),
            (UpstreamState::Failed, json!({ "state": "failed" })),
        ];
        for (state, expected) in states {
            assert_eq!(json!(state), expected);
            assert_eq!(state.name(), expected["state"]);
        }
    }
}

//! The two beginnings that a connection can have: `server/discover` since 2026-07-28, `initialize`
//! before.

use std::time::Duration;

use rmcp::model::ProtocolVersion;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::authorizer::SignInRequiredError;
use super::client;
use super::greeting::Greeting;
use super::pending::{Answer, Fault};
use super::wire::{Request, Wire};

/// How long a server may be silent at `server/discover` before `initialize` is sent as well. A
/// server that only starts slowly gets both, and may answer either.
pub(super) const SILENCE: Duration = Duration::from_secs(2);

/// The same over HTTP, where the oldest servers answer too, if only with a status: who is silent is
/// slow as a rule, such as one that has to be woken up first.
pub(super) const SILENCE_OVER_HTTP: Duration = Duration::from_secs(10);

/// How large the answer may be, in bytes.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// The version whose requests stand for themselves.
pub(super) const STATELESS: ProtocolVersion = ProtocolVersion::V_2026_07_28;

/// Which of the protocol's two lifecycles a server speaks. As JSON `sessions` or `stateless`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Era {
    /// `initialize` opens a session: 2024-11-05 to 2025-11-25.
    Sessions,
    /// Each request stands for itself: since 2026-07-28.
    Stateless,
}

impl Era {
    /// The version of the protocol, where the server did not name the one that it chose.
    pub(super) fn version(self) -> Option<String> {
        (self == Self::Stateless).then(|| STATELESS.to_string())
    }

    /// What requests carry beside their parameters.
    pub(super) fn meta(self, capabilities: impl FnOnce() -> Value) -> Option<Value> {
        let key = |name: &str| format!("io.modelcontextprotocol/{name}");
        (self == Self::Stateless).then(|| {
            json!({
                key("protocolVersion"): STATELESS,
                key("clientInfo"): client::identity(),
                key("clientCapabilities"): capabilities(),
            })
        })
    }
}

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// `server/discover`, then `initialize`.
    Probe,
    /// `initialize` alone.
    Initialize,
}

/// Why there is no session.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The connection ended.
    Closed,
    /// The server answered something else than it should.
    Answered(String),
    /// The server can't be asked: why, in words that follow its name.
    Unreachable(String),
    /// The server needs a sign-in.
    NeedsSignIn(SignInRequiredError),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Closed => Self::Closed,
            Fault::NotReached(why) => Self::Unreachable(why),
            // Some break off where they don't know a request; another way to open may do.
            Fault::Lost(why) => Self::Answered(format!("it {why}")),
            Fault::NeedsSignIn(needed) => Self::NeedsSignIn(needed),
        }
    }
}

/// Why there is no session yet.
enum HandshakeError {
    /// It is tried no more in this way.
    Refused(Refusal),
    /// The server speaks other versions of the protocol.
    Version(Vec<String>),
}

impl From<Refusal> for HandshakeError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl HandshakeError {
    fn answered(why: impl Into<String>) -> Self {
        Self::Refused(Refusal::Answered(why.into()))
    }
}

type HandshakeResult = Result<(Era, Greeting), HandshakeError>;

/// Opens a session. The server's own words about itself come back, and how it wants to be talked
/// to. It may be silent for so long before it is tried in the older way as well.
pub(super) async fn open(
    wire: &Wire,
    opening: Opening,
    silence: Duration,
) -> Result<(Era, Greeting), Refusal> {
    let opened = match opening {
        Opening::Probe => probe(wire, silence).await,
        Opening::Initialize => initialize(wire, &ProtocolVersion::LATEST_WITH_INITIALIZE).await,
    };
    let (era, greeting) = match opened {
        Ok(opened) => opened,
        Err(HandshakeError::Refused(refusal)) => return Err(refusal),
        Err(HandshakeError::Version(spoken)) => speaking(wire, &spoken).await?,
    };
    let agreed = match era {
        Era::Stateless => Some(STATELESS.as_str().to_owned()),
        Era::Sessions => greeting.version.clone(),
    };
    if let Some(version) = agreed {
        let _ = wire.version.set(version);
    }
    if era == Era::Sessions {
        wire.notify("notifications/initialized", &Map::new());
    }
    Ok((era, greeting))
}

/// Opens a session in a version that the server said it speaks, or else in the way that servers of
/// all ages may understand.
async fn speaking(wire: &Wire, spoken: &[String]) -> Result<(Era, Greeting), Refusal> {
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().rev();
    let mut common = known.filter(|version| spoken.iter().any(|it| it == version.as_str()));
    let opened = match common.next() {
        Some(version) if version.has_initialize() => initialize(wire, version).await,
        Some(_) => discovered(send_discover(wire)?.answer().await),
        None => initialize(wire, &ProtocolVersion::LATEST_WITH_INITIALIZE).await,
    };
    opened.map_err(|declined| match declined {
        HandshakeError::Refused(Refusal::Answered(why)) => {
            Refusal::Answered(format!("{why}; {}", versions(spoken)))
        }
        HandshakeError::Refused(other) => other,
        HandshakeError::Version(spoken) => Refusal::Answered(versions(&spoken)),
    })
}

fn versions(spoken: &[String]) -> String {
    let known = ProtocolVersion::KNOWN_VERSIONS.iter();
    let known: Vec<&str> = known.map(ProtocolVersion::as_str).collect();
    format!(
        "it speaks versions {} of the protocol, and this client speaks {}",
        spoken.join(", "),
        known.join(", ")
    )
}

async fn probe(wire: &Wire, silence: Duration) -> HandshakeResult {
    let mut discover = send_discover(wire)?;
    let Ok(answer) = tokio::time::timeout(silence, discover.answer()).await else {
        tracing::debug!("server/discover is not answered, so initialize is sent as well");
        let initialize = send_initialize(wire, &ProtocolVersion::LATEST_WITH_INITIALIZE)?;
        return either(discover, initialize).await;
    };
    match discovered(answer) {
        Err(HandshakeError::Refused(Refusal::Answered(why))) => {
            tracing::debug!(why, "server/discover was refused");
            initialize(wire, &ProtocolVersion::LATEST_WITH_INITIALIZE).await
        }
        opened => opened,
    }
}

/// Takes whichever of the two answers is a good one. A server that is too busy for the second
/// request may be at work on the first.
async fn either(mut discover: Request<'_>, mut initialize: Request<'_>) -> HandshakeResult {
    tokio::select! {
        answer = discover.answer() => match discovered(answer) {
            Err(HandshakeError::Refused(Refusal::Answered(_))) => initialized(initialize.answer().await),
            opened => opened,
        },
        answer = initialize.answer() => match initialized(answer) {
            Err(HandshakeError::Refused(why @ (Refusal::Answered(_) | Refusal::Unreachable(_)))) => {
                match discovered(discover.answer().await) {
                    Err(HandshakeError::Refused(_)) => Err(HandshakeError::Refused(why)),
                    opened => opened,
                }
            }
            opened => opened,
        },
    }
}

async fn initialize(wire: &Wire, version: &ProtocolVersion) -> HandshakeResult {
    initialized(send_initialize(wire, version)?.answer().await)
}

fn send_discover(wire: &Wire) -> Result<Request<'_>, Refusal> {
    let mut params = Map::new();
    let meta = Era::Stateless.meta(|| wire.client.capabilities());
    params.extend(meta.map(|meta| ("_meta".to_owned(), meta)));
    send(wire, "server/discover", &params)
}

fn send_initialize<'a>(wire: &'a Wire, version: &ProtocolVersion) -> Result<Request<'a>, Refusal> {
    let params = [
        ("protocolVersion", json!(version)),
        ("capabilities", wire.client.capabilities()),
        ("clientInfo", client::identity()),
    ];
    let params = params.map(|(name, value)| (name.to_owned(), value));
    send(wire, "initialize", &params.into_iter().collect())
}

fn send<'a>(
    wire: &'a Wire,
    method: &str,
    params: &Map<String, Value>,
) -> Result<Request<'a>, Refusal> {
    let sent = wire.request(method, params, MAX_ANSWER_BYTES);
    // The protocol has no way to take these back.
    sent.map(Request::for_good).map_err(|_| Refusal::Closed)
}

fn discovered(answer: Result<Answer, Fault>) -> HandshakeResult {
    let greeting = greeting_in(answer)?;
    if greeting.speaks(&STATELESS) {
        Ok((Era::Stateless, greeting))
    } else {
        Err(HandshakeError::Version(greeting.versions))
    }
}

fn initialized(answer: Result<Answer, Fault>) -> HandshakeResult {
    let greeting = greeting_in(answer)?;
    let Some(version) = &greeting.version else {
        let why = "its answer to initialize names no protocol version";
        return Err(HandshakeError::answered(why));
    };
    let era = if version.as_str() < STATELESS.as_str() {
        Era::Sessions
    } else {
        Era::Stateless
    };
    Ok((era, greeting))
}

fn greeting_in(answer: Result<Answer, Fault>) -> Result<Greeting, HandshakeError> {
    let why = match answer.map_err(Refusal::from)? {
        Answer::Result(result) => match Greeting::read(&result) {
            Ok(greeting) => return Ok(greeting),
            Err(why) => why,
        },
        Answer::Refused(refusal) if !refusal.supported.is_empty() => {
            return Err(HandshakeError::Version(refusal.supported));
        }
        Answer::Refused(refusal) => refusal.text,
        Answer::TooLarge(bytes) => format!("its answer has {bytes} bytes"),
        Answer::Unusable(why) => why,
    };
    Err(HandshakeError::answered(why))
}

//! The two beginnings that a connection can have: `server/discover` since 2026-07-28, `initialize` before.

use std::time::Duration;

use rmcp::model::{
    ClientConfig, ClientJsonRpcMessage, ClientNotification, ClientRequest, DiscoverRequest,
    DiscoverRequestParams, GetExtensions, Implementation, InitializeRequest,
    InitializedNotification, ProtocolVersion, RequestId, RequestMetaObject, ServerCapabilities,
    ServerPeerInfo,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::pending::Answer;
use super::wire::Wire;

/// How long a server may be silent at `server/discover` before `initialize` is sent as well. A server that only starts slowly gets
/// both, and may answer either.
const SILENCE: Duration = Duration::from_secs(2);

/// How large the answer may be, in bytes.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// Ids that `rmcp`, which counts from zero, does not come to use. They fit servers that only know small numbers.
const DISCOVER_ID: RequestId = RequestId::Number(2_000_000_001);
const INITIALIZE_ID: RequestId = RequestId::Number(2_000_000_002);

/// Which of the protocol's two lifecycles a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Era {
    /// `initialize` opens a session: 2024-11-05 to 2025-11-25.
    Sessions,
    /// Each request stands for itself: since 2026-07-28.
    Stateless,
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
}

/// Opens a session. The server's own words about itself come back, and how it wants to be talked to.
pub(super) async fn open(
    wire: &Wire,
    client: &ClientConfig,
    opening: Opening,
) -> Result<(Era, ServerPeerInfo), Refusal> {
    let mut discover = match opening {
        Opening::Probe => Some(send_discover(wire, client)),
        Opening::Initialize => None,
    };
    if let Some(answer) = &mut discover {
        match tokio::time::timeout(SILENCE, answer).await {
            Ok(answer) => match answer.map_err(|_| Refusal::Closed).and_then(discovered) {
                Ok(info) => return Ok((Era::Stateless, info)),
                Err(Refusal::Closed) => return Err(Refusal::Closed),
                Err(Refusal::Answered(why)) => {
                    tracing::debug!(why = wire.quote(&why), "server/discover was refused");
                    discover = None;
                }
            },
            Err(_) => {
                tracing::debug!("server/discover is not answered, so initialize is sent as well")
            }
        }
    }
    let opened = match discover {
        None => initialized(send_initialize(wire, client).await),
        Some(discover) => either(discover, send_initialize(wire, client)).await,
    };
    wire.pending.forget(&DISCOVER_ID);
    wire.pending.forget(&INITIALIZE_ID);
    let (era, info) = opened?;
    if era == Era::Sessions {
        let notification =
            ClientNotification::InitializedNotification(InitializedNotification::default());
        wire.send(&ClientJsonRpcMessage::notification(notification))
            .map_err(|_| Refusal::Closed)?;
    }
    Ok((era, info))
}

type Arrives = oneshot::Receiver<Answer>;
type Opened = Result<(Era, ServerPeerInfo), Refusal>;

/// Takes whichever of the two answers is a good one.
async fn either(mut discover: Arrives, mut initialize: Arrives) -> Opened {
    let found = |answer: Result<Answer, _>| {
        answer
            .map_err(|_| Refusal::Closed)
            .and_then(discovered)
            .map(|info| (Era::Stateless, info))
    };
    tokio::select! {
        answer = &mut discover => match found(answer) {
            Ok(opened) => Ok(opened),
            Err(Refusal::Closed) => Err(Refusal::Closed),
            Err(_) => initialized(initialize.await),
        },
        answer = &mut initialize => match initialized(answer) {
            Err(Refusal::Answered(why)) => found(discover.await).map_err(|_| Refusal::Answered(why)),
            opened => opened,
        },
    }
}

fn send_discover(wire: &Wire, client: &ClientConfig) -> Arrives {
    let mut request = DiscoverRequest::new(DiscoverRequestParams {});
    request
        .extensions_mut()
        .insert(RequestMetaObject::with_client_context(
            ProtocolVersion::V_2026_07_28,
            client.client_info.clone(),
            client.capabilities.clone(),
        ));
    let message =
        ClientJsonRpcMessage::request(ClientRequest::DiscoverRequest(request), DISCOVER_ID);
    wire.request(DISCOVER_ID, &message, MAX_ANSWER_BYTES)
}

fn send_initialize(wire: &Wire, client: &ClientConfig) -> Arrives {
    let mut params = client.clone();
    params.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    let request = ClientRequest::InitializeRequest(InitializeRequest::new(params));
    wire.request(
        INITIALIZE_ID,
        &ClientJsonRpcMessage::request(request, INITIALIZE_ID),
        MAX_ANSWER_BYTES,
    )
}

fn discovered(answer: Answer) -> Result<ServerPeerInfo, Refusal> {
    let mut result = object_in(answer)?;
    let versions: Vec<Value> = take(&mut result, "supportedVersions").unwrap_or_default();
    let known = ProtocolVersion::V_2026_07_28;
    if !versions.iter().any(|version| version == known.as_str()) {
        return Err(Refusal::Answered(format!(
            "it does not speak {known}, but {}",
            Value::from(versions)
        )));
    }
    let identity = result
        .get("_meta")
        .and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"))
        .cloned();
    Ok(info(known, identity, result))
}

fn initialized(answer: Result<Answer, oneshot::error::RecvError>) -> Opened {
    let mut result = object_in(answer.map_err(|_| Refusal::Closed)?)?;
    let version: ProtocolVersion = take(&mut result, "protocolVersion").ok_or_else(|| {
        Refusal::Answered("its answer to initialize names no protocol version".to_owned())
    })?;
    let era = if version.has_initialize() {
        Era::Sessions
    } else {
        Era::Stateless
    };
    let identity = result.remove("serverInfo");
    Ok((era, info(version, identity, result)))
}

/// What a server says of itself. What can't be read is as if it were not said: nothing depends on it.
fn info(
    version: ProtocolVersion,
    identity: Option<Value>,
    mut result: Map<String, Value>,
) -> ServerPeerInfo {
    let capabilities: ServerCapabilities = take(&mut result, "capabilities").unwrap_or_default();
    let mut info = ServerPeerInfo::new(version, capabilities);
    info.server_info =
        identity.and_then(|identity| serde_json::from_value::<Implementation>(identity).ok());
    info.instructions = take(&mut result, "instructions");
    info
}

fn take<T: DeserializeOwned>(result: &mut Map<String, Value>, key: &str) -> Option<T> {
    serde_json::from_value(result.remove(key)?).ok()
}

fn object_in(answer: Answer) -> Result<Map<String, Value>, Refusal> {
    let why = match answer {
        Answer::Result(result) => match serde_json::from_str(result.get()) {
            Ok(object) => return Ok(object),
            Err(error) => format!("its answer can't be read: {error}"),
        },
        Answer::Error(error) => super::decode::error_text(&error),
        Answer::TooLarge(bytes) => format!("its answer has {bytes} bytes"),
        Answer::Unusable(why) => why,
    };
    Err(Refusal::Answered(why))
}

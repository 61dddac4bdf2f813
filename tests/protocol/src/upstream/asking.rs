//! What the server asks its client before it answers: in requests of its own, or, since
//! 2026-07-28, in its answer.

use rmcp::RoleServer;
use rmcp::model::{ErrorData, InputRequiredResult, InputResponses, ProtocolVersion, ServerRequest};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{filled, read};

/// What is asked, round by round, by the server's names for it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asks {
    #[serde(default, rename = "asks")]
    rounds: Vec<Map<String, Value>>,
    /// Whether the client has to send a state back with its answers.
    #[serde(default)]
    keeps_state: bool,
}

/// What a client sent with its request.
pub(super) struct Given {
    responses: InputResponses,
    state: Option<String>,
}

/// What came of asking.
pub(super) enum Done {
    Answered(Map<String, Value>),
    Asks(InputRequiredResult),
}

impl Given {
    pub(super) fn new(responses: Option<InputResponses>, state: Option<String>) -> Self {
        let responses = responses.unwrap_or_default();
        Self { responses, state }
    }
}

impl Asks {
    pub(super) async fn ask(
        &self,
        arguments: &Map<String, Value>,
        given: Given,
        context: &RequestContext<RoleServer>,
    ) -> Result<Done, ErrorData> {
        let in_answers = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if in_answers {
            return self.ask_in_answer(given, context);
        }
        let mut answers = Map::new();
        for round in &self.rounds {
            for (name, request) in answerable(round, context)? {
                let request: ServerRequest = read(filled(&request, arguments))?;
                let answer = context.peer.send_request(request).await;
                let answer = answer.map_err(|error| refused(&error))?;
                let answer = serde_json::to_value(answer).map_err(|error| refused(&error))?;
                answers.insert(name, answer);
            }
        }
        Ok(Done::Answered(answers))
    }

    /// The next round's questions, until the last has been answered.
    fn ask_in_answer(
        &self,
        given: Given,
        context: &RequestContext<RoleServer>,
    ) -> Result<Done, ErrorData> {
        let answered = match given.state {
            None => 0,
            Some(state) => {
                let known = (0..self.rounds.len()).find(|round| state_of(*round) == state);
                known.ok_or_else(|| ErrorData::invalid_params("this state is not mine", None))?
            }
        };
        let Some(round) = self.rounds.get(answered) else {
            return Ok(Done::Answered(Map::new()));
        };
        let asked = answerable(round, context)?;
        let is_complete = asked.keys().all(|name| {
            let answer = given.responses.get(name);
            answer.is_some_and(Value::is_object)
        });
        let (round, asked) = match (is_complete, self.rounds.get(answered + 1)) {
            (false, _) => (answered, asked),
            (true, Some(next)) => (answered + 1, answerable(next, context)?),
            (true, None) => return Ok(Done::Answered(given.responses.into_iter().collect())),
        };
        let state = self.keeps_state.then(|| state_of(round));
        let asks = InputRequiredResult::new(Some(read(asked.into())?), state);
        Ok(Done::Asks(asks))
    }
}

fn state_of(round: usize) -> String {
    format!("round {round}")
}

/// What of a round's questions the client says that it can answer.
fn answerable(
    round: &Map<String, Value>,
    context: &RequestContext<RoleServer>,
) -> Result<Map<String, Value>, ErrorData> {
    let declared: Value = read(json!(context.client_capabilities()))?;
    let needs = |request: &Value| match request["method"].as_str() {
        Some("elicitation/create") => "elicitation",
        Some("sampling/createMessage") => "sampling",
        _ => "roots",
    };
    let can = |request: &Value| declared.get(needs(request)).is_some();
    let asked = round.iter().filter(|(_, request)| can(request));
    let asked: Map<_, _> = asked.map(|(name, it)| (name.clone(), it.clone())).collect();
    match round.values().next() {
        Some(first) if asked.is_empty() => {
            let lacks = read(json!({ needs(first): {} }))?;
            Err(ErrorData::missing_required_client_capability(lacks))
        }
        _ => Ok(asked),
    }
}

fn refused(error: &dyn std::error::Error) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

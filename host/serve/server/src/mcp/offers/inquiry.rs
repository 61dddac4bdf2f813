//! A request for a prompt or a resource. Its server may ask the client something before it answers,
//! as during a call of a tool: the request is a run, which may be held and continued.

use std::sync::Arc;

use ampoule::DirectCall;
use ampoule_effort::Effort;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult, InputResponses, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;

use super::super::begin::{BegunRun, Program, RunRequest};
use super::super::caller;
use super::super::client::Client;
use super::super::notifications::Notifications;
use super::super::results::result;
use super::super::waiting::{Request, WaitResult};
use super::{OfferKind, failed, host_failed, read};
use crate::runs::answer::CallValue;
use crate::runs::start::RunOptions;

/// What a client asks for.
pub(super) enum Inquiry {
    New {
        server: Arc<str>,
        offered: OfferKind,
        arguments: JsonObject,
    },
    /// It answers what it was asked before.
    Continued {
        state: String,
        responses: InputResponses,
    },
}

/// What came of it.
pub(super) enum InquiryResult<T> {
    Given(T),
    Asks(InputRequiredResult),
}

impl Client {
    /// What a server gives, or asks before.
    pub(super) async fn inquire<T: DeserializeOwned + Send + 'static>(
        &self,
        inquiry: Inquiry,
        context: &RequestContext<RoleServer>,
    ) -> Result<InquiryResult<T>, ErrorData> {
        let waited = self
            .left
            .run_until_cancelled(Box::pin(self.inquired(inquiry, context)));
        let cancelled = || ErrorData::internal_error("cancelled", None);
        let answer = match waited.await.ok_or_else(cancelled)?? {
            WaitResult::Ended(answer) => answer,
            WaitResult::Answered(CallToolResponse::InputRequired(asks)) => {
                return Ok(InquiryResult::Asks(asks));
            }
            WaitResult::Answered(CallToolResponse::Complete(refused)) => {
                return Err(failed(text_of(&refused)));
            }
            WaitResult::Answered(_) => return Err(failed("this can't be a task".to_owned())),
        };
        match answer.value {
            Some(CallValue::Given(value)) => {
                let principal = caller::principal(context).cloned();
                let value = read(value, Effort::without_a_run(principal)).await?;
                Ok(InquiryResult::Given(value))
            }
            Some(CallValue::Failed(why)) => Err(failed(why)),
            // A host's fault, which the log has.
            None => Err(failed(text_of(&result(answer)))),
        }
    }

    async fn inquired(
        &self,
        inquiry: Inquiry,
        context: &RequestContext<RoleServer>,
    ) -> Result<WaitResult, ErrorData> {
        self.can_be_asked(context);
        let request = Request {
            to_its_end: true,
            started: true,
            is_inquiry: true,
            ..Request::default()
        };
        let refused = |refused: CallToolResult| failed(text_of(&refused));
        let begun = match inquiry {
            Inquiry::Continued { state, responses } => {
                let run = self.held_run(&state, responses, context).await?;
                let notifications = Notifications::of_next_request(context, &run);
                BegunRun { run, notifications }
            }
            Inquiry::New {
                server,
                offered,
                arguments,
            } => {
                let arguments = to_raw_value(&arguments).map_err(|error| host_failed(&error))?;
                let call = DirectCall::new(&*server, offered.name(), arguments);
                let begun = RunRequest {
                    program: Program::Call(call),
                    options: RunOptions {
                        gives_value: true,
                        ..RunOptions::default()
                    },
                    until: None,
                    given: InputResponses::new(),
                };
                Box::pin(self.begin(begun, context))
                    .await
                    .map_err(refused)?
            }
        };
        let BegunRun { run, notifications } = begun;
        Ok(Box::pin(self.waits_on(run, &notifications, request, context)).await)
    }
}

/// What a refusal says.
fn text_of(refused: &CallToolResult) -> String {
    let texts = refused.content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(&*text.text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

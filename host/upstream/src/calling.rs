//! A call's way to its server: its turn, the connection, the pace; and once more, where the
//! connection broke and that does no harm.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{CallContext, CallError, CallState, Deadline, ToolResult};
use ampoule_untrusted::text;
use serde_json::{Map, Value};

use super::asks::Called;
use super::connection::{Again, Connection};
use super::listing::ForCall;
use super::mirrored::Argument;
use super::{Inner, offers};

impl Inner {
    pub(super) async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        context.keep_back();
        let late = || self.too_late(tool, &context);
        let whose = context.call().principal.as_ref();
        let turn = self.gate.turn(whose, self.call_timeout).await;
        let turn = turn.map_err(|busy| match busy.waited {
            true => late(),
            false => self.too_many(tool, busy.again),
        })?;
        let connection = self.supervisor.connection().await?;
        let known = self.listing.for_call(tool);
        // The list of tools is brought up to date, where it isn't, without anyone waiting for it.
        if !known.is_current {
            drop(self.asking());
        }
        let (params, known) = match offers::inquiry(tool) {
            Some(_) => (arguments, ForCall::of_inquiry(known)),
            None => (params_of(tool, arguments), known),
        };
        let patience = Deadline::after(self.call_timeout);
        let call = Called::new(context.clone(), patience.clone());
        let answer = tokio::select! {
            biased;
            answer = self.send(tool, (params, known), &call, connection) => answer,
            () = patience.passed() => Err(late()),
        };
        drop(turn);
        answer
    }

    /// Sends a call. Where the connection broke before it was sent, it is sent on a new one; and
    /// where it broke after that, if the tool may be called [again](Again); but only once.
    async fn send(
        &self,
        tool: &str,
        (mut params, known): (Map<String, Value>, ForCall),
        call: &Called,
        connection: Arc<Connection>,
    ) -> Result<ToolResult, CallError> {
        let (again, mirrored) = (known.again, known.mirrored.as_deref().unwrap_or_default());
        let first = self.send_on(&connection, (tool, mirrored), (&mut params, again), call);
        let first = first.await;
        let broke = match first {
            Err(error @ CallError::Lost(_)) if again == Again::Yes => error,
            Err(error @ CallError::NotReached(_))
                if !connection.is_open() && (again == Again::Yes || !params.is_empty()) =>
            {
                call.keep_back();
                error
            }
            answered => return answered,
        };
        drop(connection);
        tracing::debug!(server = %self.name, tool, %broke, "the call is sent again");
        let connection = match self.supervisor.connection().await {
            Ok(connection) => connection,
            Err(_) if matches!(broke, CallError::Lost(_)) => return Err(broke),
            Err(error) => return Err(error.into()),
        };
        let sent = (&mut params, Again::No);
        let second = self.send_on(&connection, (tool, mirrored), sent, call);
        match (second.await, broke) {
            // What is not known of the first stays unknown.
            (Err(CallError::NotReached(why)), CallError::Lost(_)) => Err(CallError::Lost(why)),
            (answered, _) => answered,
        }
    }

    async fn send_on(
        &self,
        connection: &Connection,
        (tool, mirrored): (&str, &[Argument]),
        sent: (&mut Map<String, Value>, Again),
        call: &Called,
    ) -> Result<ToolResult, CallError> {
        self.gate.pace(call.principal()).await;
        match offers::inquiry(tool) {
            Some(inquiry) => inquiry.answer(connection, sent.0, call).await,
            None => connection.call((tool, mirrored), sent, call).await,
        }
    }

    fn too_many(&self, tool: &str, again: Duration) -> CallError {
        let (server, tool, again) = (&self.name, text::one_line(tool), again.as_secs());
        CallError::NotReached(format!(
            "busy, again in {again} s: too many calls wait for MCP server `{server}`, and the call to `{tool}` was not sent"
        ))
    }

    fn too_late(&self, tool: &str, context: &CallContext) -> CallError {
        let waited = humantime::format_duration(self.call_timeout);
        let (server, tool) = (&self.name, text::one_line(tool));
        match context.state_if_given_up() {
            CallState::NotSent => CallError::NotReached(format!(
                "MCP server `{server}` had no room for the call to `{tool}` within {waited}: more calls wait for it than it is allowed"
            )),
            _ => CallError::TimedOut(format!(
                "MCP server `{server}` did not answer the call to `{tool}` within {waited}"
            )),
        }
    }
}

fn params_of(tool: &str, arguments: Map<String, Value>) -> Map<String, Value> {
    let params = [
        ("name".to_owned(), tool.into()),
        ("arguments".to_owned(), arguments.into()),
    ];
    params.into_iter().collect()
}

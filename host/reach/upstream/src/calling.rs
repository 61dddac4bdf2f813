//! A call's way to its server: its turn, the connection, the pace; and once more, where the
//! connection broke and that does no harm, or where the server wants other headers.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{CallContext, CallError, CallState, Deadline, ToolResult};
use ampoule_untrusted::text;
use http::HeaderMap;
use serde_json::{Map, Value};

use super::asks::Called;
use super::connection::{Again, Connection, Failure};
use super::listing::ForCall;
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
        self: &Arc<Self>,
        tool: &str,
        (mut params, known): (Map<String, Value>, ForCall),
        call: &Called,
        connection: Arc<Connection>,
    ) -> Result<ToolResult, CallError> {
        let again = known.again;
        let first = self.send_on(&connection, (tool, &known), (&mut params, again), call);
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
        let second = self.send_on(&connection, (tool, &known), sent, call);
        match (second.await, broke) {
            // What is not known of the first stays unknown.
            (Err(CallError::NotReached(why)), CallError::Lost(_)) => Err(CallError::Lost(why)),
            (answered, _) => answered,
        }
    }

    /// Sends a call on this connection; once more, where the server wants other headers than those
    /// of the tool as it was known. That is how a call is sent before the tools were listed, too.
    async fn send_on(
        self: &Arc<Self>,
        connection: &Connection,
        (tool, known): (&str, &ForCall),
        (params, again): (&mut Map<String, Value>, Again),
        call: &Called,
    ) -> Result<ToolResult, CallError> {
        self.gate.pace(call.principal()).await;
        if let Some(inquiry) = offers::inquiry(tool) {
            return inquiry.answer(connection, params, call).await;
        }
        let had = connection.headers(known.mirrored(), params);
        let first = connection.call((tool, had.clone()), (&mut *params, again), call);
        let refused = match first.await {
            Err(refused @ Failure::Headers(_)) if connection.repeats_arguments() => refused,
            answered => return Ok(answered?),
        };
        call.keep_back();
        let Some(headers) = self.other_headers(connection, tool, params, &had).await else {
            return Err(refused.into());
        };
        self.gate.pace(call.principal()).await;
        Ok(connection
            .call((tool, headers), (params, again), call)
            .await?)
    }

    /// What a call's headers should have been, if not what it had: as the list has the tool by now,
    /// or else as the server has it when it is asked again.
    async fn other_headers(
        self: &Arc<Self>,
        connection: &Connection,
        tool: &str,
        params: &Map<String, Value>,
        had: &HeaderMap,
    ) -> Option<HeaderMap> {
        let other = || {
            let known = self.listing.for_call(tool);
            Some(connection.headers(known.mirrored(), params)).filter(|headers| headers != had)
        };
        if let Some(headers) = other() {
            return Some(headers);
        }
        tracing::debug!(server = %self.name, tool, "the server wants other headers: its tools are listed anew");
        self.listing.doubt();
        // Where it does not list them, there are no others.
        let _ = self.asking().await;
        other()
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

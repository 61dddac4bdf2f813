//! A call's way to its server: its turn, the connection, the pace; and once more, where the
//! connection broke and that does no harm, or where the server wants other headers.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Account, CallContext, CallError, CallState, Deadline, ToolResult};
use ampoule_untrusted::text;
use http::HeaderMap;
use serde_json::{Map, Value};

use super::active_call::ActiveCall;
use super::attempt::{Attempt, RequestError, Retry};
use super::connection::Connection;
use super::listing::CallTerms;
use super::offers;
use super::upstream::Inner;

/// A call of a tool, as it is sent; more than once where that does no harm.
struct Invocation<'a> {
    tool: &'a str,
    params: Map<String, Value>,
    terms: CallTerms,
    call: &'a ActiveCall,
}

impl Inner {
    pub(super) async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        context.keep_back();
        if self.is_signed {
            context.uses(Account::Shared);
        }
        let late = || self.too_late(tool, &context);
        let whose = context.call().principal.as_ref();
        let turn = self.gate.turn(whose, self.call_timeout).await;
        let turn = turn.map_err(|busy| match busy.waited {
            true => late(),
            false => self.too_many(tool, busy.again),
        })?;
        if let Some(respondent) = context.respondent() {
            self.supervisor.end_unaware(respondent.abilities());
        }
        let connection = self.supervisor.connection().await?;
        let terms = self.listing.call_terms(tool);
        // The list of tools is brought up to date, where it isn't, without anyone waiting for it.
        if !terms.is_current {
            drop(self.asking());
        }
        let (params, terms) = match offers::inquiry(tool) {
            Some(_) => (arguments, CallTerms::of_inquiry(terms)),
            None => (params_of(tool, arguments), terms),
        };
        let patience = Deadline::after(self.call_timeout);
        let call = ActiveCall::new(context.clone(), patience.clone());
        let invocation = Invocation {
            tool,
            params,
            terms,
            call: &call,
        };
        let answer = tokio::select! {
            biased;
            answer = self.send(invocation, connection) => answer,
            () = patience.passed() => Err(late()),
        };
        drop(turn);
        answer
    }

    /// Sends a call. Where the connection broke before it was sent, it is sent on a new one; and
    /// where it broke after that, if the tool may be called again ([`Retry`]); but only once.
    async fn send(
        self: &Arc<Self>,
        mut invocation: Invocation<'_>,
        connection: Arc<Connection>,
    ) -> Result<ToolResult, CallError> {
        let (tool, retry) = (invocation.tool, invocation.terms.retry);
        let first = self.send_on(&connection, &mut invocation, retry).await;
        let broke = match first {
            Err(error @ CallError::Lost(_)) if retry == Retry::Yes => error,
            Err(error @ CallError::NotReached(_))
                if !connection.is_open()
                    && (retry == Retry::Yes || !invocation.params.is_empty()) =>
            {
                invocation.call.keep_back();
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
        let second = self.send_on(&connection, &mut invocation, Retry::No);
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
        invocation: &mut Invocation<'_>,
        retry: Retry,
    ) -> Result<ToolResult, CallError> {
        let Invocation {
            tool,
            params,
            terms,
            call,
        } = invocation;
        self.gate.pace(call.principal()).await;
        if let Some(inquiry) = offers::inquiry(tool) {
            return inquiry.answer(connection, params, call).await;
        }
        let had = connection.headers(terms.mirrored(), params);
        let first = Attempt {
            headers: had.clone(),
            params: &mut *params,
            retry,
            call,
        };
        let refused = match connection.call_tool(tool, first).await {
            Err(refused @ RequestError::Headers(_)) if connection.repeats_arguments() => refused,
            answered => return Ok(answered?),
        };
        call.keep_back();
        let Some(headers) = self.other_headers(connection, tool, params, &had).await else {
            return Err(refused.into());
        };
        self.gate.pace(call.principal()).await;
        let second = Attempt {
            headers,
            params,
            retry,
            call,
        };
        Ok(connection.call_tool(tool, second).await?)
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
            let known = self.listing.call_terms(tool);
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

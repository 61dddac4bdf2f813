//! Calling a tool that was found: its arguments are checked, it is called, and its results are learnt from.

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_untrusted::json;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::outcome::{CallOutcome, Form, outcome_of, unwrapped};
use super::resolved::ResolvedTool;
use super::undo::Undoable;
use super::validate::ArgumentsError;
use super::whole::WholeCall;
use super::{Account, CallContext, CallError, FailureKind, Layers, ToolResult};

/// From how many bytes of JSON a result's shape is learnt where others wait for the thread.
const LEARNT_IN_PLACE: usize = 2_048;

impl ResolvedTool {
    /// Calls the tool with a JSON object that a guest sent, for an outcome of that form. Arguments
    /// that the schema does not allow never leave the host.
    #[doc(hidden)]
    pub fn call(
        &self,
        arguments: String,
        form: Form,
        context: CallContext,
        layers: Layers,
        effort: Effort,
    ) -> impl Future<Output = Result<CallOutcome, EffortError>> + Send + use<> {
        let tool = self.clone();
        async move {
            let price = effort::BYTE * arguments.len() as u64;
            let made_with = (form == Form::Whole).then(|| arguments.clone());
            let arguments = match tool.arguments(arguments, form, &effort).await? {
                Ok(arguments) => arguments,
                Err(problem) => return Ok(CallOutcome::failed(FailureKind::Arguments, problem)),
            };
            let made = context.clone();
            let promises = tool.listing.tool(tool.index).output_schema.is_some();
            let undoable = tool.undoable(&arguments);
            let answer = tool
                .forward(arguments, price, context, layers, &effort)
                .await?;
            if let (Some(undoable), Ok(result)) = (undoable, &answer) {
                // In a box: most calls have nothing that takes them back.
                Box::pin(undoable.answered(result, promises, &made, &effort)).await?;
            }
            let answer = match made_with {
                Some(arguments) => answer.map(|result| tool.marked(result, &arguments)),
                None => answer,
            };
            let outcome = outcome_of(answer, form, promises, &effort).await?;
            // What one principal's account holds is nothing that others learn from.
            let is_private = made.account() == Some(Account::Principal);
            if form == Form::Script && !promises && !is_private {
                tool.learn(&outcome, &effort).await?;
            }
            Ok(outcome)
        }
    }

    /// A call with these arguments, if there is something that takes it back.
    fn undoable(&self, arguments: &Map<String, Value>) -> Option<Undoable> {
        let rule = self.binding().undo(self.name())?;
        Some(Undoable::new(rule, arguments))
    }

    /// A whole answer, with what was called and the tool's app in its `_meta`.
    fn marked(&self, mut result: ToolResult, arguments: &str) -> ToolResult {
        let call = WholeCall {
            server: self.server().to_string(),
            tool: self.name().to_string(),
            arguments: RawValue::from_string(arguments.to_owned())
                .unwrap_or_else(|_| RawValue::NULL.to_owned()),
        };
        let app = self.definition().ui.as_deref();
        result.meta = Some(call.in_meta(result.meta.as_deref(), app));
        result
    }

    /// Learns from an outcome what the tool's results look like. It is done for all runs, so none
    /// of them pays.
    async fn learn(&self, outcome: &CallOutcome, effort: &Effort) -> Result<(), EffortError> {
        let CallOutcome::Value(json) = outcome else {
            return Ok(());
        };
        let seen = &self.definition().seen;
        if !seen.wants(json.len()) {
            return Ok(());
        }
        if json.len() <= LEARNT_IN_PLACE {
            seen.learn(json);
            return Ok(());
        }
        let (seen, json) = (seen.clone(), json.clone());
        let learn = move |_: &Effort| {
            seen.learn(&json);
            Ok(())
        };
        effort.elsewhere(learn).await
    }

    /// Calls the tool with arguments that were checked against another schema, or none.
    pub(super) async fn call_checked(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
        effort: &Effort,
    ) -> Result<ToolResult, CallError> {
        const MOST: u64 = effort::MOST_IN_PLACE / effort::BYTE;
        let broken_off = |broken_off: EffortError| CallError::Cancelled(broken_off.to_string());
        // As far as it was not paid when the guest sent them.
        let price = effort::BYTE * json::bytes_of(arguments.values(), MOST);
        let text = effort.work(price, move |_| Ok(Value::Object(arguments).to_string()));
        let text = text.await.map_err(broken_off)?;
        let arguments = self.arguments(text, Form::Script, effort).await;
        let arguments = arguments.map_err(broken_off)?.map_err(CallError::Denied)?;
        // It has passed the layers.
        let answer = self
            .forward(arguments, price, context, Layers::default(), effort)
            .await;
        answer.map_err(broken_off)?
    }

    /// Hands arguments that may leave to the binding. Large ones are decoded or written by it where
    /// that keeps nobody waiting. What is wrapped comes back as what is inside.
    async fn forward(
        &self,
        arguments: Map<String, Value>,
        price: u64,
        context: CallContext,
        layers: Layers,
        effort: &Effort,
    ) -> Result<Result<ToolResult, CallError>, EffortError> {
        let answer = if price <= effort::MOST_IN_PLACE {
            self.hand_over(arguments, context, &layers).await
        } else {
            let tool = self.clone();
            let calling = async move { tool.hand_over(arguments, context, &layers).await };
            effort.begin_elsewhere(Box::pin(calling)).await?
        };
        match self.listing.wraps_result(self.index) {
            true => unwrapped(answer, effort).await,
            false => Ok(answer),
        }
    }

    async fn hand_over(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
        layers: &Layers,
    ) -> Result<ToolResult, CallError> {
        let way = layers.before(&**self.server.binding(), self.name());
        let answer = way.call(arguments, context).await;
        if let Err(error) = &answer {
            tracing::debug!(server = %self.server(), tool = %self.name(), %error, "a call failed");
        }
        answer
    }

    /// What a guest sent, if it may leave; else why not. The text is not needed after that, and let
    /// go of.
    async fn arguments(
        &self,
        text: String,
        form: Form,
        effort: &Effort,
    ) -> Result<Result<Map<String, Value>, String>, EffortError> {
        let (tool, price) = (self.clone(), effort::BYTE * text.len() as u64);
        let is_soon_declared = self.listing.is_soon_declared(self.index);
        let read = move |_: &Effort| Ok(tool.listing.read(tool.index, &text, form));
        let read = match is_soon_declared {
            true => effort.work(price, read).await?,
            // What is made once is for all runs, so none of them pays.
            false => {
                effort.spend(price)?;
                effort.elsewhere(read).await?
            }
        };
        match read {
            Ok(arguments) => self.check(arguments, effort).await,
            Err(problem) => Ok(Err(problem)),
        }
    }

    /// Arguments that the schema allows; otherwise why not.
    async fn check(
        &self,
        arguments: Value,
        effort: &Effort,
    ) -> Result<Result<Map<String, Value>, String>, EffortError> {
        let listing = &self.listing;
        if let Some(fits) = listing.check_if_quick(self.index, &arguments, self.idiom, effort)? {
            return Ok(object(arguments, fits));
        }
        let tool = self.clone();
        let check = move |effort: &Effort| {
            let fits = tool
                .listing
                .check(tool.index, &arguments, tool.idiom, effort)?;
            Ok(object(arguments, fits))
        };
        effort.elsewhere(check).await
    }
}

/// The members of arguments that fit.
fn object(
    arguments: Value,
    fits: Result<(), ArgumentsError>,
) -> Result<Map<String, Value>, String> {
    match (fits, arguments) {
        (Err(problem), _) => Err(problem.to_string()),
        (Ok(()), Value::Object(arguments)) => Ok(arguments),
        (Ok(()), _) => Err("the arguments must be one object".to_owned()),
    }
}

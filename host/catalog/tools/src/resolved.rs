//! A tool that was found: what is said about it, and calling it.

use std::sync::Arc;

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::{Detail, Idiom, SchemaText, Tool, doc, signature, wit};
use ampoule_untrusted::json;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::catalog::{Server, ServerIdentifiers};
use super::listing::Listing;
use super::outcome::{CallOutcome, Form, outcome_of, unwrapped};
use super::undo::Undoable;
use super::unlisted::Unlisted;
use super::validate::ArgumentProblem;
use super::whole::WholeCall;
use super::{Account, Binding, CallContext, CallError, FailureKind, Layers, ToolResult};

/// What a byte of a declared schema costs, in units of fuel.
const DECLARED_BYTE: u64 = 32;

/// From how many bytes of JSON a result's shape is learnt where others wait for the thread.
const LEARNT_IN_PLACE: usize = 2_048;

/// A tool that was found, and may be called.
#[derive(Clone)]
pub struct ResolvedTool {
    pub(super) server: Arc<Server>,
    pub(super) listing: Arc<Listing>,
    /// Its place in the listing.
    pub(super) index: usize,
    /// How it is named and declared.
    pub(super) idiom: Idiom,
    /// Where its server could not say which tools it has when this one was asked for: what finds it
    /// later.
    pub(super) unlisted: Option<Arc<Unlisted>>,
}

/// A tool in short.
pub struct ToolSummary {
    /// The server's name.
    pub server: String,
    /// The tool's name.
    pub name: String,
    /// What scripts call it.
    pub identifier: String,
    /// What it does, in a line.
    pub description: String,
}

impl ResolvedTool {
    /// What its server is called in other languages.
    pub(super) fn server_called(&self) -> &ServerIdentifiers {
        self.server.called()
    }

    /// What scripts call the account that its server is, if they have to name it.
    pub(super) fn account_called(&self, idiom: Idiom) -> Option<String> {
        let is_named = !self.server.is_called_by_its_name();
        is_named.then(|| self.server.called_in(idiom))
    }

    /// The server's name.
    pub fn server(&self) -> &Arc<str> {
        self.server.name()
    }

    /// Its place in the list of its server's tools.
    pub fn place(&self) -> usize {
        self.index
    }

    /// The tool's name.
    pub fn name(&self) -> &Arc<str> {
        self.listing.name(self.index)
    }

    /// What scripts call it.
    pub fn identifier(&self) -> &str {
        self.listing.identifier(self.index, self.idiom)
    }

    /// Its server.
    pub fn its_server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Whether its server has told that it has it.
    pub(super) fn is_listed(&self) -> bool {
        self.unlisted.is_none()
    }

    /// Whether another is the same tool of the same list.
    pub(super) fn is_as_listed_in(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.listing, &other.listing) && self.index == other.index
    }

    /// Its server.
    pub(super) fn binding(&self) -> &Arc<dyn Binding> {
        self.server.binding()
    }

    /// The tool as a script would write it: `server.tool`.
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.server(), self.identifier())
    }

    /// What is said about it in lists.
    pub fn summary(&self) -> ToolSummary {
        let tool = self.listing.tool(self.index);
        ToolSummary {
            server: self.server().to_string(),
            name: tool.name.clone(),
            identifier: self.identifier().to_owned(),
            description: doc::first_sentence(said(tool)),
        }
    }

    /// What [`summary`](Self::summary) costs.
    #[doc(hidden)]
    pub fn price_of_summary(&self) -> u64 {
        let tool = self.listing.tool(self.index);
        effort::ITEM + effort::BYTE * said(tool).len() as u64
    }

    /// The tool as its server lists it: what is said of it holds.
    ///
    /// # Errors
    ///
    /// The server can't say which tools it has, for this reason; a call fails with the same.
    #[doc(hidden)]
    pub async fn listed(self) -> Result<Self, String> {
        match &self.unlisted {
            None => Ok(self),
            Some(unlisted) => unlisted.listed(self.name()).await,
        }
    }

    /// The tool's declaration, with its documentation; and what its results looked like so far, if
    /// the tool does not say.
    pub fn declare(&self, detail: Detail) -> String {
        let text = Self::declare_all(std::slice::from_ref(self), detail);
        match self.seen() {
            Some(seen) => format!("{}\n{} {seen}\n", text.trim_end(), self.comment()),
            None => text,
        }
    }

    /// What its results looked like so far: `seen: { items: { id: string }[] }`. Nothing where the
    /// tool says itself what they are, or none was seen.
    pub fn seen(&self) -> Option<String> {
        let tool = self.definition();
        let seen = signature::seen(tool, self.idiom).filter(|_| tool.output_schema.is_none())?;
        Some(format!("seen: {seen}"))
    }

    fn comment(&self) -> &'static str {
        match self.idiom {
            Idiom::TypeScript => "//",
            Idiom::Python => "#",
        }
    }

    /// The tool as it is called, what it takes and gives: `demo.getOrder({ id: string }): { … }`.
    pub fn signature(&self) -> String {
        let server = self.server.called_in(self.idiom);
        let signature = self.listing.signature(self.index, self.idiom);
        format!("{server}.{signature}")
    }

    /// The tool in a line: its [signature](Self::signature), and what it is for: `… // Gives one
    /// order`.
    pub fn in_a_line(&self) -> String {
        let signature = self.signature();
        match self.summary().description {
            nothing if nothing.is_empty() => signature,
            summary => format!("{signature} {} {summary}", self.comment()),
        }
    }

    /// The same, and what its results looked like so far, which may be more with each call.
    pub fn in_a_line_as_seen(&self) -> String {
        let line = self.in_a_line();
        match self.seen() {
            Some(seen) if line == self.signature() => format!("{line} {} {seen}", self.comment()),
            Some(seen) => format!("{line}; {seen}"),
            None => line,
        }
    }

    /// The package of some tools of one server in WIT.
    #[doc(hidden)]
    pub fn package(tools: &[Self]) -> Option<wit::Package> {
        let first = tools.first()?;
        let places = tools.iter().map(|tool| tool.index);
        Some(
            first
                .listing
                .package(&first.server.called().package, places),
        )
    }

    /// The tool's definition.
    pub fn definition(&self) -> &Tool {
        self.listing.tool(self.index)
    }

    /// Whether it says that it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.definition().annotations.read_only == Some(true)
    }

    /// Whether it says that calling it twice does no more than calling it once.
    pub fn is_repeatable(&self) -> bool {
        let hints = self.definition().annotations;
        hints.read_only == Some(true) || hints.idempotent == Some(true)
    }

    /// What [`declare`](Self::declare) costs.
    #[doc(hidden)]
    pub fn price_of_declaration(&self) -> u64 {
        let tool = self.listing.tool(self.index);
        let schemas = std::iter::once(&tool.input_schema).chain(&tool.output_schema);
        let schemas: usize = schemas.map(SchemaText::bytes).sum();
        let docs = tool.description.as_ref().map_or(0, String::len);
        ((docs + schemas) as u64).saturating_mul(DECLARED_BYTE)
    }

    /// The names of the arguments, required ones first, each kind in the schema's order.
    #[doc(hidden)]
    pub fn parameters(&self) -> Vec<String> {
        self.listing.parameters(self.index)
    }

    /// What [`parameters`](Self::parameters) costs.
    #[doc(hidden)]
    pub fn price_of_parameters(&self) -> u64 {
        self.listing.price_of_parameters(self.index)
    }

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

    /// Whether something takes its calls back.
    pub fn has_undo(&self) -> bool {
        self.binding().undo(self.name()).is_some()
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
    fits: Result<(), ArgumentProblem>,
) -> Result<Map<String, Value>, String> {
    match (fits, arguments) {
        (Err(problem), _) => Err(problem.to_string()),
        (Ok(()), Value::Object(arguments)) => Ok(arguments),
        (Ok(()), _) => Err("the arguments must be one object".to_owned()),
    }
}

/// What a tool says about itself.
fn said(tool: &Tool) -> &str {
    let said = tool.description.as_deref().or(tool.title.as_deref());
    said.unwrap_or_default()
}

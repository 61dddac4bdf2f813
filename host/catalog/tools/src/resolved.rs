//! A tool that was found, and what is said about it. `invocation`: calling it.

use std::sync::Arc;

use ampoule_effort as effort;
use ampoule_projection::{Detail, Idiom, SchemaText, Tool, doc, signature, wit};

use super::Binding;
use super::catalog::{Server, ServerIdentifiers};
use super::listing::Listing;
use super::unlisted::UnlistedServer;

/// What a byte of a declared schema costs, in units of fuel.
const DECLARED_BYTE: u64 = 32;

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
    pub(super) unlisted: Option<Arc<UnlistedServer>>,
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

    /// Whether a call that was handed to its server needs nothing but the answer.
    #[doc(hidden)]
    pub fn only_awaits_answers(&self) -> bool {
        self.binding().only_awaits_answers()
    }

    /// Whether something takes its calls back.
    pub fn has_undo(&self) -> bool {
        self.binding().undo(self.name()).is_some()
    }
}

/// What a tool says about itself.
fn said(tool: &Tool) -> &str {
    let said = tool.description.as_deref().or(tool.title.as_deref());
    said.unwrap_or_default()
}

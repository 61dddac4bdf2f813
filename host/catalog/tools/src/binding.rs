//! A binding: what offers tools, and carries out their calls.

use std::sync::Arc;

use ampoule_effort::EffortError;
use ampoule_fair::Principal;
use ampoule_projection::Tool;
use ampoule_projection::undo::UndoRule;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::ask::Abilities;
use super::call::CallContext;
use super::changes::{ListVersions, Subscription};
use super::failure::CallError;
use super::tool_result::ToolResult;

/// A named capability that isolates may be given: some tools, and the means to call them.
///
/// Bindings outlive runs and are shared by them: many calls are under way at once.
pub trait Binding: Send + Sync + 'static {
    /// The name that scripts use, as the operator configured it. Constant. `jira@work` is the account
    /// `work` of the server `jira`: scripts reach it as `tools.jira.as("work")`.
    fn name(&self) -> &str;

    /// The binding that this one stands before, if it is another one but for a few methods. Each
    /// method that has a default gives what that binding gives.
    fn inner(&self) -> Option<&dyn Binding> {
        None
    }

    /// Whether scripts mean this one where they name its server and no account: of `jira@work` and
    /// `jira@home`, which are accounts of the server `jira`, one may be.
    fn is_default_account(&self) -> bool {
        self.inner().is_some_and(|inner| inner.is_default_account())
    }

    /// What the binding says about itself, in a line, if it is known without waiting.
    fn description(&self) -> Option<String> {
        self.inner()?.description()
    }

    /// What the program behind it says that it is called, if it is known without waiting: MCP's
    /// `serverInfo.name`. Anybody may say so.
    fn says_it_is(&self) -> Option<String> {
        self.inner()?.says_it_is()
    }

    /// The tools, in the binding's order.
    ///
    /// Asked for whenever a run needs them, so an answer that is already known must come at once.
    /// May wait for a server to start, for as long as that takes. A caller that can't wait that
    /// long drops the future, and asks again later: that must not end a start that is under way.
    ///
    /// # Errors
    ///
    /// A [`BindingError`] says why there are none; it is shown to the script that asked.
    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>>;

    /// The tools, as far as they are known without waiting. They may be those of an earlier time.
    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.inner()?.known_tools()
    }

    /// What the binding has besides its tools, as tools whose names begin with `$`, such as `$read`:
    /// they are called as tools are, and not listed among them. Known once the tools are.
    fn offered(&self) -> Arc<[Tool]> {
        (self.inner()).map_or_else(Arc::default, |inner| inner.offered())
    }

    /// What keeps the tools from being known, if that is about to pass: a sentence about a server
    /// that is just starting. Known without waiting. It is shown to those who did not wait for
    /// [`tools`](Self::tools).
    fn starting(&self) -> Option<String> {
        self.inner()?.starting()
    }

    /// What keeps tools from being called now, though they may be known: a sentence about a server
    /// that could not be started, or wants a person to sign in. Known without waiting.
    fn trouble(&self) -> Option<String> {
        self.inner()?.trouble()
    }

    /// What state the server behind it is in, in a fixed word such as `ready`, if there is a server.
    /// Known without waiting.
    fn standing(&self) -> Option<&'static str> {
        self.inner()?.standing()
    }

    /// What is wrong with the tools that are known, such as some that had to be left out, a
    /// sentence each. Known without waiting.
    fn problems(&self) -> Arc<[String]> {
        (self.inner()).map_or_else(Arc::default, |inner| inner.problems())
    }

    /// What it knows that must not be written down, such as tokens. Known without waiting; there may
    /// be more after each call.
    fn secrets(&self) -> Vec<String> {
        (self.inner()).map_or_else(Vec::new, |inner| inner.secrets())
    }

    /// What takes back a call of the tool of that name, if anything does. Known without waiting.
    fn undo(&self, tool: &str) -> Option<Arc<UndoRule>> {
        self.inner()?.undo(tool)
    }

    /// Whether anything takes back a call of any of its tools. Known without waiting.
    fn has_undo(&self) -> bool {
        self.inner().is_some_and(|inner| inner.has_undo())
    }

    /// Brings tools that are already known up to date, if they may be those of an earlier time. May
    /// wait for a server to start.
    ///
    /// # Errors
    ///
    /// A [`BindingError`] says why that can't be done; the tools stay as they are known.
    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        match self.inner() {
            Some(inner) => inner.refresh(),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    /// Does what has to be done before the tools can be listed for the caller of this call, such as
    /// a sign-in of the caller's own. Asked where a script calls a tool of a binding whose list is
    /// not known. Whether something was done, so that the tools may be listed now.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why the call can't be made, and what its caller is to do.
    fn prepare<'a>(&'a self, context: &'a CallContext) -> BoxFuture<'a, Result<bool, CallError>> {
        match self.inner() {
            Some(inner) => inner.prepare(context),
            None => Box::pin(std::future::ready(Ok(false))),
        }
    }

    /// The tool that is meant by a call of a tool that the server had not told of when the call was
    /// made. Finds it out, for the caller of this call, and calls nothing. None where the tool is
    /// known: the call means what it says.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why it can't be found out, and what the caller is to do.
    #[doc(hidden)]
    fn learn<'a>(
        &'a self,
        _tool: &'a str,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<Arc<str>>, CallError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// What can be answered from now on, where the binding asks something during calls. Told before
    /// the calls whose [`Respondent`](crate::Respondent) answers; a server that runs by then may know less.
    fn can_be_answered(&self, abilities: Abilities) {
        if let Some(inner) = self.inner() {
            inner.can_be_answered(abilities);
        }
    }

    /// The changes to its lists, as they are told to this principal; none if it never tells. Known
    /// without waiting, and starts no server.
    fn list_changes(&self, principal: Option<&Principal>) -> Option<watch::Receiver<ListVersions>> {
        self.inner()?.list_changes(principal)
    }

    /// Has changes to a resource told to this principal. The address is the binding's own. May wait
    /// for a server to start. Whether the principal may read the resource is for the caller to find
    /// out.
    ///
    /// # Errors
    ///
    /// [`CallError`] says why no changes are told.
    fn subscribe<'a>(
        &'a self,
        address: &'a str,
        principal: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Subscription, CallError>> {
        match self.inner() {
            Some(inner) => inner.subscribe(address, principal),
            None => {
                let why = format!("`{}` does not report changes to resources", self.name());
                Box::pin(std::future::ready(Err(CallError::Refused(why))))
            }
        }
    }

    /// Calls a tool. `arguments` were validated against the tool's input schema. Dropping the
    /// future cancels the call.
    ///
    /// # Errors
    ///
    /// [`CallError`] if there is no result. An answer with `is_error` is a result.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;

    /// Whether a call that was handed over needs nothing but its answer, which somebody else gives: no
    /// thread has to work for it meanwhile. A run then looks at the call itself, where it waits.
    #[doc(hidden)]
    fn only_awaits_answers(&self) -> bool {
        false
    }

    /// Ends the connection to the server, also for calls that are active, and forgets that it failed:
    /// the next use starts it anew. Returns whether the binding has a connection that can be ended
    /// so.
    fn restart(&self) -> bool {
        self.inner().is_some_and(Binding::restart)
    }

    /// Lets go of what the binding holds, such as a server's process, and waits until it is gone.
    /// Dropping the binding does so too, without waiting.
    fn close(&self) -> BoxFuture<'_, ()> {
        match self.inner() {
            Some(inner) => inner.close(),
            None => Box::pin(std::future::ready(())),
        }
    }
}

/// Why a binding has no tools to offer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct BindingError {
    /// The sentence for the script that asked.
    pub message: String,
}

/// All of it is the binding's: one that has no size can't be another one's [`inner`](Binding::inner),
/// so each method is here.
impl<B: Binding + ?Sized> Binding for Arc<B> {
    fn name(&self) -> &str {
        B::name(self)
    }

    fn inner(&self) -> Option<&dyn Binding> {
        B::inner(self)
    }

    fn is_default_account(&self) -> bool {
        B::is_default_account(self)
    }

    fn description(&self) -> Option<String> {
        B::description(self)
    }

    fn says_it_is(&self) -> Option<String> {
        B::says_it_is(self)
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        B::tools(self)
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        B::known_tools(self)
    }

    fn offered(&self) -> Arc<[Tool]> {
        B::offered(self)
    }

    fn starting(&self) -> Option<String> {
        B::starting(self)
    }

    fn trouble(&self) -> Option<String> {
        B::trouble(self)
    }

    fn standing(&self) -> Option<&'static str> {
        B::standing(self)
    }

    fn problems(&self) -> Arc<[String]> {
        B::problems(self)
    }

    fn secrets(&self) -> Vec<String> {
        B::secrets(self)
    }

    fn undo(&self, tool: &str) -> Option<Arc<UndoRule>> {
        B::undo(self, tool)
    }

    fn has_undo(&self) -> bool {
        B::has_undo(self)
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        B::refresh(self)
    }

    fn prepare<'a>(&'a self, context: &'a CallContext) -> BoxFuture<'a, Result<bool, CallError>> {
        B::prepare(self, context)
    }

    fn learn<'a>(
        &'a self,
        tool: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<Arc<str>>, CallError>> {
        B::learn(self, tool, context)
    }

    fn can_be_answered(&self, abilities: Abilities) {
        B::can_be_answered(self, abilities);
    }

    fn list_changes(&self, principal: Option<&Principal>) -> Option<watch::Receiver<ListVersions>> {
        B::list_changes(self, principal)
    }

    fn subscribe<'a>(
        &'a self,
        address: &'a str,
        principal: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Subscription, CallError>> {
        B::subscribe(self, address, principal)
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        B::call(self, tool, arguments, context)
    }

    fn only_awaits_answers(&self) -> bool {
        B::only_awaits_answers(self)
    }

    fn restart(&self) -> bool {
        B::restart(self)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        B::close(self)
    }
}

impl From<EffortError> for BindingError {
    fn from(broken_off: EffortError) -> Self {
        Self {
            message: broken_off.to_string(),
        }
    }
}

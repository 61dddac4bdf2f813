//! What an isolate runs.

use ampoule_projection::Idiom;

use crate::component::Component;
use crate::direct_call::DirectCall;
use crate::script::{Check, Script};
use crate::undo::Undo;

/// What an isolate runs.
#[derive(Debug, Clone)]
pub enum Code {
    /// Source text, which an interpreting guest runs.
    Script(Script),
    /// A guest of its own.
    Component(Component),
    /// One call of a tool, which the host makes without a guest.
    Call(DirectCall),
    /// Calls that take back those of another run, which the host makes without a guest.
    Undo(Undo),
}

impl Code {
    /// How tools are named and declared for it.
    #[doc(hidden)]
    pub fn idiom(&self) -> Idiom {
        match self {
            Self::Script(script) => script.language().idiom(),
            Self::Component(_) => Idiom::default(),
            Self::Call(call) => call.idiom(),
            Self::Undo(_) => Idiom::default(),
        }
    }

    /// The same, checked in this way if it is a script that says nothing else.
    #[doc(hidden)]
    #[must_use]
    pub fn checked_as(mut self, check: Check) -> Self {
        if let Self::Script(script) = &mut self
            && script.check.is_default()
        {
            script.check = check;
        }
        self
    }

    /// Whether nothing of it is to run.
    #[doc(hidden)]
    pub fn is_only_checked(&self) -> bool {
        matches!(self, Self::Script(script) if script.check == Check::Alone)
    }

    /// Leaves out the check of a script that has been checked already.
    #[doc(hidden)]
    pub fn leave_out_check(&mut self) {
        if let Self::Script(script) = self {
            script.check = Check::Off;
        }
    }

    /// What a caller wrote for this run, in bytes.
    #[doc(hidden)]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Script(script) => script.bytes(),
            Self::Component(component) => component.arguments_text().len() as u64,
            Self::Call(call) => call.bytes(),
            Self::Undo(undo) => undo.bytes(),
        }
    }
}

impl From<Script> for Code {
    fn from(script: Script) -> Self {
        Self::Script(script)
    }
}

impl From<Component> for Code {
    fn from(component: Component) -> Self {
        Self::Component(component)
    }
}

impl From<DirectCall> for Code {
    fn from(call: DirectCall) -> Self {
        Self::Call(call)
    }
}

impl From<Undo> for Code {
    fn from(undo: Undo) -> Self {
        Self::Undo(undo)
    }
}

//! What an isolate runs.

use ampoule_projection::Idiom;

use crate::component::Component;
use crate::script::Script;

/// What an isolate runs.
#[derive(Debug, Clone)]
pub enum Code {
    /// Source text, which an interpreting guest runs.
    Script(Script),
    /// A guest of its own.
    Component(Component),
}

impl Code {
    /// How tools are named and declared for it.
    #[doc(hidden)]
    pub fn idiom(&self) -> Idiom {
        match self {
            Self::Script(script) => script.language().idiom(),
            Self::Component(_) => Idiom::default(),
        }
    }

    /// What a caller wrote for this run, in bytes.
    #[doc(hidden)]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Script(script) => script.bytes(),
            Self::Component(component) => component.arguments_text().len() as u64,
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

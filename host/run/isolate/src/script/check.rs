//! Whether a script is checked before anything of it runs.

use serde::{Deserialize, Serialize};
use wasmtime::component::{ComponentType, Lower};

/// Whether the calls that are written in a script are compared with the tools that it was granted,
/// before anything of it runs. What the text does not prove passes.
///
/// It is `ampoule:guest/script.checking`, too.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ComponentType, Lower,
)]
#[component(enum)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Check {
    /// They are not: a mistake is found when the script comes to it.
    #[component(name = "off")]
    Off,
    /// They are, and a script with a mistake ends with an error that lists all of them.
    #[default]
    #[component(name = "first")]
    First,
    /// They are, and the script does not run: where there is no mistake, it ends and returned
    /// nothing.
    #[component(name = "alone")]
    Alone,
}

impl Check {
    /// Whether it is what scripts have that say nothing of it.
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

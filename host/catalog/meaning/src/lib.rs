//! What texts mean, as vectors. The vectors of two texts with the same meaning point the same way.
//!
//! The text of servers goes through the tokenizer and the arithmetic, and nowhere else.
//!
//! - `model`: a model from its file; `file`: the file; `words`: its tokenizer; `layers`: its
//!   arithmetic
//! - `shelf`: vectors on disk, for all processes of a user

mod file;
mod layers;
mod model;
mod shelf;
#[cfg(test)]
mod tests;
mod words;

use std::io;
use std::sync::Arc;

use ampoule_effort::EffortError;
use rten_gemm::GemmError;

pub use model::Model;

/// What the file of a model is called beside the program.
pub const FILE: &str = "ampoule-model.safetensors";

/// Why a model can't be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// The file can't be read.
    #[error("the file of the model can't be read: {0}")]
    File(Arc<io::Error>),
    /// The file is not a model that this can read.
    #[error("the file is not a model for search (its {0})")]
    Content(&'static str),
    /// There is no thread for the model.
    #[error("there is no thread for the model")]
    Thread,
    /// The caller has no effort left, or has stopped waiting.
    #[error(transparent)]
    Effort(#[from] EffortError),
}

impl From<io::Error> for ModelError {
    fn from(error: io::Error) -> Self {
        Self::File(Arc::new(error))
    }
}

impl From<GemmError> for ModelError {
    fn from(_: GemmError) -> Self {
        Self::Content("shapes")
    }
}

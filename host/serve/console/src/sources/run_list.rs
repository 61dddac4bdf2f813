//! All runs that one audience may see.

use std::sync::Arc;

use crate::model::RunRow;

/// The runs, the newest first, and what could not be read.
#[derive(Debug)]
pub(crate) struct RunList {
    pub(super) rows: Vec<Arc<RunRow>>,
    pub(super) problems: Vec<String>,
}

//! Part of a long list.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The number of rows on a page if a request does not say.
const USUAL: usize = 50;
/// The largest page.
const MOST: usize = 500;

/// The part of a list that is wanted.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// The `next` of the page before. Default: the first page.
    pub cursor: Option<String>,
    /// The most rows, up to 500. Default: 50.
    pub limit: Option<usize>,
}

impl PageQuery {
    /// The most rows of the page.
    pub fn rows(&self) -> usize {
        self.limit.unwrap_or(USUAL).clamp(1, MOST)
    }
}

/// Part of a list, and how to get the next part.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The `cursor` of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The number of rows in the whole list, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Problems of the list, a sentence each: a server that did not answer, a damaged file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

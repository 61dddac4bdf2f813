//! What answers are made of: texts, values and content blocks of MCP, within the room that a model
//! has for them.
//!
//! - [`blocks`]: what a run returned, as content blocks; [`media`]: pictures and other bytes within
//!   values and texts
//! - `whole`: whole answers of tools; `addresses`: resources of servers, as clients see them
//! - `cut`: values and texts that are too large; `tokens`: how much of a model's room they take
//! - `text`: names and errors of others

pub(crate) mod addresses;
pub mod blocks;
pub(crate) mod cut;
pub mod media;
pub(crate) mod text;
pub(crate) mod tokens;
mod whole;

pub(crate) use whole::WholeAnswer;

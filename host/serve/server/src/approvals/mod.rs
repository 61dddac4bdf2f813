//! Approvals of calls: in the dialogues of the runs' clients, and on a page.
//!
//! Nothing that a model sends, code or arguments, counts as an answer: an answer is what a client
//! sends apart from those, for its person, to a question that the client got. The holder of a
//! principal's token is trusted to ask that principal.
//!
//! - [`Dialogues`]: in clients
//! - [`Pages`]: how people get addresses of the page; `loopback`: the page if no HTTP server has it

mod loopback;
mod pages;

pub use self::pages::Pages;
pub use crate::runs::asking::dialogues::Dialogues;

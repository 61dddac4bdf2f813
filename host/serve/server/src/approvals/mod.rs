//! People are asked whether calls may be made: in the dialogues of the clients whose runs they are,
//! and on a page.
//!
//! What a model sends, code and arguments, never gets here: an answer is what a client sends beside
//! those, as its person's, to a question that it was asked. Who holds a principal's token is trusted
//! to ask that principal.
//!
//! - [`Dialogues`]: in clients
//! - [`Pages`]: where addresses of the page are made known; `loopback`: where the page is, if no
//!   server over HTTP has it

mod loopback;
mod pages;

pub use self::pages::Pages;
pub use crate::runs::asking::dialogues::Dialogues;

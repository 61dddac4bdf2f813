//! People are asked whether calls may be made: in the dialogues of the clients whose runs they are,
//! and on a page.
//!
//! What a model sends, code and arguments, never gets here: an answer is what a client sends beside
//! those, as its person's, to a question that it was asked. Who holds a principal's token is trusted
//! to ask that principal.
//!
//! - [`Dialogues`]: in clients; `reached`: how a run's client is asked; `states`: what clients keep
//!   meanwhile
//! - [`Pages`]: where addresses of the page are made known; `loopback`: where the page is, if no
//!   server over HTTP has it
//! - `waits`: what is said of runs that wait for a person

mod dialogues;
mod loopback;
mod pages;
mod reached;
pub(crate) mod states;
mod waits;

pub use self::dialogues::Dialogues;
pub use self::pages::Pages;

pub(crate) use self::reached::{Reached, Registered};
pub(crate) use self::waits::Waits;

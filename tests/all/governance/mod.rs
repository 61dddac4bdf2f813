//! What stands between a grant and a call.
//!
//! - `story`: one from the first script to the proof of what was done; `stories`: the same in
//!   clients' dialogues and on the page
//! - `attacks`: what a model, a folder or a full disk may try; `laundering`: so that what a run has
//!   read gets where it must not
//! - `told`: messages to operators' systems, and what counts over restarts
//! - `documented`: what `docs/operate/governance.md` shows, from the first line to the last

mod attacks;
mod documented;
mod laundering;
mod stories;
mod story;
mod told;

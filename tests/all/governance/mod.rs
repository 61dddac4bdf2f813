//! What stands between a grant and a call.
//!
//! - `documented`: what `docs/governance.md` shows, from the first line to the last

mod documented;
mod story;

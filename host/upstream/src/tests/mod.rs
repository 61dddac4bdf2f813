//! What an upstream does with servers of all kinds.

mod calls;
mod eras;
mod floods;
mod genuine;
mod http;
mod lists;
mod processes;

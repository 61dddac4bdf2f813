//! What an upstream does with servers of all kinds.

mod calls;
mod eras;
mod floods;
mod genuine;
mod lists;
mod processes;

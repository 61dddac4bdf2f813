//! What an upstream does with servers of all kinds.

mod asks;
mod calls;
mod eras;
mod floods;
mod genuine;
mod lists;
mod offers;
mod processes;

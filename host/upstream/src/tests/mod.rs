//! What an upstream does with servers of all kinds.

mod breaks;
mod calls;
mod eras;
mod floods;
mod gates;
mod genuine;
mod http;
mod idles;
mod lists;
mod processes;
mod states;

//! What an upstream does with servers of all kinds.

mod asks;
mod breaks;
mod calls;
mod eras;
mod floods;
mod gates;
mod genuine;
mod http;
mod idles;
mod input_required;
mod lists;
mod lost_ids;
mod notifications;
mod offers;
mod processes;
mod states;
mod tasks;
mod traces;
mod watching;

//! What clients are told unasked: that a list has changed, or a resource that they want to hear of.
//!
//! A client that has a session is told over its connection, or over the stream that it opens for
//! that; since 2026-07-28, by a request that stays open. A server is asked once, however many want
//! to hear of one of its resources.
//!
//! - `changes`: what a client has not been told yet; `watcher`: what it wants to hear of
//! - `lists`: changes of lists; `subscribing`: of resources that the client may read
//! - `listening`: a request that stays open
//! - `shares`: how much of it each principal has

pub(crate) mod changes;
pub(crate) mod listening;
pub(crate) mod lists;
pub(crate) mod shares;
mod subscribing;
pub(crate) mod watcher;

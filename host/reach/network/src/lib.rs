//! What the HTTP clients of this process share, whatever they are for.
//!
//! - `tls`: whom to trust, and who to be
//! - `failure`: why a request failed, in words; `exhausted`: where the system has nothing left to give
//! - `addresses`: which are a private network's

mod addresses;
mod exhausted;
mod failure;
mod tls;

pub use addresses::is_private;
pub use exhausted::{EXHAUSTED, has_room_for_servers, is_exhausted};
pub use failure::explained;
pub use tls::Tls;

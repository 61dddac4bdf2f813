//! What attackers tried, each kind of it as a test.
//!
//! - `work`: the host's own work for a run

mod work;

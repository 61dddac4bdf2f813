//! Who was let in.

use crate::model::Viewer;

/// The sender of a request that was let in.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The person or program.
    pub viewer: Viewer,
    /// The token that each form and each POST of a script has to send back. Empty for programs that
    /// come with a bearer token: no browser sends such a token by itself.
    pub csrf: String,
}

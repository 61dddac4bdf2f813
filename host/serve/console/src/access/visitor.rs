//! Who was let in.

use http::HeaderValue;

use crate::model::Viewer;

/// The sender of a request that was let in.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The person or program.
    pub viewer: Viewer,
    /// The token that each form and each POST of a script has to send back. Empty for programs that
    /// come with a bearer token: no browser sends such a token by itself.
    pub csrf: String,
    /// What let them in.
    pub(crate) credential: Credential,
}

/// What lets somebody in: it is looked at again while a live stream is open.
#[derive(Debug, Clone)]
pub(crate) enum Credential {
    /// The cookie of a browser, hashed.
    Browser(blake3::Hash),
    /// The token of a program.
    Token(HeaderValue),
}

//! What scripts call the server of components.

/// The server whose tools are components.
pub const COMPONENTS_SERVER: &str = "components";

//! What scripts call the binding of skills.

/// The server by which scripts save and list skills.
pub const SKILLS_SERVER: &str = "skills";

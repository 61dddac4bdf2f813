//! A server whose tools are written to files.

use ampoule_tools::{ResolvedTool, ServerIdentifiers};

/// A server whose files are written.
pub(super) struct GeneratedServer {
    pub(super) called: ServerIdentifiers,
    /// Its accounts, if scripts choose one of several.
    pub(super) accounts: Vec<GeneratedAccount>,
    pub(super) tools: Vec<ResolvedTool>,
    /// What the server offers besides tools, for scripts only.
    pub(super) offered: Vec<ResolvedTool>,
}

/// An account of a server that scripts choose by its name.
pub(super) struct GeneratedAccount {
    pub(super) name: String,
    /// Its tools, as far as they are known.
    pub(super) tools: Vec<ResolvedTool>,
}

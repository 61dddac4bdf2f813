//! How commands that show data print it.

use clap::Args;

/// Text for people, or JSON for programs.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Output {
    /// Prints JSON instead of text.
    #[arg(long = "json", global = true)]
    pub(super) as_json: bool,
}

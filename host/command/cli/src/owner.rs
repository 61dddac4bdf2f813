//! The option `--principal`, the same for all commands that show stored things of runs.

use ampoule::Principal;
use clap::{Arg, Args};

use super::output::Output;
use super::setup::Setup;

/// Whose things are meant, and how to print them. The help of `--principal` is [`help_of`].
#[derive(Debug, Args)]
pub(super) struct OwnerArguments {
    #[arg(long, value_name = "NAME", global = true)]
    principal: Option<String>,
    #[command(flatten)]
    pub(super) output: Output,
    #[command(flatten)]
    pub(super) setup: Setup,
}

impl OwnerArguments {
    /// The named principal; none for the local user.
    pub(super) fn principal(&self) -> Option<Principal> {
        self.principal.as_deref().map(Principal::new)
    }
}

/// Sets the help of `--principal`, with the kind of `things`.
pub(super) fn help_of(things: &'static str) -> impl FnOnce(Arg) -> Arg {
    move |principal| {
        principal.help(format!(
            "The principal whose {things} are meant. Default: the local user"
        ))
    }
}

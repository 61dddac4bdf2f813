//! What commands that show what is kept of runs are asked alike.

use ampoule::Principal;
use clap::{Arg, Args};

use super::output::Output;
use super::setup::Setup;

/// Whose things are meant, and how they are told. What `--principal` says of itself is
/// [`help_of`].
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
    /// The principal that is named; none for the local user.
    pub(super) fn principal(&self) -> Option<Principal> {
        self.principal.as_deref().map(Principal::new)
    }
}

/// Gives `--principal` its help, where it says whose `things` are meant.
pub(super) fn help_of(things: &'static str) -> impl FnOnce(Arg) -> Arg {
    move |principal| {
        principal.help(format!(
            "Whose {things}, where clients of `ampoule serve` have names. Default: the local user's"
        ))
    }
}

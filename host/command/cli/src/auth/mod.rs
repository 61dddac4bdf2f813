//! `ampoule auth`: sign-ins to servers, and tokens of clients.
//!
//! - `login`: signing in to remote servers, and out; `ls`: the sign-ins that there are
//! - `principals`: how principals sign in to servers
//! - `token`: tokens that identify the clients of `ampoule serve`

mod login;
mod ls;
mod principals;
mod token;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::exit::Failure;

pub(super) use principals::{PrincipalAccounts, server_address};

/// Signs in to servers, and creates tokens for clients of `serve`.
#[derive(Debug, Args)]
pub(super) struct Auth {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Login(login::Login),
    Logout(login::Logout),
    Ls(ls::Ls),
    Token(token::Token),
}

impl Auth {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        match self.task {
            Task::Login(login) => login.execute().await,
            Task::Logout(logout) => logout.execute().await,
            Task::Ls(ls) => ls.execute().await,
            Task::Token(token) => token.execute(),
        }
    }
}

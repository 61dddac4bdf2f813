//! `ampoule auth`: sign-ins to servers, and tokens of clients.
//!
//! - `login`: signing in to remote servers, and out
//! - `token`: tokens that identify the clients of `ampoule serve`

mod login;
mod token;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::exit::Failure;

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
    Token(token::Token),
}

impl Auth {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        match self.task {
            Task::Login(login) => login.execute().await,
            Task::Logout(logout) => logout.execute().await,
            Task::Token(token) => token.execute(),
        }
    }
}

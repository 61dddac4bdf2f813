//! `ampoule demo-server`: a server to try.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;

use super::exit::Failure;
use super::streams;

/// Serves a made-up business over MCP on standard input and output, to try Ampoule or any MCP
/// client.
///
/// Customers, orders, products and tickets are the same at every start; changes last as long as the
/// server.
#[derive(Debug, Args)]
pub(super) struct DemoServer {}

impl DemoServer {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        say_who_starts_this("ampoule run");
        ampoule_demo::serve_stdio()
            .await
            .map(|()| ExitCode::SUCCESS)
            .map_err(|error| Failure::host(&error))
    }
}

/// Explains on a terminal that a client has to start the server: a person would see nothing happen.
pub(super) fn say_who_starts_this(client: &str) {
    if std::io::stdin().is_terminal() {
        streams::err().note(format_args!(
            "this is an MCP server that reads requests from standard input. A client starts it, such as {client}. Ctrl-C stops it"
        ));
    }
}

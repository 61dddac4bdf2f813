//! The command `ampoule`: one file for each subcommand.
//!
//! - `parked`: runs that wait, and those that go on where a process was stopped
//! - `sessions`: what runs left for the next one of the same name; `files`: what they wrote;
//!   `skills`: code that they saved; `whose`: what the commands for these are asked alike
//! - `run`: a script, once; `serve`: the MCP server; `over_http`: the same for many clients; `runs`:
//!   what servers run, and `records`: what runs left to be run again; `replay`: that; `tools`: what scripts may call; `bench`: what they cost a model;
//!   `demo_server`: a server to try
//! - `governance`: from the configuration to what stands between a grant and a call; `policy`: what
//!   policies say; `approvals`: calls that wait for a person; `audit`: what was done, and `stats`,
//!   counted
//! - `install`: Ampoule in other clients' configuration; `changes`: changes of its own
//! - `servers`: which servers are configured; `doctor`: whether everything works; `probe`: how
//!   servers are; `generate`: the tools as files; `warm`: compiles the guests ahead of the first run
//! - `login`: signing in to remote servers, and out; `token`: who may use `serve`
//! - `setup`: from the configuration to a runtime, the same for all of them; `lasting`: what is kept
//!   of runs; `outbound`: which requests scripts may have made; `upstreams`: its servers; `disabled`: those whose entries are faulty
//! - `completions`: the command line itself, for shells and for `man`
//! - `streams`: standard output and error; `log`: what goes to the log; `colour`: when there are
//!   colours; `exit`: how the process ends
//! - `memory`: what the process gives back to the system
//! - `doing`: what a run is doing, while one waits for it; `cost`: what it would have cost a model
//!   in tokens

mod approvals;
mod asking;
mod audit;
mod bench;
mod changes;
mod code;
mod colour;
mod completions;
mod cost;
mod doctor;
mod doing;
mod exit;
mod files;
mod form;
mod generate;
mod governance;
mod install;
mod log;
mod login;
mod memory;
mod over_http;
mod parked;
mod policy;
mod probe;
mod records;
mod replay;
mod run;
mod runs;
mod serve;
mod servers;
mod sessions;
mod setup;
mod skills;
mod stats;
mod streams;
mod token;
mod tools;
mod warm;
mod whose;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use colour::Colour;
use exit::Failure;
use log::LogOptions;

/// Runs scripts that language models write, each in a fresh sandbox whose only way out is the MCP
/// tools that it was granted.
#[derive(Debug, Parser)]
#[command(name = "ampoule", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    colour: Colour,
    #[command(flatten)]
    log: LogOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Runs(runs::Runs),
    Replay(replay::Replay),
    Serve(serve::Serve),
    Tools(tools::Tools),
    Bench(bench::Bench),
    Servers(servers::Servers),
    Sessions(sessions::SessionsCommand),
    Files(files::Files),
    Skills(skills::SkillsCommand),
    Policy(policy::Policy),
    Approvals(approvals::Approvals),
    Audit(audit::Audit),
    Stats(stats::Stats),
    Init(changes::Init),
    Doctor(doctor::Doctor),
    Install(install::Install),
    Uninstall(install::Uninstall),
    Generate(generate::Generate),
    Warm(warm::Warm),
    Login(login::Login),
    Logout(login::Logout),
    Token(token::Token),
    Completions(completions::Completions),
    #[command(hide = true)]
    Manual(completions::Manual),
    /// Serves a made-up business over MCP on standard input and output, to try Ampoule or any MCP
    /// client on.
    ///
    /// Customers, orders, products and tickets are the same at every start; changes last as long as
    /// the server.
    DemoServer,
}

fn main() -> ExitCode {
    memory::give_large_memory_back();
    let cli = match parsed() {
        Ok(cli) => cli,
        Err(help) => return explain(&help),
    };
    cli.colour.apply();
    log::to_stderr(cli.log, cli.command.reports_its_servers());
    let runtime = match ampoule::executor() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::host(&error).report(),
    };
    let ended = runtime.block_on(async {
        let ended = match cli.command {
            Command::Run(run) => run.execute().await,
            Command::Runs(runs) => runs.execute().await,
            Command::Replay(replay) => replay.execute().await,
            Command::Serve(serve) => serve.execute().await,
            Command::Tools(tools) => tools.execute().await,
            Command::Bench(bench) => bench.execute().await,
            Command::Servers(servers) => servers.execute().await,
            Command::Sessions(sessions) => sessions.execute(),
            Command::Files(files) => files.execute(),
            Command::Skills(skills) => skills.execute().await,
            Command::Policy(policy) => policy.execute().await,
            Command::Approvals(approvals) => approvals.execute(),
            Command::Audit(audit) => audit.execute(),
            Command::Stats(stats) => stats.execute(),
            Command::Init(init) => init.execute(),
            Command::Doctor(doctor) => doctor.execute().await,
            Command::Install(install) => install.execute(),
            Command::Uninstall(uninstall) => uninstall.execute(),
            Command::Generate(generate) => generate.execute().await,
            Command::Warm(warm) => warm.execute().await,
            Command::Login(login) => login.execute().await,
            Command::Logout(logout) => logout.execute().await,
            Command::Token(token) => token.execute(),
            Command::Completions(completions) => Ok(completions.execute()),
            Command::Manual(manual) => manual.execute(),
            Command::DemoServer => demo_server().await,
        };
        let code = ended.unwrap_or_else(Failure::report);
        log::tell_what_was_left_out();
        streams::finish().await;
        code
    });
    // Reading standard input can't be interrupted, so nothing waits for a thread that still does.
    runtime.shutdown_background();
    ended
}

/// The command line. On a narrow terminal, help has no column that is too narrow for words.
fn parsed() -> Result<Cli, clap::Error> {
    let mut command = Cli::command().next_line_help(streams::are_narrow());
    let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Shows help that was asked for, or says what is wrong with the command line.
fn explain(help: &clap::Error) -> ExitCode {
    Colour::apply_to_help();
    let said = help.render().ansi().to_string();
    // Where nobody can be told, the exit code still tells.
    let _ = if help.use_stderr() {
        write!(anstream::stderr(), "{}", streams::err().indented(&said))
    } else {
        write!(anstream::stdout(), "{}", streams::out().indented(&said))
    };
    ExitCode::from(u8::try_from(help.exit_code()).unwrap_or(exit::USAGE))
}

impl Command {
    /// Whether it tells of servers that can't be used, so that the log need not.
    fn reports_its_servers(&self) -> bool {
        matches!(
            self,
            Self::Tools(_) | Self::Bench(_) | Self::Generate(_) | Self::Policy(_)
        )
    }
}

async fn demo_server() -> Result<ExitCode, Failure> {
    say_who_starts_this("ampoule run");
    ampoule_demo::serve_stdio()
        .await
        .map(|()| ExitCode::SUCCESS)
        .map_err(|error| Failure::host(&error))
}

/// A person who starts a server on a terminal sees nothing happen: that it works, and who is meant
/// to start it, is said.
fn say_who_starts_this(client: &str) {
    if std::io::stdin().is_terminal() {
        streams::err().note(format_args!(
            "this is an MCP server, which reads requests from standard input; a client starts it, such as {client}. Ctrl-C ends it"
        ));
    }
}

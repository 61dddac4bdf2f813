//! The command `ampoule`: a module for each subcommand, and what they share.
//!
//! - `run`: a script, once; `outcome`: how it ended, as it is printed; `check`: scripts, compared
//!   with the tools; `serve`: the MCP server; `over_http`: the same for many clients; `demo`: a
//!   server to try; `served`: the server of a configuration; `schedules`: runs that a clock or a
//!   message starts in a server
//! - `chat`: an agent at the terminal, or for programs
//! - `dev`: a server's tools at each save, for those who write servers
//! - `tools`: what scripts may call; `servers`: where the tools come from; `clients`: other MCP clients
//!   on this machine; `auth`: signing in to servers, and tokens of clients
//! - `runs`: what servers run, and what runs left; `sessions`: what runs left for the next run of
//!   the same session; `files`: files that runs wrote; `skills`: code that runs saved; `owner`: the
//!   option `--principal` of these commands
//! - `python`, `javascript`: packages that scripts can import; `packages`: what both share
//! - `policy`: what policies say; `approvals`: calls that wait for a person; `audit`: the audit
//!   log; `governance`: from the configuration to the checks between a grant and a call
//! - `console`: the console in a browser; `browser`: opens one
//! - `init`: the beginning of a configuration; `changes`: changes of it; `doctor`: checks the
//!   installation; `probe`: the state of servers; `warm`: compiles the guests ahead of the first
//!   run; `data`: the state of the guest with numpy and pandas
//! - `setup`: from the configuration to a runtime, the same for all of them; `toolkit`: the option
//!   `--toolkit`, and toolkits as the server takes them
//! - `code`: the code to run; `asking`, `form`: elicitation at the terminal
//! - `completions`: the command line itself, for shells and for `man`; `former_names`: former names of
//!   commands
//! - `stop_signal`: the signal that stops the process, and what becomes of its work then
//! - `streams`: standard output and error; `output`: text or JSON; `log`: what goes to the log;
//!   `colour`: when there are colours; `exit`: how the process ends
//! - `memory`: returns free memory to the system
//! - `activity`: what a run is doing, for the status line; `cost`: what the run would have cost a
//!   model in tokens

mod activity;
mod approvals;
mod asking;
mod audit;
mod auth;
mod browser;
mod changes;
mod chat;
mod check;
mod clients;
mod code;
mod colour;
mod completions;
mod console;
mod cost;
mod data;
mod demo;
mod dev;
mod doctor;
mod exit;
mod files;
mod form;
mod former_names;
mod governance;
mod init;
mod javascript;
mod log;
mod memory;
mod outcome;
mod output;
mod over_http;
mod owner;
mod packages;
mod policy;
mod probe;
mod python;
mod run;
mod runs;
mod schedules;
mod serve;
mod served;
mod servers;
mod sessions;
mod setup;
mod skills;
mod stop_signal;
mod streams;
mod toolkit;
mod tools;
mod warm;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use colour::Colour;
use exit::Failure;
use log::LogOptions;

/// Runs scripts that language models write, each in a fresh sandbox.
#[derive(Debug, Parser)]
#[command(name = "ampoule", version, propagate_version = true)]
#[command(help_template = SCREEN)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    colour: Colour,
    #[command(flatten)]
    log: LogOptions,
}

/// Help that fits a terminal of 24 lines.
const SCREEN: &str = "{about}\n\n{usage-heading} {usage}\nCommands:\n{subcommands}\n\
Options: --color <WHEN>, --log-format <FORMAT>, -h, --help, -V, --version\n\
More (--help): dev, audit, python, javascript, warm, completions, demo-server.";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Check(check::Check),
    Serve(serve::Serve),
    Chat(chat::Chat),
    Console(console::ConsoleCommand),
    Tools(tools::Tools),
    Servers(servers::Servers),
    Clients(clients::Clients),
    Auth(auth::Auth),
    Runs(runs::Runs),
    Sessions(sessions::SessionsCommand),
    Files(files::Files),
    Skills(skills::SkillsCommand),
    Policy(policy::Policy),
    Approvals(approvals::Approvals),
    #[command(hide = true)]
    Audit(audit::Audit),
    Init(init::Init),
    Doctor(doctor::Doctor),
    #[command(hide = true)]
    Dev(dev::Dev),
    #[command(hide = true)]
    Python(python::Python),
    #[command(hide = true)]
    #[command(name = "javascript")]
    JavaScript(javascript::JavaScript),
    #[command(hide = true)]
    Warm(warm::Warm),
    #[command(hide = true)]
    Completions(completions::Completions),
    #[command(hide = true)]
    Manual(completions::Manual),
    #[command(hide = true)]
    DemoServer(demo::DemoServer),
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
            Command::Check(check) => check.execute().await,
            Command::Serve(serve) => serve.execute().await,
            Command::Chat(chat) => chat.execute().await,
            Command::Console(console) => console.execute().await,
            Command::Tools(tools) => tools.execute().await,
            Command::Servers(servers) => servers.execute().await,
            Command::Clients(clients) => clients.execute(),
            Command::Auth(auth) => auth.execute().await,
            Command::Runs(runs) => runs.execute().await,
            Command::Sessions(sessions) => sessions.execute(),
            Command::Files(files) => files.execute(),
            Command::Skills(skills) => skills.execute().await,
            Command::Policy(policy) => policy.execute().await,
            Command::Approvals(approvals) => approvals.execute(),
            Command::Audit(audit) => audit.execute(),
            Command::Init(init) => init.execute(),
            Command::Doctor(doctor) => doctor.execute().await,
            Command::Dev(dev) => dev.execute().await,
            Command::Python(python) => python.execute().await,
            Command::JavaScript(javascript) => javascript.execute().await,
            Command::Warm(warm) => warm.execute().await,
            Command::Completions(completions) => Ok(completions.execute(Cli::command())),
            Command::Manual(manual) => manual.execute(Cli::command()),
            Command::DemoServer(demo) => demo.execute().await,
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
    command.build();
    let mut command = command.mut_subcommand("help", |help| help.hide(true));
    let arguments: Vec<_> = std::env::args_os().collect();
    let matches = command.try_get_matches_from_mut(&arguments);
    let mut matches = matches.map_err(|error| former_names::with_new_name(error, &arguments))?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Shows help that was asked for, or says what is wrong with the command line.
fn explain(help: &clap::Error) -> ExitCode {
    Colour::apply_to_help();
    let said = help.render().ansi().to_string();
    // If standard error can't be written, the exit code still says it.
    let _ = if help.use_stderr() {
        write!(anstream::stderr(), "{}", streams::err().indented(&said))
    } else {
        write!(anstream::stdout(), "{}", streams::out().indented(&said))
    };
    ExitCode::from(u8::try_from(help.exit_code()).unwrap_or(exit::USAGE))
}

impl Command {
    /// Whether the command itself reports servers that can't be used, so that the log need not.
    fn reports_its_servers(&self) -> bool {
        matches!(self, Self::Tools(_) | Self::Policy(_) | Self::Dev(_))
    }
}

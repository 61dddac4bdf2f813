//! `ampoule warm`: compiles the interpreters, so that no run has to wait for that.

use std::process::ExitCode;
use std::time::Instant;

use ampoule::{GuestKind, Language, Runtime};
use clap::Args;

use super::code::LanguageName;
use super::exit::{self, Failure};
use super::setup::{self, Setup};
use super::stop_signal;
use super::streams;

const EXAMPLES: &str = "In a Dockerfile, as the user who will run it:
  RUN ampoule warm
For any processor of the machine's architecture, here and whenever it runs:
  AMPOULE_CODE=portable ampoule warm";

/// Compiles the interpreters and saves their code, so that no run has to wait for that.
///
/// Compiling happens once for each user of a machine, and takes seconds. Without this command, it
/// happens when a script first needs it. Packages (`ampoule python`, `ampoule javascript`) are imported, too.
/// The interpreter with numpy and pandas, if it is there, takes half a minute.
#[derive(Debug, Args)]
#[command(after_help = exit::WARM_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::WARM_HELP))]
pub(super) struct Warm {
    /// The languages whose interpreters to compile, separated by commas. Default: all.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LANGUAGES")]
    language: Vec<LanguageName>,
    #[command(flatten)]
    setup: Setup,
}

impl Warm {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        // Compiled code depends on the configured packages, and on no server.
        let config = self.setup.read()?;
        let runtime = ampoule_configured::interpreters(setup::builder(), &config)?.build()?;
        let working = {
            let runtime = runtime.clone();
            async move { self.warm(&runtime).await }
        };
        stop_signal::until_stopped(runtime, stop_signal::Cancellation::default(), working)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn warm(&self, runtime: &Runtime) -> Result<ExitCode, Failure> {
        let folder = runtime.code_folder().await?.ok_or_else(|| {
            Failure::usage(
                "no folder for compiled code: set HOME, or XDG_CACHE_HOME, to a folder that only this user can write to",
            )
        })?;
        let guests = runtime.guest_kinds().filter(|guest| self.is_asked(*guest));
        for guest in guests {
            let started = Instant::now();
            let was_there = runtime.code_bytes(guest).await?.is_some();
            let waiting = streams::err().waiting();
            if !was_there {
                waiting.compiling(guest);
            }
            runtime.warm(guest).await?;
            drop(waiting);
            let done = if was_there {
                "was already compiled".to_owned()
            } else {
                format!("compiled in {:.1} s", started.elapsed().as_secs_f32())
            };
            let bytes = runtime.code_bytes(guest).await?.ok_or_else(|| {
                Failure::usage(format!(
                    "{guest} can't be saved in {}; the warning above says why",
                    folder.display()
                ))
            })?;
            let mebibytes = bytes as f64 / f64::from(1 << 20);
            let out = streams::out();
            out.line(out.prose(&format!("{guest}: {done}, {mebibytes:.1} MiB")));
        }
        let out = streams::out();
        out.line(out.prose(&format!("compiled code is in {}", folder.display())));
        Ok(ExitCode::SUCCESS)
    }

    /// Whether the guest runs one of the requested languages.
    fn is_asked(&self, guest: GuestKind) -> bool {
        let runs = |asked: &LanguageName| {
            let language = Language::from(*asked);
            language.interpreter() == guest.interpreter()
        };
        self.language.is_empty() || self.language.iter().any(runs)
    }
}

//! How the process ends.

use std::io;
use std::process::ExitCode;

use ampoule::{Ending, Error};
use ampoule_configured::SetupError;

use super::streams;

/// The script threw an error.
const THREW: u8 = 1;
/// A replay differs from the recorded run.
pub(super) const DIFFERS: u8 = 1;
/// A server can't be reached, and reaching it is the purpose of the command.
pub(super) const UNREACHABLE: u8 = 1;
/// The command was used wrongly: its arguments, its configuration, or its script's file. Clap ends
/// with it too.
pub(super) const USAGE: u8 = 2;
/// The script hit a limit.
pub(super) const LIMIT: u8 = 3;
/// The script trapped.
const TRAPPED: u8 = 4;
/// The run was cancelled.
pub(super) const CANCELLED: u8 = 130;
/// The host failed.
const HOST: u8 = 5;

/// What `--help` says of exit codes.
pub(super) const HELP: &str = "Exit codes: 0 the script returned, 1 it threw an error, 2 wrong usage or configuration, \
3 it hit a limit (also if nobody read its output before its wall time ran out), 4 it trapped, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `check`.
pub(super) const CHECK_HELP: &str = "Exit codes: 0 no mistakes, 1 a script has a mistake, or a server that it calls can't be reached, 2 wrong usage or configuration, or a file can't be read, 3 a script is too large for its limits, 4 the guest trapped, 5 the host failed; \
128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `tools`.
pub(super) const TOOLS_HELP: &str = "Exit codes: 0 all servers answered, 1 a server can't be reached or is disabled, 2 wrong usage or configuration, 5 the host failed; \
128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `runs`.
pub(super) const RUNS_HELP: &str =
    "Exit codes: 0 success, 2 unknown run; of `resume`, those of `ampoule run`";

/// What `--help` says of the exit codes of `replay`.
pub(super) const REPLAY_HELP: &str = "Exit codes: 0 the replay is the same, or a changed script returned, 1 the replay differs, a changed script threw, or a call has no recorded answer, 2 the record is missing or can't be read, \
3 a changed script hit a limit, 4 it trapped, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `undo`.
pub(super) const UNDO_HELP: &str = "Exit codes: 0 the calls were taken back, or a person did not want that, 1 a call failed, and those before it were taken back, 2 unknown run, a run that was undone before, or nobody to ask, \
3 the undo hit a limit, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `generate`.
pub(super) const GENERATE_HELP: &str = "Exit codes: 0 all servers were written, 1 a server can't be reached or is disabled, and was left out, \
2 wrong usage or configuration, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `servers`.
pub(super) const SERVERS_HELP: &str =
    "Exit codes: 0 all servers can be used, 1 a server is disabled, 2 wrong usage or configuration";

/// What `--help` says of the exit codes of `doctor`.
pub(super) const DOCTOR_HELP: &str = "Exit codes: 0 everything works, 1 something does not, 2 wrong usage or configuration, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `dev`: a signal is the regular way to end it.
pub(super) const DEV_HELP: &str = "Exit codes: 0 a signal ended the command; with --once: 0 nothing to warn of, 1 a warning, or the server or a call failed; 2 wrong usage or configuration, 5 the host failed";

/// What `--help` says of the exit codes of `login` and `logout`.
pub(super) const LOGIN_HELP: &str = "Exit codes: 0 success, 1 the server or its authorization server refused, or the sign-in timed out, 2 wrong usage or configuration, 5 the host failed";

/// What `--help` says of the exit codes of `serve`: a signal is the regular way to stop it.
pub(super) const SERVE_HELP: &str = "Exit codes: 0 the client disconnected, or a signal stopped the server, 2 wrong usage or configuration, 5 the host failed";

/// What `--help` says of the exit codes of `chat`.
pub(super) const CHAT_HELP: &str = "Exit codes: 0 the model answered, 1 it refused, or its endpoint failed, 2 wrong usage or configuration, 3 a bound was reached, or the answer was cut, 5 the host failed, 130 Ctrl-C stopped the task; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `chat bench`.
pub(super) const BENCH_HELP: &str = "Exit codes: 0 all tasks were done, 1 some were not, 2 wrong usage or configuration, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `console`.
pub(super) const CONSOLE_HELP: &str =
    "Exit codes: 0 a signal stopped the console, 2 wrong usage or configuration, 5 the host failed";

/// What `--help` says of the exit codes of `policy`.
pub(super) const POLICY_HELP: &str = "Exit codes: 0 the policies are valid, the decision is explained, or all cases pass, 1 policies are invalid, or a case fails, 2 wrong usage or configuration, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `approvals`.
pub(super) const APPROVALS_HELP: &str = "Exit codes: 0 success, 2 unknown question, an answer that it does not offer, or already answered, 5 the host failed";

/// What `--help` says of the exit codes of `audit`.
pub(super) const AUDIT_HELP: &str =
    "Exit codes: 0 success, 1 the log is damaged or was changed, 2 wrong usage, or no log";

/// What `--help` says of the exit codes of `stats`.
pub(super) const STATS_HELP: &str = "Exit codes: 0 success, 2 wrong usage, or no audit log";

/// What `--help` says of the exit codes of `python`.
pub(super) const PYTHON_HELP: &str = "Exit codes: 0 success, 1 a package's wheel is missing or was changed, 2 wrong usage or configuration, or a package can't be used, 5 the host failed";

/// What `--help` says of the exit codes of `javascript`.
pub(super) const JAVASCRIPT_HELP: &str = "Exit codes: 0 success, 1 a package's tarball is missing or was changed, 2 wrong usage or configuration, or a package can't be used, 5 the host failed";

/// What `--help` says of the exit codes of `warm`.
pub(super) const WARM_HELP: &str = "Exit codes: 0 the compiled code is saved, 2 it can't be saved, 5 the host failed; 128 plus a signal's number, the signal stopped it";

/// What `--help` says of the exit codes of `completions`.
pub(super) const COMPLETIONS_HELP: &str = "Exit codes: 0 success, 2 unknown shell";

/// The exit code for the end of a run.
pub(super) fn code_of(ending: &Ending) -> ExitCode {
    number_of(ending).into()
}

/// The same as a number.
pub(super) fn number_of(ending: &Ending) -> u8 {
    match ending {
        Ending::Returned(_) => 0,
        Ending::Threw(_) => THREW,
        Ending::Trapped(_) => TRAPPED,
        Ending::Limit(_) => LIMIT,
        Ending::Interrupted(_) => HOST,
        // As after Ctrl-C.
        _ => CANCELLED,
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(super) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// What happened.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: USAGE,
            message: message.into(),
        }
    }

    /// The message may be a server's: its lines are indented, so that none looks like one of
    /// Ampoule's.
    pub(super) fn unreachable(message: &str) -> Self {
        Self {
            code: UNREACHABLE,
            message: message.replace('\n', "\n  "),
        }
    }

    pub(super) fn host(error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message += &format!(": {cause}");
            source = cause.source();
        }
        Self {
            code: HOST,
            message,
        }
    }

    /// Prints the message on standard error as a warning: the command continues.
    pub(super) fn warn(self) {
        streams::err().warning(self.message);
    }

    /// Prints the message on standard error.
    pub(super) fn report(self) -> ExitCode {
        streams::err().failure(self.message);
        self.code.into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if error.is_config() || error.is_request() {
            Self::usage(error.to_string())
        } else {
            Self::host(&error)
        }
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Configuration(why) => Self::usage(why),
            host @ SetupError::Host(_) => Self::host(&host),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::host(&error)
    }
}

#[cfg(test)]
mod tests {
    use ampoule::{Limit, Limits, Thrown, TrapError};

    use super::*;

    #[test]
    fn each_ending_has_a_code_of_its_own() {
        let thrown = Thrown {
            name: "Error".into(),
            message: String::new(),
            location: None,
            stack: String::new(),
            causes: Vec::new(),
        };
        let trapped = TrapError {
            message: "unreachable".into(),
        };
        for (ending, code) in [
            (Ending::Returned(None), 0),
            (Ending::Threw(thrown), 1),
            (Ending::Limit(Limit::Fuel.hit(2, &Limits::default())), 3),
            (Ending::Trapped(trapped), 4),
        ] {
            assert_eq!(code_of(&ending), ExitCode::from(code), "{ending}");
        }
    }
}

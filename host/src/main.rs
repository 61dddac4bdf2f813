//! The `ampoule` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ampoule::cli::main()
}

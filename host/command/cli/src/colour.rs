//! `--color`: one rule for help, results, notes and the log.

use clap::{Args, ColorChoice, ValueEnum};

/// When there are colours.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Colour {
    /// Colours: always, never, or auto, which respects NO_COLOR.
    #[arg(long = "color", value_name = "WHEN", value_enum, global = true, default_value_t = ColorChoice::Auto, hide_possible_values = true)]
    choice: ColorChoice,
}

impl Colour {
    /// Applies the choice from now on.
    pub(super) fn apply(self) {
        apply(self.choice);
    }

    /// Applies the choice to help and to errors about the command line.
    pub(super) fn apply_to_help() {
        let arguments: Vec<_> = std::env::args_os().collect();
        let asked = arguments.iter().enumerate().find_map(|(at, argument)| {
            let choice = match argument.to_str()? {
                "--color" => arguments.get(at + 1)?.to_str()?,
                argument => argument.strip_prefix("--color=")?,
            };
            ColorChoice::from_str(choice, true).ok()
        });
        apply(asked.unwrap_or(ColorChoice::Auto));
    }
}

fn apply(choice: ColorChoice) {
    let choice = match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

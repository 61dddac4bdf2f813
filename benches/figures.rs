//! What is promised, beside what was measured.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::process::ExitCode;

/// What was measured, with its target.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    name: &'static str,
    value: f64,
    target: f64,
    /// Whether the value must be at least the target, and not at most.
    at_least: bool,
}

impl Figure {
    /// One that must be no more than its target.
    pub fn at_most(name: &'static str, value: f64, target: f64) -> Self {
        Self {
            name,
            value,
            target,
            at_least: false,
        }
    }

    /// One that must be no less.
    pub fn at_least(name: &'static str, value: f64, target: f64) -> Self {
        Self {
            at_least: true,
            ..Self::at_most(name, value, target)
        }
    }
}

/// Prints figures, and which are missed: then the bench has failed.
pub fn report(figures: impl IntoIterator<Item = Figure>) -> ExitCode {
    let mut missed = 0;
    for Figure {
        name,
        value,
        target,
        at_least,
    } in figures
    {
        let (reached, sign) = if at_least {
            (value >= target, '≥')
        } else {
            (value <= target, '≤')
        };
        missed += usize::from(!reached);
        println!(
            "{name:60} {value:8.2}   target {sign} {target:<5} {}",
            if reached { "reached" } else { "MISSED" }
        );
    }
    if missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

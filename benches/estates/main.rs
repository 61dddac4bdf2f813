//! `estates`: an OpenAPI document of 10, 1,000 and 17,000 operations, and a GraphQL schema of as many:
//! how long it takes to read them, to list their tools, to search them, to declare one and to call one
//! for the first time, and what that takes of memory. Each is measured in a process of its own.
//!
//! `-- openapi 1000` measures one; `-- --write` puts the table into `README.md`. In tests, only small
//! ones are measured.
//!
//! - `descriptions`: documents and schemas, generated; `measured`: one of them; `table`: all of them

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

mod descriptions;
mod measured;
mod table;

use std::process::ExitCode;

use self::descriptions::Kind;
use self::measured::Measured;

/// How many operations there are.
const COUNTS: [usize; 3] = [10, 1_000, 17_000];
/// The same where nothing is optimised.
const FEW: [usize; 2] = [10, 1_000];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let one = words.iter().find_map(|word| Kind::named(word));
    let count = words.iter().find_map(|word| word.parse().ok());
    if let (Some(kind), Some(count)) = (one, count) {
        println!("{}", Measured::of(kind, count).written());
        return ExitCode::SUCCESS;
    }
    let is_bench = words.contains(&"--bench");
    let counts: &[usize] = if is_bench { &COUNTS } else { &FEW };
    let rows = Kind::ALL.iter().flat_map(|kind| {
        let row = |count: &usize| table::Row {
            kind: *kind,
            count: *count,
            measured: Measured::elsewhere(*kind, *count),
        };
        counts.iter().map(row)
    });
    let rows: Vec<_> = rows.collect();
    let table = table::table(&rows);
    println!("{table}");
    if words.contains(&"--write") {
        table::write(&table);
    }
    ExitCode::SUCCESS
}

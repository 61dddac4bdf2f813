//! What a run may use.
//!
//! - `units`: how people write durations, sizes and numbers; [`quantity`]: how these are read in files
//! - `config`: `[limits]` and [`Ceilings`], as they are read and described

mod config;
pub mod quantity;
pub mod units;

pub use config::Ceilings;

use std::fmt;
use std::time::Duration;

/// The shortest time after which a run is parked. Parking itself takes some milliseconds.
pub const LEAST_PARK_AFTER: Duration = Duration::from_millis(10);

/// Makes of one table: [`Limits`], [`LimitsConfig`], [`Limit`], and what each limit is called, is
/// by default, and advises.
macro_rules! limits {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ty, $limit:ident, $name:literal {
        unit: $unit:literal,
        written: $parse:path,
        default: $default:expr,
        ceiling: $ceiling:expr,
        least: $least:expr,
        advice: $advice:literal,
    })*) => {
        /// What a run may use. Each field has a default, and a [least value](Limit::least); the
        /// operator's ceilings are another value of this type, and no run gets more.
        ///
        /// Except where a field says otherwise, a run that wants more than it may have ends there
        /// with `Ending::Limit`, which says which limit it was. No value means "unlimited".
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Limits {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl Limits {
            /// The ceilings of an operator who sets none; `docs/reference/limits.md` lists them.
            pub fn default_ceilings() -> Self {
                Self { $($field: $ceiling,)* }
            }

            /// These limits, each lowered to its ceiling if it is above it.
            #[must_use]
            pub fn lowered_to(&self, ceilings: &Self) -> Self {
                Self { $($field: self.$field.min(ceilings.$field),)* }
            }
        }

        /// Limits as far as they are configured. What each one bounds is said at [`Limits`].
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct LimitsConfig {
            $(#[doc = concat!("`", $name, "`")] pub $field: Option<$type>,)*
        }

        impl LimitsConfig {
            /// These limits, with those that are configured in place of theirs.
            #[must_use]
            pub fn over(&self, limits: Limits) -> Limits {
                Limits { $($field: self.$field.unwrap_or(limits.$field),)* }
            }

            /// Takes a value as people write it: `5s`, `64MiB`, `10000`.
            ///
            /// # Errors
            ///
            /// What is wrong with it.
            pub fn read(&mut self, limit: Limit, text: &str) -> Result<(), String> {
                match limit {
                    $(Limit::$limit => self.$field = Some($parse(text)?),)*
                }
                Ok(())
            }
        }

        /// One of the [`Limits`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Limit {
            $(#[doc = concat!("[`Limits::", stringify!($field), "`]")] $limit,)*
        }

        impl Limit {
            /// All limits, in the order of the fields of [`Limits`].
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$limit),*];

            /// The names of all limits.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The limit's name, as in the configuration file: `wall-time`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$limit => $name,)* }
            }

            /// Its value in `limits`; wall time in milliseconds.
            pub fn of(self, limits: &Limits) -> u64 {
                match self { $(Self::$limit => limits.$field.amount(),)* }
            }

            /// The least value that it may have, in its [unit](Self::unit). Zero if a run can do
            /// without: one that makes no calls, or prints nothing. How much memory and how many
            /// elements of tables an interpreter takes depends on the language; a limit with no
            /// room for it is refused when a script is about to run.
            pub fn least(self) -> u64 {
                match self { $(Self::$limit => $least,)* }
            }

            /// What its value counts.
            pub fn unit(self) -> &'static str {
                match self { $(Self::$limit => $unit,)* }
            }

            /// What it bounds, in Markdown: what is said at its field of [`Limits`].
            pub fn description(self) -> &'static str {
                match self { $(Self::$limit => concat!($($doc),*).trim_ascii(),)* }
            }

            /// The same in a sentence or two: up to the default.
            pub fn summary(self) -> &'static str {
                let description = self.description();
                description.split_once(" Default ").map_or(description, |(summary, _)| summary)
            }

            fn advice(self) -> &'static str {
                match self { $(Self::$limit => $advice,)* }
            }
        }
    };
}

limits! {
    /// Work, in Wasmtime's fuel: about one unit for each WebAssembly instruction; in interpreters
    /// functions and turns of loops are counted, by their length. Default 20
    /// billion, on the order of ten seconds of computing. Waiting costs none. What the host
    /// computes for the run is paid from it too, by size and never by the clock, so that it is the
    /// same everywhere: 256 units for each request to the host, 8 for a byte of arguments or of
    /// text that is parsed or written, 1 for one that is copied, 16 for each part of a schema that
    /// meets a value of the arguments, 64 for each tool or name that is looked at, 8 for each pair
    /// of letters where spellings are compared, 32 for a byte of a schema that is declared. That is
    /// about two units for each nanosecond.
    fuel: u64, Fuel, "fuel" {
        unit: "units",
        written: units::parse_count,
        default: 20_000_000_000,
        ceiling: 1_000_000_000_000,
        least: 1,
        advice: "do less work in one run: look for a loop that does not end",
    }

    /// Time from the start of the run to its end, waiting included. Default 60 s, because some MCP
    /// clients give up then.
    wall_time: Duration, WallTime, "wall-time" {
        unit: "ms",
        written: units::parse_duration,
        default: Duration::from_secs(60),
        ceiling: Duration::from_secs(600),
        least: 1,
        advice: "wait for less, call tools concurrently, or split the work into several runs",
    }

    /// Linear memory of the guest, in bytes, the interpreter's own included: about 15 MiB for
    /// JavaScript and 25 MiB for Python before a script begins. Default 128 MiB. Growing beyond
    /// fails inside the guest, and a script may survive that; one that does not has hit this limit.
    /// A limit with no room for the interpreter is a request error.
    memory_bytes: u64, Memory, "memory" {
        unit: "bytes",
        written: units::parse_bytes,
        default: 128 << 20,
        ceiling: 1 << 30,
        least: 0,
        advice: "keep less in memory: handle the data page by page",
    }

    /// Elements of all the guest's tables. Default 100,000. Growing beyond fails inside the guest.
    table_elements: u64, TableElements, "table-elements" {
        unit: "elements",
        written: units::parse_count,
        default: 100_000,
        ceiling: 1_000_000,
        least: 0,
        advice: "create fewer functions",
    }

    /// Stack that the script's own recursion may use, in bytes. Default 256 KiB. A script sees a
    /// `RangeError` at its end, and may catch it. Only interpreters can obey it; other guests have
    /// the engine's stack, and running out of that ends the run.
    stack_bytes: u64, Stack, "stack" {
        unit: "bytes",
        written: units::parse_bytes,
        default: 256 << 10,
        ceiling: Limits::MOST_STACK_BYTES,
        least: Limits::LEAST_STACK_BYTES,
        advice: "recurse less deeply, or use a loop",
    }

    /// What the host holds for the run at one time: the script, arguments and results on their way,
    /// and its output. Default 64 MiB. Arguments count as the values that they are parsed to, too,
    /// once the call has its turn: an array of numbers takes about 72 bytes for each.
    host_bytes: u64, HostBytes, "host-bytes" {
        unit: "bytes",
        written: units::parse_bytes,
        default: 64 << 20,
        ceiling: 512 << 20,
        least: 0,
        advice: "have fewer large calls under way at once, and print less",
    }

    /// What the run may print, its result included, in bytes. Default 1 MiB. An error that it
    /// throws counts too, and is reported in any case, its message, stack and causes cut to 16 KiB
    /// each.
    output_bytes: u64, OutputBytes, "output-bytes" {
        unit: "bytes",
        written: units::parse_bytes,
        default: 1 << 20,
        ceiling: 64 << 20,
        least: 0,
        advice: "print and return a summary instead of the data",
    }

    /// Tool calls in all. Default 10,000.
    calls: u64, Calls, "calls" {
        unit: "calls",
        written: units::parse_count,
        default: 10_000,
        ceiling: 1_000_000,
        least: 0,
        advice: "make fewer calls: look for a tool that takes or gives many items at once",
    }

    /// Tool calls under way at once. Default 32. Further calls wait for their turn; waiting is not
    /// an error.
    calls_at_once: u64, CallsAtOnce, "calls-at-once" {
        unit: "calls",
        written: units::parse_count,
        default: 32,
        ceiling: 1024,
        least: 1,
        advice: "await some calls before you start more",
    }

    /// The arguments of one call, as JSON, in bytes. Default 4 MiB.
    argument_bytes: u64, ArgumentBytes, "argument-bytes" {
        unit: "bytes",
        written: units::parse_bytes,
        default: 4 << 20,
        ceiling: 64 << 20,
        least: 0,
        advice: "send less in one call",
    }

    /// The result of one call, in bytes. Default 16 MiB.
    result_bytes: u64, ResultBytes, "result-bytes" {
        unit: "bytes",
        written: units::parse_bytes,
        default: 16 << 20,
        ceiling: 256 << 20,
        least: 0,
        advice: "ask for less in one call: use the tool's paging or filters",
    }
}

impl Limits {
    /// The least value of [`stack_bytes`](Self::stack_bytes): 48 KiB. With less, there is no script
    /// that JavaScript's interpreter could run.
    pub const LEAST_STACK_BYTES: u64 = 48 << 10;

    /// The highest ceiling of [`stack_bytes`](Self::stack_bytes): 256 KiB. The engine's own stack
    /// is made to fit it.
    pub const MOST_STACK_BYTES: u64 = 256 << 10;

    /// The hit that ends a run without fuel.
    #[doc(hidden)]
    pub fn out_of_fuel(&self) -> LimitError {
        Limit::Fuel.hit(self.fuel, self)
    }

    /// What is wrong with the first limit that no run could keep to, if there is one: it is below
    /// [`Limit::least`].
    #[doc(hidden)]
    pub fn problem(&self) -> Option<(Limit, String)> {
        let limit = Limit::ALL
            .into_iter()
            .find(|limit| limit.of(self) < limit.least())?;
        let (value, unit, least) = (limit.of(self), limit.unit(), limit.least());
        Some((
            limit,
            format!("{value} {unit} is too little for any run; the least is {least}"),
        ))
    }

    /// The first limit that is above its ceiling, with both values.
    #[doc(hidden)]
    pub fn above(&self, ceilings: &Self) -> Option<(Limit, u64, u64)> {
        Limit::ALL
            .into_iter()
            .map(|limit| (limit, limit.of(self), limit.of(ceilings)))
            .find(|(_, asked, ceiling)| asked > ceiling)
    }
}

impl Limit {
    /// An amount of this limit as people read it: `128 MiB`, `60 s`, `20 billion`, `10,000`.
    pub fn shown(self, amount: u64) -> String {
        match self.unit() {
            "bytes" => units::show_bytes(amount),
            "ms" => units::show_milliseconds(amount),
            _ => units::show_count(amount),
        }
    }

    /// The hit that ends a run which used, or wanted, `used` of this limit.
    #[doc(hidden)]
    pub fn hit(self, used: u64, limits: &Limits) -> LimitError {
        LimitError {
            limit: self,
            used,
            allowed: self.of(limits),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A limit's value, in its unit.
trait Amount {
    fn amount(self) -> u64;
}

impl Amount for u64 {
    fn amount(self) -> u64 {
        self
    }
}

impl Amount for Duration {
    fn amount(self) -> u64 {
        millis(self)
    }
}

/// A limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the run hit its {limit} limit: it used {used} of {allowed} {}; {}", limit.unit(), limit.advice())]
pub struct LimitError {
    /// Which limit.
    pub limit: Limit,
    /// What the run had used, or asked for, in the limit's [unit](Limit::unit). Above `allowed`
    /// where the last step would have gone above it.
    pub used: u64,
    /// What it was allowed.
    pub allowed: u64,
}

/// A duration in whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

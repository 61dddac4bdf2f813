//! What a run may use.

pub mod units;

use std::fmt;
use std::time::Duration;

/// What a run may use. Each field has a default, and a [least value](Limit::least); the operator's ceilings are another value of this type, and no run gets
/// more.
///
/// Except where a field says otherwise, a run that wants more than it may have ends there with `Ending::Limit`, which
/// says which limit it was. No value means "unlimited".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Work, in Wasmtime's fuel: about one unit for each WebAssembly instruction. Default 20 billion, on the order of ten seconds of
    /// computing. Waiting costs none. What the host computes for the run is paid from it too, by size and never by the clock, so that it is the same
    /// everywhere: 256 units for each request to the host, 8 for a byte of arguments or of text that is parsed or written, 1 for one that is copied, 16 for each
    /// part of a schema that meets a value of the arguments, 64 for each tool or name that is looked at, 8 for each pair of letters where spellings are
    /// compared, 32 for a byte of a schema that is declared. That is about two units for each nanosecond.
    pub fuel: u64,
    /// Time from the start of the run to its end, waiting included. Default 60 s, because some MCP clients give up then.
    pub wall_time: Duration,
    /// Linear memory of the guest, in bytes, the interpreter's own included: about 10 MiB for JavaScript and 25 MiB for Python before a script begins.
    /// Default 128 MiB. Growing beyond fails inside the guest, and a script may survive that; one that does not has hit this limit. A limit with no
    /// room for the interpreter is a request error.
    pub memory_bytes: u64,
    /// Elements of all the guest's tables. Default 100,000. Growing beyond fails inside the guest.
    pub table_elements: u64,
    /// Stack that the script's own recursion may use, in bytes. Default 256 KiB. A script sees a `RangeError` at its end, and may
    /// catch it. Only interpreters can heed it; other guests have the engine's stack, and running out of that ends the run.
    pub stack_bytes: u64,
    /// What the host holds for the run at one time: the script, arguments and results on their way, and its output. Default 64 MiB.
    /// Arguments count as the values that they are parsed to, too, once the call has its turn: an array of numbers takes about 72 bytes for each.
    pub host_bytes: u64,
    /// What the run may print, its result included, in bytes. Default 1 MiB. An error that it throws counts too, and is reported in any case, its
    /// message, stack and causes cut to 16 KiB each.
    pub output_bytes: u64,
    /// Tool calls in all. Default 10,000.
    pub calls: u64,
    /// Tool calls under way at once. Default 32. Further calls wait for their turn; waiting is not an error.
    pub calls_at_once: u64,
    /// The arguments of one call, as JSON, in bytes. Default 4 MiB.
    pub argument_bytes: u64,
    /// The result of one call, in bytes. Default 16 MiB.
    pub result_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 20_000_000_000,
            wall_time: Duration::from_secs(60),
            memory_bytes: 128 << 20,
            table_elements: 100_000,
            stack_bytes: 256 << 10,
            host_bytes: 64 << 20,
            output_bytes: 1 << 20,
            calls: 10_000,
            calls_at_once: 32,
            argument_bytes: 4 << 20,
            result_bytes: 16 << 20,
        }
    }
}

impl Limits {
    /// The least value of [`stack_bytes`](Self::stack_bytes): 48 KiB. With less, there is no script that JavaScript's interpreter could run.
    pub const LEAST_STACK_BYTES: u64 = 48 << 10;

    /// The highest ceiling of [`stack_bytes`](Self::stack_bytes): 256 KiB. The engine's own stack is made to fit it.
    pub const MOST_STACK_BYTES: u64 = 256 << 10;

    /// The ceilings of an operator who sets none: as the defaults, but fuel a trillion, wall time 10 min, memory 1 GiB,
    /// tables 1 million elements, stack 256 KiB, host bytes 512 MiB, output 64 MiB, 1 million calls, 1,024 at once, arguments 64 MiB, results 256 MiB.
    pub fn default_ceilings() -> Self {
        Self {
            fuel: 1_000_000_000_000,
            wall_time: Duration::from_secs(600),
            memory_bytes: 1 << 30,
            table_elements: 1_000_000,
            stack_bytes: Self::MOST_STACK_BYTES,
            host_bytes: 512 << 20,
            output_bytes: 64 << 20,
            calls: 1_000_000,
            calls_at_once: 1024,
            argument_bytes: 64 << 20,
            result_bytes: 256 << 20,
        }
    }

    /// These limits, each lowered to its ceiling if it is above it.
    #[must_use]
    pub fn lowered_to(&self, ceilings: &Self) -> Self {
        Self {
            fuel: self.fuel.min(ceilings.fuel),
            wall_time: self.wall_time.min(ceilings.wall_time),
            memory_bytes: self.memory_bytes.min(ceilings.memory_bytes),
            table_elements: self.table_elements.min(ceilings.table_elements),
            stack_bytes: self.stack_bytes.min(ceilings.stack_bytes),
            host_bytes: self.host_bytes.min(ceilings.host_bytes),
            output_bytes: self.output_bytes.min(ceilings.output_bytes),
            calls: self.calls.min(ceilings.calls),
            calls_at_once: self.calls_at_once.min(ceilings.calls_at_once),
            argument_bytes: self.argument_bytes.min(ceilings.argument_bytes),
            result_bytes: self.result_bytes.min(ceilings.result_bytes),
        }
    }

    /// The hit that ends a run without fuel.
    #[doc(hidden)]
    pub fn out_of_fuel(&self) -> LimitHit {
        Limit::Fuel.hit(self.fuel, self)
    }

    /// What is wrong with the first limit that no run could keep to, if there is one: it is below [`Limit::least`].
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

/// One of the [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// [`Limits::fuel`]
    Fuel,
    /// [`Limits::wall_time`]
    WallTime,
    /// [`Limits::memory_bytes`]
    Memory,
    /// [`Limits::table_elements`]
    TableElements,
    /// [`Limits::stack_bytes`]
    Stack,
    /// [`Limits::host_bytes`]
    HostBytes,
    /// [`Limits::output_bytes`]
    OutputBytes,
    /// [`Limits::calls`]
    Calls,
    /// [`Limits::calls_at_once`], which only ever delays
    CallsAtOnce,
    /// [`Limits::argument_bytes`]
    ArgumentBytes,
    /// [`Limits::result_bytes`]
    ResultBytes,
}

impl Limit {
    /// All limits, in the order of the fields of [`Limits`].
    pub const ALL: [Self; 11] = [
        Self::Fuel,
        Self::WallTime,
        Self::Memory,
        Self::TableElements,
        Self::Stack,
        Self::HostBytes,
        Self::OutputBytes,
        Self::Calls,
        Self::CallsAtOnce,
        Self::ArgumentBytes,
        Self::ResultBytes,
    ];

    /// The limit's name, as in the configuration file: `wall-time`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fuel => "fuel",
            Self::WallTime => "wall-time",
            Self::Memory => "memory",
            Self::TableElements => "table-elements",
            Self::Stack => "stack",
            Self::HostBytes => "host-bytes",
            Self::OutputBytes => "output-bytes",
            Self::Calls => "calls",
            Self::CallsAtOnce => "calls-at-once",
            Self::ArgumentBytes => "argument-bytes",
            Self::ResultBytes => "result-bytes",
        }
    }

    /// Its value in `limits`; wall time in milliseconds.
    pub fn of(self, limits: &Limits) -> u64 {
        match self {
            Self::Fuel => limits.fuel,
            Self::WallTime => millis(limits.wall_time),
            Self::Memory => limits.memory_bytes,
            Self::TableElements => limits.table_elements,
            Self::Stack => limits.stack_bytes,
            Self::HostBytes => limits.host_bytes,
            Self::OutputBytes => limits.output_bytes,
            Self::Calls => limits.calls,
            Self::CallsAtOnce => limits.calls_at_once,
            Self::ArgumentBytes => limits.argument_bytes,
            Self::ResultBytes => limits.result_bytes,
        }
    }

    /// The least value that it may have, in its [unit](Self::unit). Zero if a run can do without: one that makes no calls, or prints nothing. How much
    /// memory and how many elements of tables an interpreter takes depends on the language; a limit with no room for it is refused when a script is about to run.
    pub fn least(self) -> u64 {
        match self {
            Self::Fuel | Self::WallTime | Self::CallsAtOnce => 1,
            Self::Stack => Limits::LEAST_STACK_BYTES,
            Self::Memory
            | Self::TableElements
            | Self::HostBytes
            | Self::OutputBytes
            | Self::Calls
            | Self::ArgumentBytes
            | Self::ResultBytes => 0,
        }
    }

    /// What its value counts.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Fuel => "units",
            Self::WallTime => "ms",
            Self::TableElements => "elements",
            Self::Calls | Self::CallsAtOnce => "calls",
            Self::Memory
            | Self::Stack
            | Self::HostBytes
            | Self::OutputBytes
            | Self::ArgumentBytes
            | Self::ResultBytes => "bytes",
        }
    }

    /// The hit that ends a run which used, or wanted, `used` of this limit.
    #[doc(hidden)]
    pub fn hit(self, used: u64, limits: &Limits) -> LimitHit {
        LimitHit {
            limit: self,
            used,
            allowed: self.of(limits),
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Fuel => "do less work in one run: look for a loop that does not end",
            Self::WallTime => {
                "wait for less, call tools concurrently, or split the work into several runs"
            }
            Self::Memory => "keep less in memory: handle the data page by page",
            Self::TableElements => "create fewer functions",
            Self::Stack => "recurse less deeply, or use a loop",
            Self::HostBytes => "have fewer large calls under way at once, and print less",
            Self::OutputBytes => "print and return a summary instead of the data",
            Self::Calls => {
                "make fewer calls: look for a tool that takes or gives many items at once"
            }
            Self::CallsAtOnce => "await some calls before you start more",
            Self::ArgumentBytes => "send less in one call",
            Self::ResultBytes => "ask for less in one call: use the tool's paging or filters",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the run hit its {limit} limit: it used {used} of {allowed} {}; {}", limit.unit(), limit.advice())]
pub struct LimitHit {
    /// Which limit.
    pub limit: Limit,
    /// What the run had used, or asked for, in the limit's [unit](Limit::unit). Above `allowed` where the last step would have gone above it.
    pub used: u64,
    /// What it was allowed.
    pub allowed: u64,
}

/// A duration in whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

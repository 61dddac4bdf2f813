//! What the C library asks of a system, by the names that it has in WASI 0.2. Clocks and entropy
//! are the host's, and so are files; there is no network, and no environment. What is not here can't be
//! reached without a file or a socket, and traps.
//!
//! The signatures are those of the canonical ABI: what a function returns in memory is written to
//! the address in its last argument.

mod descriptors;
mod errors;
mod files;

use std::cell::RefCell;

use crate::calls::sleep_until;
use crate::host::{self, Level};

pub(crate) use descriptors::{any_open, close_all, last_problem};

/// The error code `access-denied` of WASI's sockets.
const ACCESS_DENIED: u8 = 1;
/// The cases of WASI's stream errors.
const LAST_OPERATION_FAILED: u8 = 0;
const CLOSED: u8 = 1;
/// How much a stream takes at once.
const STREAM_BYTES: u64 = 64 << 10;
/// How many bytes the host gives of its entropy at once.
const ENTROPY_BYTES: usize = 64 << 10;
/// The handle of what is ready at once; those of timers are above it.
const READY: usize = 0;

/// Where the canonical ABI wants a result.
#[repr(transparent)]
struct Result(*mut u8);

impl Result {
    /// Writes a value at an offset.
    fn put<T>(&self, offset: usize, value: T) {
        // SAFETY: the C library's bindings give the address of memory for the whole result, aligned
        // for it.
        unsafe { self.0.add(offset).cast::<T>().write(value) }
    }

    fn empty_list(&self) {
        self.put(0, std::ptr::dangling::<u32>() as usize);
        self.put(4, 0usize);
    }
}

macro_rules! system {
    ($($name:literal: fn $function:ident($($argument:ident: $ty:ty),*) $(-> $returns:ty)? $body:block)*) => {
        $(
            #[unsafe(export_name = $name)]
            extern "C" fn $function($($argument: $ty),*) $(-> $returns)? $body
        )*
    };
}

system! {
    "wasi:cli/environment@0.2.0#get-environment": fn environment(result: Result) { result.empty_list() }
    "wasi:cli/environment@0.2.0#get-arguments": fn arguments(result: Result) { result.empty_list() }

    "wasi:cli/terminal-stdin@0.2.0#get-terminal-stdin": fn terminal_in(result: Result) { result.put(0, 0u8) }
    "wasi:cli/terminal-stdout@0.2.0#get-terminal-stdout": fn terminal_out(result: Result) { result.put(0, 0u8) }
    "wasi:cli/terminal-stderr@0.2.0#get-terminal-stderr": fn terminal_error(result: Result) { result.put(0, 0u8) }
    "wasi:cli/stdin@0.2.0#get-stdin": fn stdin() -> usize { 0 }
    "wasi:cli/stdout@0.2.0#get-stdout": fn stdout() -> usize { 1 }
    "wasi:cli/stderr@0.2.0#get-stderr": fn stderr() -> usize { 2 }
    "wasi:io/streams@0.2.0#[method]input-stream.read": fn read(stream: usize, bytes: u64, result: Result) {
        match files::read_stream(stream, bytes) {
            Some(Ok(bytes)) if !bytes.is_empty() => {
                result.put(0, 0u8);
                files::put_list(&result, bytes);
            }
            Some(Err(_)) => failed(&result),
            _ => {
                result.put(0, 1u8);
                result.put(4, CLOSED);
            }
        }
    }
    "wasi:io/streams@0.2.0#[method]output-stream.check-write": fn check_write(_stream: usize, result: Result) {
        result.put(0, 0u8);
        result.put(8, STREAM_BYTES);
    }
    "wasi:io/streams@0.2.0#[method]output-stream.write": fn write(stream: usize, text: *const u8, bytes: usize, result: Result) {
        // SAFETY: the canonical ABI gives a list as its address and length.
        let text = unsafe { std::slice::from_raw_parts(text, bytes) };
        match files::write_stream(stream, text) {
            None => print(stream, text),
            Some(Ok(())) => {}
            Some(Err(_)) => return failed(&result),
        }
        result.put(0, 0u8);
    }
    "wasi:io/streams@0.2.0#[method]output-stream.blocking-flush": fn flush(_stream: usize, result: Result) { result.put(0, 0u8) }
    "wasi:io/streams@0.2.0#[resource-drop]input-stream": fn drop_input(stream: usize) { descriptors::drop_stream(stream) }
    "wasi:io/streams@0.2.0#[resource-drop]output-stream": fn drop_output(stream: usize) { descriptors::drop_stream(stream) }
    "wasi:io/error@0.2.0#[resource-drop]error": fn drop_error(_error: usize) {}

    "wasi:clocks/monotonic-clock@0.2.0#now": fn monotonic() -> u64 { host::elapsed() }
    "wasi:clocks/monotonic-clock@0.2.0#resolution": fn monotonic_resolution() -> u64 { 1 }
    "wasi:clocks/wall-clock@0.2.0#now": fn wall_clock(result: Result) {
        let now = host::now();
        result.put(0, now / 1_000_000_000);
        result.put(8, (now % 1_000_000_000) as u32);
    }
    "wasi:clocks/wall-clock@0.2.0#resolution": fn wall_clock_resolution(result: Result) {
        result.put(0, 0u64);
        result.put(8, 1u32);
    }
    "wasi:random/random@0.2.0#get-random-bytes": fn random_bytes(bytes: u64, result: Result) {
        let mut given = Vec::with_capacity(bytes as usize);
        while given.len() < bytes as usize {
            let more = (bytes as usize - given.len()).min(ENTROPY_BYTES);
            given.extend(host::bytes(more as u32));
        }
        // The C library frees it, with the allocator that is also Rust's here.
        let given = given.leak();
        result.put(0, given.as_ptr() as usize);
        result.put(4, given.len());
    }

    "wasi:clocks/monotonic-clock@0.2.0#subscribe-duration": fn after(nanoseconds: u64) -> usize { timer(monotonic().saturating_add(nanoseconds)) }
    "wasi:clocks/monotonic-clock@0.2.0#subscribe-instant": fn at(instant: u64) -> usize { timer(instant) }
    "wasi:io/streams@0.2.0#[method]input-stream.subscribe": fn input_ready(_stream: usize) -> usize { READY }
    "wasi:io/streams@0.2.0#[method]output-stream.subscribe": fn output_ready(_stream: usize) -> usize { READY }
    "wasi:io/poll@0.2.0#[method]pollable.block": fn block(pollable: usize) { wait_until(deadline(pollable)) }
    "wasi:io/poll@0.2.0#poll": fn poll(pollables: *const usize, count: usize, result: Result) {
        // SAFETY: the canonical ABI gives a list as its address and length.
        let deadlines = unsafe { std::slice::from_raw_parts(pollables, count) }.iter().map(|pollable| deadline(*pollable));
        let first = deadlines.clone().min().unwrap_or(0);
        wait_until(first);
        let ready: Vec<u32> = (0..).zip(deadlines).filter(|(_, deadline)| *deadline <= first).map(|(index, _)| index).collect();
        let ready = ready.leak();
        result.put(0, ready.as_ptr() as usize);
        result.put(4, ready.len());
    }
    "wasi:io/poll@0.2.0#[resource-drop]pollable": fn drop_pollable(pollable: usize) {
        TIMERS.with_borrow_mut(|timers| {
            // Handles are used one after the other, or all at once and then dropped.
            if pollable == timers.len() {
                timers.pop();
            }
        });
    }

    "wasi:sockets/instance-network@0.2.0#instance-network": fn network() -> usize { 0 }
    "wasi:sockets/tcp-create-socket@0.2.0#create-tcp-socket": fn tcp(_family: i32, result: Result) { refuse(&result) }
    "wasi:sockets/udp-create-socket@0.2.0#create-udp-socket": fn udp(_family: i32, result: Result) { refuse(&result) }
    "wasi:sockets/ip-name-lookup@0.2.0#resolve-addresses": fn resolve(_network: usize, _name: *const u8, _bytes: usize, result: Result) { refuse(&result) }
}

/// A stream that failed. The C library calls all of that an error of input and output;
/// [`errors`] says what it was.
fn failed(result: &Result) {
    result.put(0, 1u8);
    result.put(4, LAST_OPERATION_FAILED);
    result.put(8, 0usize);
}

fn refuse(result: &Result) {
    result.put(0, 1u8);
    result.put(4, ACCESS_DENIED);
}

thread_local! {
    /// When each timer is over; its handle is its place, counted from 1.
    static TIMERS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

fn timer(deadline: u64) -> usize {
    TIMERS.with_borrow_mut(|timers| {
        timers.push(deadline);
        timers.len()
    })
}

fn wait_until(deadline: u64) {
    if deadline > 0 {
        sleep_until(deadline);
    }
}

/// When something is ready: at once, unless it is a timer.
fn deadline(pollable: usize) -> u64 {
    TIMERS.with_borrow(|timers| {
        pollable
            .checked_sub(READY + 1)
            .and_then(|place| timers.get(place).copied())
            .unwrap_or(0)
    })
}

/// How long an unfinished line may be before it is written as it is.
const LINE_BYTES: usize = 64 << 10;

thread_local! {
    /// The unfinished lines of standard output and standard error.
    static LINES: RefCell<[Vec<u8>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// What C code prints, which is little: CPython's last words before it gives up. They come in
/// pieces.
fn print(stream: usize, text: &[u8]) {
    let level = if stream == 2 {
        Level::Error
    } else {
        Level::Log
    };
    LINES.with_borrow_mut(|lines| {
        let line = &mut lines[usize::from(stream == 2)];
        for piece in text.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(piece);
            if line.ends_with(b"\n") || line.len() > LINE_BYTES {
                let text = String::from_utf8_lossy(line);
                host::write(level, text.strip_suffix('\n').unwrap_or(&text));
                line.clear();
            }
        }
    });
}

/// Writes what is left of lines that were not ended.
pub(crate) fn finish() {
    for stream in [1, 2] {
        if LINES.with_borrow(|lines| !lines[stream - 1].is_empty()) {
            print(stream, b"\n");
        }
    }
}

/// There is nothing to load.
#[unsafe(no_mangle)]
extern "C" fn dlopen(_name: *const u8, _flags: i32) -> *const u8 {
    std::ptr::null()
}

#[unsafe(no_mangle)]
extern "C" fn dlsym(_library: *const u8, _name: *const u8) -> *const u8 {
    std::ptr::null()
}

#[unsafe(no_mangle)]
extern "C" fn dlerror() -> *const std::ffi::c_char {
    c"compiled extension modules can't be loaded".as_ptr()
}

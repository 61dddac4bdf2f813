//! A compiled guest for the benches: it calls `bench.echo` a thousand times, as a typed function,
//! and does nothing else.

use ampoule::{Binding as _, Component};
use ampoule_projection::names::{Names, Style};
use ampoule_projection::{Interface, wit};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::{block_on, functions};

/// What the guest returns: the sum of what the tool gave back.
pub const SUM: u64 = 499_500;

/// How the guest makes its calls.
#[derive(Debug, Clone, Copy)]
pub enum Calls {
    /// None.
    None,
    /// One after the other.
    Sequential,
    /// All of them before it waits for any.
    Concurrent,
}

/// The guest.
///
/// # Panics
///
/// Where the tools' package is not what this guest was written against.
pub fn component(calls: Calls) -> Component {
    let tools = block_on(functions().tools()).expect("tools");
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    let package = wit::package("bench", &Interface::of(tools.iter()), &names);
    let mut resolve = Resolve::default();
    let values = format!("package ampoule:guest@0.1.0;\n{}", wit::VALUES);
    let world = "package local:guest;
        world guest {
            import mcp:bench/bench;
            export run: async func(arguments: string) -> result<string, string>;
        }";
    let mut push = |name: &str, text: &str| resolve.push_str(name, text).expect("valid WIT");
    push("values.wit", &values);
    push("tools.wit", &package.to_string());
    let id = push("world.wit", world);
    let world = resolve.select_world(&[id], None).expect("the world");
    let mut module = wat::parse_str(module(calls)).expect("a module");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
        .expect("a section");
    let wasm = ComponentEncoder::default()
        .module(&module)
        .and_then(|encoder| encoder.validate(true).encode())
        .expect("a component");
    Component::from_bytes(wasm).expect("a component")
}

/// The guest's core module. A result of the tool takes 64 bytes: at 0 whether it is an error, at 8
/// the number.
fn module(calls: Calls) -> String {
    let (imports, body) = match calls {
        Calls::None => ("", ""),
        Calls::Sequential => (
            r#"(import "mcp:bench/bench" "echo" (func $echo (param i64 i32)))"#,
            "(loop $next
                (call $echo (i64.extend_i32_u (local.get $n)) (i32.const 4096))
                (call $take (i32.const 4096))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $next (i32.lt_u (local.get $n) (i32.const 1000))))
             (call $check)",
        ),
        Calls::Concurrent => (
            r#"(import "mcp:bench/bench" "[async-lower]echo" (func $echo (param i64 i32) (result i32)))
               (import "$root" "[waitable-set-new]" (func $new-set (result i32)))
               (import "$root" "[waitable-join]" (func $join (param i32 i32)))
               (import "$root" "[waitable-set-wait]" (func $wait (param i32 i32) (result i32)))
               (import "$root" "[subtask-drop]" (func $drop-call (param i32)))"#,
            "(local.set $set (call $new-set))
             (loop $next
                (local.set $status (call $echo
                    (i64.extend_i32_u (local.get $n))
                    (call $place (local.get $n))))
                ;; In its low four bits: 2 for a call that has returned.
                (if (i32.ne (i32.and (local.get $status) (i32.const 15)) (i32.const 2))
                    (then
                        (call $join (i32.shr_u (local.get $status) (i32.const 4)) (local.get $set))
                        (local.set $waiting (i32.add (local.get $waiting) (i32.const 1)))))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $next (i32.lt_u (local.get $n) (i32.const 1000))))
             (block $done (loop $again
                (br_if $done (i32.eqz (local.get $waiting)))
                ;; An event of a call is a 1, with the call, and its state.
                (if (i32.and
                        (i32.eq (call $wait (local.get $set) (i32.const 512)) (i32.const 1))
                        (i32.eq (i32.load (i32.const 516)) (i32.const 2)))
                    (then
                        (call $drop-call (i32.load (i32.const 512)))
                        (local.set $waiting (i32.sub (local.get $waiting) (i32.const 1)))))
                (br $again)))
             (local.set $n (i32.const 0))
             (loop $next
                (call $take (call $place (local.get $n)))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $next (i32.lt_u (local.get $n) (i32.const 1000))))
             (call $check)",
        ),
    };
    format!(
        r#"(module
            {imports}
            (memory (export "memory") 4)
            (global $sum (mut i64) (i64.const 0))
            (data (i32.const 256) "{SUM}")
            (func $place (param $n i32) (result i32)
                (i32.add (i32.const 4096) (i32.shl (local.get $n) (i32.const 6))))
            (func $take (param $at i32)
                (if (i32.load8_u (local.get $at)) (then unreachable))
                (global.set $sum (i64.add (global.get $sum) (i64.load offset=8 (local.get $at)))))
            (func $check (if (i64.ne (global.get $sum) (i64.const {SUM})) (then unreachable)))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 131072))
            (func (export "run") (param i32 i32) (result i32)
                (local $n i32) (local $set i32) (local $status i32) (local $waiting i32)
                {body}
                (i32.store (i32.const 20) (i32.const 256))
                (i32.store (i32.const 24) (i32.const 6))
                (i32.const 16)))"#
    )
}

//! A module as guests are, whose script is the number of calls that it makes.

use wasmtime::{Engine, Instance, Module, Store};

use super::*;

/// `start` calls the function at place 1 once for each byte of the script, and that at place 2 once.
/// `apply` calls the one at a place.
const GUEST: &str = r#"(module
    (type $unary (func (param i32) (result i32)))
    (type $other (func (param i64) (result i32)))
    (memory (export "memory") 1)
    (table 8 funcref)
    (elem (i32.const 1) func $double $next $wide)
    (func $double (type $unary) (i32.mul (local.get 0) (i32.const 2)))
    (func $next (type $unary) (i32.add (local.get 0) (i32.const 1)))
    (func $wide (type $other) (i32.wrap_i64 (local.get 0)))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func $apply (export "apply") (param i32 i32) (result i32)
        (call_indirect (type $unary) (local.get 1) (local.get 0)))
    (func (export "ampoule:guest/script@0.1.0#start")
        (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
        (loop
            (drop (call $apply (i32.const 1) (i32.const 3)))
            (br_if 0 (local.tee 3 (i32.sub (local.get 3) (i32.const 1)))))
        (drop (call $apply (i32.const 2) (i32.const 3)))
        (i32.const 0)))"#;

fn guest() -> Vec<u8> {
    wat::parse_str(GUEST).unwrap()
}

/// What `apply` gives for 20 by the function at a place, or that it traps.
fn applied(module: &[u8], place: i32) -> Result<i32, String> {
    let engine = Engine::default();
    let mut store = Store::new(&engine, ());
    let module = Module::new(&engine, module).unwrap();
    let instance = Instance::new(&mut store, &module, &[]).unwrap();
    let apply = instance.get_typed_func::<(i32, i32), i32>(&mut store, "apply");
    let given = apply.unwrap().call(&mut store, (place, 20));
    given.map_err(|trap| trap.root_cause().to_string())
}

#[test]
fn calls_are_counted_for_each_script() {
    let module = guest();
    let functions = Functions::of(&module).unwrap();
    let calls = recorded_calls::calls(&module, &functions, &["abc", "abcdef"]).unwrap();
    let counts = |calls: &[recorded_calls::Call]| -> Vec<(u32, u32, u32)> {
        let counts = calls
            .iter()
            .map(|call| (call.instruction, call.place, call.count));
        counts.collect()
    };
    assert_eq!(counts(&calls[0]), [(0, 1, 3), (0, 2, 1)]);
    assert_eq!(counts(&calls[1]), [(0, 1, 6), (0, 2, 1)]);
}

#[test]
fn what_is_guessed_is_called_directly_and_nothing_else_changes() {
    let module = guest();
    let settled = settle(&module, &["abc"]).unwrap();
    let text = wasmparser::Parser::new(0).parse_all(&settled);
    let mut direct = Vec::new();
    for payload in text {
        let wasmparser::Payload::CodeSectionEntry(body) = payload.unwrap() else {
            continue;
        };
        for operator in body.get_operators_reader().unwrap() {
            if let wasmparser::Operator::Call { function_index } = operator.unwrap() {
                direct.push(function_index);
            }
        }
    }
    // `apply` looks for the function that was called most first; `start` calls `apply` twice.
    assert_eq!(direct, [0, 1, 4, 4]);
    for place in 0..9 {
        assert_eq!(applied(&settled, place), applied(&module, place), "{place}");
    }
    assert_eq!(applied(&settled, 1), Ok(40));
    assert_eq!(applied(&settled, 2), Ok(21));
    assert!(applied(&settled, 3).unwrap_err().contains("type mismatch"));
}

#[test]
fn what_is_called_seldom_is_not_looked_for() {
    let module = guest();
    let functions = Functions::of(&module).unwrap();
    let calls = recorded_calls::calls(&module, &functions, &["a".repeat(100).as_str()]).unwrap();
    let guesses = guesses::choose(&functions, &calls);
    let guessed: Vec<bool> = calls[0].iter().map(|call| guesses.has(call)).collect();
    assert_eq!(guessed, [true, false]);
}

#[test]
fn what_is_still_called_by_pointers_is_declared_first() {
    let settled = settle(&guest(), &["a".repeat(100).as_str()]).unwrap();
    let mut declared = Vec::new();
    for payload in wasmparser::Parser::new(0).parse_all(&settled) {
        let wasmparser::Payload::ElementSection(section) = payload.unwrap() else {
            continue;
        };
        let first = section.into_iter().next().unwrap().unwrap();
        assert!(matches!(first.kind, wasmparser::ElementKind::Declared));
        if let wasmparser::ElementItems::Functions(functions) = first.items {
            declared.extend(functions.into_iter().map(Result::unwrap));
        }
    }
    assert_eq!(declared, [1]);
}

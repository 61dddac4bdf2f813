//! Components for tests, written in WebAssembly's text form.

use std::path::Path;

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{PackageId, Resolve};

/// A component whose `run` has this body. The body gets where the arguments are, and their length,
/// and leaves where the result is: `(i32.const 16)` is an empty one, and `$return` makes one of a
/// text.
///
/// # Panics
///
/// Where it is not valid.
pub fn component(body: &str) -> Vec<u8> {
    with_items("", body)
}

/// The same, with items beside the function, such as data and globals.
///
/// # Panics
///
/// Where it is not valid.
pub fn with_items(items: &str, body: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $program
                (memory (export "memory") 2)
                {items}
                ;; Makes a result: 0 for a value, 1 for an error, and its text.
                (func $return (param $kind i32) (param $at i32) (param $length i32) (result i32)
                    (i32.store (i32.const 16) (local.get $kind))
                    (i32.store (i32.const 20) (local.get $at))
                    (i32.store (i32.const 24) (local.get $length))
                    (i32.const 16))
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
                (func (export "run") (param $at i32) (param $length i32) (result i32) {body}))
            (core instance $program (instantiate $program))
            (func (export "run") (param "arguments" string) (result (result string (error string)))
                (canon lift (core func $program "run")
                    (memory (core memory $program "memory")) (realloc (core func $program "realloc")))))"#
    );
    wat::parse_str(text).expect("a component")
}

/// A component that imports this function of an interface, which takes and gives nothing, and does
/// not call it.
///
/// # Panics
///
/// Where that is not valid.
pub fn importing(interface: &str, function: &str) -> Vec<u8> {
    let text = format!(
        r#"(component
        (import "{interface}" (instance (export "{function}" (func))))
        (core module $program
            (memory (export "memory") 1)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
            (func (export "run") (param i32 i32) (result i32) (i32.const 16)))
        (core instance $program (instantiate $program))
        (func (export "run") (param "arguments" string) (result (result string (error string)))
            (canon lift (core func $program "run")
                (memory (core memory $program "memory")) (realloc (core func $program "realloc")))))"#
    );
    wat::parse_str(text).expect("a component")
}

/// A WASI program: a core module for WASI's first version, with the adapter that everybody uses.
///
/// # Panics
///
/// Where it is not valid.
pub fn command(module: &str) -> Vec<u8> {
    let module = wat::parse_str(module).expect("a module");
    ComponentEncoder::default()
        .module(&module)
        .and_then(|encoder| {
            encoder.validate(true).adapter(
                WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
                WASI_SNAPSHOT_PREVIEW1_COMMAND_ADAPTER,
            )
        })
        .and_then(|mut encoder| encoder.encode())
        .expect("a component")
}

/// A component of a core module, in WebAssembly's text form, that is built for the world `program`
/// of a package in WIT. The package may have others inside.
///
/// # Panics
///
/// Where it is not valid.
pub fn built_for(wit: &str, module: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("program.wit", wit).expect("a package");
    built(&resolve, package, module)
}

/// The same, of a folder with a package and what it depends on, as `ampoule tools generate` writes it.
///
/// # Panics
///
/// Where it is not valid.
pub fn built_for_folder(wit: &Path, module: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(wit).expect("a package");
    built(&resolve, package, module)
}

fn built(resolve: &Resolve, package: PackageId, module: &str) -> Vec<u8> {
    let world = resolve.packages[package].worlds["program"];
    let mut module = wat::parse_str(module).expect("a module");
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8)
        .expect("a world that can be kept");
    ComponentEncoder::default()
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .expect("a component")
}

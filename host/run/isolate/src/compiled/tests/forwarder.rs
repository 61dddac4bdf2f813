//! Components that export what they import: each function calls the one of the same name, through
//! the component's own memory.

use std::fmt::Write;

use ampoule_projection::wit::{Package, VALUES};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::abi::{AbiVariant, WasmSignature, WasmType};
use wit_parser::{Function, InterfaceId, Resolve, WorldId, WorldItem, WorldKey};

use crate::component::Component;

/// How much a call's arguments, or its result, may take in the component's memory beside texts and
/// lists: far more than any type's own size.
const AREA_BYTES: u32 = 64 << 10;

/// A component that exports the tools of a package, and a `run` that does nothing.
pub(super) fn component(package: &Package) -> Component {
    built_against(VALUES, package)
}

/// The same, built against an `ampoule:guest/values` of another time.
pub(super) fn built_against(values: &str, package: &Package) -> Component {
    let mut resolve = Resolve::default();
    let values = format!("package ampoule:guest@0.1.0;\n{values}");
    let name = package.interface();
    let world = format!(
        "package local:forwarder;
        world forwarder {{
            import {name};
            export {name};
            export run: func(arguments: string) -> result<string, string>;
        }}"
    );
    resolve.push_str("values.wit", &values).unwrap();
    resolve
        .push_str("tools.wit", &package.to_string())
        .unwrap_or_else(|error| panic!("{error:?}\n{package}"));
    let id = resolve.push_str("world.wit", &world).unwrap();
    let world = resolve.select_world(&[id], None).unwrap();
    let mut module = wat::parse_str(module(&resolve, world)).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .unwrap();
    Component::from_bytes(component).unwrap()
}

/// The component's core module.
fn module(resolve: &Resolve, world: WorldId) -> String {
    let (mut imports, mut functions) = (String::new(), String::new());
    for (key, item) in &resolve.worlds[world].exports {
        let (WorldKey::Interface(_), WorldItem::Interface { id, .. }) = (key, item) else {
            continue;
        };
        for function in resolve.interfaces[*id].functions.values() {
            forward(resolve, *id, function, &mut imports, &mut functions);
        }
    }
    format!(
        r#"(module
            {imports}
            (memory (export "memory") 1)
            (global $free (mut i32) (i32.const 1024))
            (func $allocate (param $size i32) (param $align i32) (result i32)
                (local $at i32)
                (local.set $at (i32.and
                    (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
                    (i32.sub (i32.const 0) (local.get $align))))
                (global.set $free (i32.add (local.get $at) (local.get $size)))
                (if (i32.gt_u (global.get $free) (i32.shl (memory.size) (i32.const 16)))
                    (then (drop (memory.grow (i32.add (i32.const 1) (i32.shr_u (local.get $size) (i32.const 16)))))))
                (local.get $at))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                (call $allocate (local.get 3) (local.get 2)))
            (func (export "run") (param i32 i32) (result i32) (i32.const 16))
            {functions})"#
    )
}

/// One function: its import, and its export, which calls it.
fn forward(
    resolve: &Resolve,
    interface: InterfaceId,
    function: &Function,
    imports: &mut String,
    functions: &mut String,
) {
    let import = resolve.wasm_signature(AbiVariant::GuestImport, function);
    let export = resolve.wasm_signature(AbiVariant::GuestExport, function);
    let module = resolve.id_of(interface).unwrap();
    let name = &function.name;
    assert!(
        import.retptr && export.retptr,
        "a result takes more than one value"
    );
    assert_eq!(import.indirect_params, export.indirect_params);
    write!(
        imports,
        r#"(import "{module}" "{name}" (func ${name} {}))"#,
        types(&import)
    )
    .unwrap();
    let parameters: String = (0..export.params.len())
        .map(|place| format!("(local.get {place})"))
        .collect();
    write!(
        functions,
        r#"(func (export "{module}#{name}") {} (local $answer i32)
            (local.set $answer (call $allocate (i32.const {AREA_BYTES}) (i32.const 8)))
            (call ${name} {parameters} (local.get $answer))
            (local.get $answer))"#,
        types(&export)
    )
    .unwrap();
}

fn types(signature: &WasmSignature) -> String {
    let word = |ty: &WasmType| match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => "i32",
        WasmType::I64 | WasmType::PointerOrI64 => "i64",
        WasmType::F32 => "f32",
        WasmType::F64 => "f64",
    };
    let parameters: Vec<_> = signature.params.iter().map(word).collect();
    let results: Vec<_> = signature.results.iter().map(word).collect();
    let mut text = String::new();
    if !parameters.is_empty() {
        text += &format!("(param {})", parameters.join(" "));
    }
    if !results.is_empty() {
        text += &format!("(result {})", results.join(" "));
    }
    text
}

//! Components that call one function with one value, and nothing else: the value lies in their
//! memory as the Component Model says, whatever language they might be of.

use std::fmt::Write as _;

use ampoule_projection::names::{Names, Style};
use ampoule_projection::wit::{self, Calling};
use ampoule_projection::{Interface, Tool};
use ampoule_values::{DecodeError, PackageValues as _};
use serde_json::Value;
use wasmtime::component::Val;
use wit_parser::abi::{AbiVariant, FlatTypes, WasmType};
use wit_parser::{Function, Int, Resolve, SizeAlign, Type, TypeDefKind};

use crate::components::built_for;

/// Where a component keeps what it gives and gets.
const RESULT: usize = 16;
/// Where values begin: after all that.
const VALUES: usize = 1024;

/// A component that calls a tool of a server, once, and gives `null`, or the error's message.
///
/// # Errors
///
/// Where the tool's types in WIT can't say the arguments.
///
/// # Panics
///
/// Where the tool's package is not valid.
pub fn calling(server: &str, tool: &Tool, arguments: &Value) -> Result<Vec<u8>, DecodeError> {
    built_against(wit::VALUES, "message", server, tool, arguments)
}

/// The same with a `run` that has types of its own, so that it can be a tool: it takes `{ "who": … }`,
/// and gives the text `null`, or the error's message.
///
/// # Errors
///
/// As for [`calling`].
///
/// # Panics
///
/// As for [`calling`].
pub fn typed_calling(server: &str, tool: &Tool, arguments: &Value) -> Result<Vec<u8>, DecodeError> {
    // Its parameters and its result lie where those of the text form do.
    let run =
        "record asked { who: string } export run: func(input: asked) -> result<string, string>;";
    built(run, wit::VALUES, "message", server, tool, arguments)
}

/// The same, built against an `ampoule:guest/values` of any time. It gives this field of an error: a
/// text, or an option of one, which is empty if there is no text.
///
/// # Errors
///
/// Where the tool's types in WIT can't say the arguments.
///
/// # Panics
///
/// Where the tool's package is not valid, or errors have no such field.
pub fn built_against(
    values_wit: &str,
    field: &str,
    server: &str,
    tool: &Tool,
    arguments: &Value,
) -> Result<Vec<u8>, DecodeError> {
    let run = "export run: func(arguments: string) -> result<string, string>;";
    built(run, values_wit, field, server, tool, arguments)
}

/// The same with this `run` in its world.
fn built(
    run: &str,
    values_wit: &str,
    field: &str,
    server: &str,
    tool: &Tool,
    arguments: &Value,
) -> Result<Vec<u8>, DecodeError> {
    let names = Names::new([tool.name.as_str()], Style::Kebab);
    let package = wit::package(server, &Interface::of([tool]), &names);
    let function = &package.functions[0];
    let values = package.parameters(function, &arguments.to_string(), 64 << 20)?;
    let import = package.interface();
    let world = format!(
        "package local:program;
world program {{ import {import}; {run} }}
package ampoule:guest@0.1.0 {{ {values_wit} }}
{}",
        nested(&package.written(Calling::Plain)),
    );
    let mut resolve = Resolve::default();
    let id = resolve.push_str("program.wit", &world).expect("a package");
    let world_id = resolve.packages[id].worlds["program"];
    let called = resolve.worlds[world_id]
        .imports
        .values()
        .find_map(|item| match item {
            wit_parser::WorldItem::Interface { id, .. } => {
                resolve.interfaces[*id].functions.values().next()
            }
            _ => None,
        });
    let called = called.expect("a function");
    let module = Layout::new(&resolve).module(&import, called, &values, field);
    Ok(built_for(&world, &module))
}

/// A package's text, as it stands inside another's.
fn nested(package: &str) -> String {
    let (name, body) = package.split_once(";\n").expect("a package");
    format!("{name} {{ {body} }}")
}

/// A memory that values are laid out in.
struct Layout<'a> {
    resolve: &'a Resolve,
    sizes: SizeAlign,
    memory: Vec<u8>,
}

/// A variant, an option or an enumeration that has a value.
struct Chosen<'a> {
    tag: Int,
    index: usize,
    cases: Vec<Option<Type>>,
    value: Option<&'a Val>,
}

impl<'a> Layout<'a> {
    fn new(resolve: &'a Resolve) -> Self {
        let mut sizes = SizeAlign::default();
        sizes.fill(resolve);
        Self {
            resolve,
            sizes,
            memory: vec![0; VALUES],
        }
    }

    /// The core module that makes the call, and gives a field of an error.
    fn module(mut self, import: &str, function: &Function, values: &[Val], field: &str) -> String {
        let signature = self
            .resolve
            .wasm_signature(AbiVariant::GuestImport, function);
        let parameters: Vec<Type> = function
            .params
            .iter()
            .map(|parameter| parameter.ty)
            .collect();
        let mut given = Vec::new();
        if signature.indirect_params {
            let types: Vec<&Type> = parameters.iter().collect();
            let record = self.sizes.record(types.iter().copied());
            let at = self.allocate(record.size.size_wasm32(), record.align.align_wasm32());
            self.store_all(&parameters, values, at);
            given.push(at as u64);
        } else {
            for (ty, value) in parameters.iter().zip(values) {
                given.extend(self.flat(ty, value));
            }
        }
        let result = function.result.expect("a result");
        let at = self.allocate(self.sizes.size(&result).size_wasm32(), 8);
        given.push(at as u64);
        let types = signature
            .params
            .iter()
            .map(|ty| core(*ty))
            .collect::<Vec<_>>();
        let constants: String = types
            .iter()
            .zip(given)
            .map(|(ty, bits)| constant(ty, bits))
            .collect();
        let told = at + self.offset_in_error(&result, field);
        let (pages, name) = (self.memory.len() / 0x1_0000 + 4, &function.name);
        let free = self.memory.len().next_multiple_of(16);
        let types = types.join(" ");
        let data = self.data();
        format!(
            r#"(module
                (import "{import}" "{name}" (func $call (param {types})))
                (memory (export "memory") {pages})
                (global $free (mut i32) (i32.const {free}))
                (data (i32.const 0) "{data}")
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
                    (local $at i32)
                    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
                    (global.set $free (i32.add (local.get $at) (local.get 3)))
                    (local.get $at))
                (func (export "run") (param i32 i32) (result i32)
                    (call $call {constants})
                    (if (i32.load8_u (i32.const {at}))
                        (then
                            (i32.store (i32.const {RESULT}) (i32.const 1))
                            (i64.store (i32.const {message_of_run}) (i64.load align=4 (i32.const {told})))))
                    (i32.const {RESULT})))"#,
            message_of_run = RESULT + 4,
        )
    }

    /// Where a field's text lies in an error that a tool's function gives.
    fn offset_in_error(&self, result: &Type, field: &str) -> usize {
        let Some(TypeDefKind::Result(result)) = self.kind(result) else {
            panic!("a tool gives a result")
        };
        let cases = [result.ok.as_ref(), result.err.as_ref()];
        let error = self.sizes.payload_offset(Int::U8, cases).size_wasm32();
        let Some(TypeDefKind::Record(record)) = result.err.and_then(|ty| self.kind(&ty)) else {
            panic!("an error is a record")
        };
        let place = record.fields.iter().position(|known| known.name == field);
        let place = place.expect("a field of errors");
        let types: Vec<Type> = record.fields.iter().map(|field| field.ty).collect();
        let within = self.sizes.field_offsets(&types)[place].0.size_wasm32();
        let text = match self.kind(&types[place]) {
            Some(TypeDefKind::Option(text)) => {
                let cases = [None, Some(text)];
                self.sizes.payload_offset(Int::U8, cases).size_wasm32()
            }
            _ => 0,
        };
        error + within + text
    }

    /// The memory as a text in WebAssembly. What the run gives stands there from the start: `null`.
    fn data(&mut self) -> String {
        let null = RESULT + 16;
        self.memory[null..null + 4].copy_from_slice(b"null");
        self.store_words(RESULT, &[0, null, 4]);
        self.memory.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "\\{byte:02x}");
            text
        })
    }

    fn allocate(&mut self, size: usize, align: usize) -> usize {
        let at = self.memory.len().next_multiple_of(align);
        self.memory.resize(at + size, 0);
        at
    }

    fn store_words(&mut self, at: usize, words: &[usize]) {
        for (index, word) in words.iter().enumerate() {
            let place = at + 4 * index;
            self.memory[place..place + 4].copy_from_slice(&(*word as u32).to_le_bytes());
        }
    }

    /// The bits of a value that is one word, whatever its size.
    fn bits(value: &Val) -> Option<u64> {
        Some(match *value {
            Val::Bool(value) => value.into(),
            Val::U8(value) => value.into(),
            Val::S64(value) => value.cast_unsigned(),
            Val::U64(value) => value,
            Val::Float64(value) => value.to_bits(),
            _ => return None,
        })
    }

    /// Puts what a text or a list has into memory; gives where, and how many of them.
    fn outside(&mut self, ty: &Type, value: &Val) -> Option<(usize, usize)> {
        match (self.kind(ty), value) {
            (None, Val::String(text)) => {
                let at = self.allocate(text.len(), 1);
                self.memory[at..].copy_from_slice(text.as_bytes());
                Some((at, text.len()))
            }
            (Some(TypeDefKind::List(item)), Val::List(items)) => {
                let size = self.sizes.size(item).size_wasm32();
                let align = self.sizes.align(item).align_wasm32();
                let at = self.allocate(size * items.len(), align);
                for (index, value) in items.iter().enumerate() {
                    self.store(item, value, at + index * size);
                }
                Some((at, items.len()))
            }
            _ => None,
        }
    }

    /// What a record or a tuple consists of.
    fn fields(&self, ty: &Type, value: &Val) -> Option<(Vec<Type>, Vec<Val>)> {
        match (self.kind(ty)?, value) {
            (TypeDefKind::Record(record), Val::Record(fields)) => {
                let types = record.fields.iter().map(|field| field.ty);
                let values = fields.iter().map(|(_, value)| value.clone());
                Some((types.collect(), values.collect()))
            }
            (TypeDefKind::Tuple(tuple), Val::Tuple(values)) => {
                Some((tuple.types.clone(), values.clone()))
            }
            _ => None,
        }
    }

    fn chosen<'v>(&self, ty: &Type, value: &'v Val) -> Option<Chosen<'v>> {
        Some(match (self.kind(ty)?, value) {
            (TypeDefKind::Option(inside), Val::Option(value)) => Chosen {
                tag: Int::U8,
                index: value.is_some().into(),
                cases: vec![None, Some(*inside)],
                value: value.as_deref(),
            },
            (TypeDefKind::Variant(variant), Val::Variant(name, value)) => Chosen {
                tag: variant.tag(),
                index: variant.cases.iter().position(|case| case.name == *name)?,
                cases: variant.cases.iter().map(|case| case.ty).collect(),
                value: value.as_deref(),
            },
            (TypeDefKind::Enum(values), Val::Enum(name)) => Chosen {
                tag: values.tag(),
                index: values.cases.iter().position(|case| case.name == *name)?,
                cases: vec![None; values.cases.len()],
                value: None,
            },
            _ => return None,
        })
    }

    /// What a type that has a definition is, whatever it is called.
    fn kind(&self, ty: &Type) -> Option<&'a TypeDefKind> {
        let resolve = self.resolve;
        let Type::Id(id) = ty else { return None };
        match &resolve.types[*id].kind {
            TypeDefKind::Type(ty @ Type::Id(_)) => self.kind(ty),
            TypeDefKind::Type(_) => None,
            kind => Some(kind),
        }
    }

    fn store_all(&mut self, types: &[Type], values: &[Val], at: usize) {
        let offsets = self.sizes.field_offsets(types);
        let offsets: Vec<usize> = offsets
            .iter()
            .map(|(offset, _)| offset.size_wasm32())
            .collect();
        for ((ty, value), offset) in types.iter().zip(values).zip(offsets) {
            self.store(ty, value, at + offset);
        }
    }

    /// Writes a value to its place in memory.
    fn store(&mut self, ty: &Type, value: &Val, at: usize) {
        if let Some(bits) = Self::bits(value) {
            let size = self.sizes.size(ty).size_wasm32();
            self.memory[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        } else if let Some((place, count)) = self.outside(ty, value) {
            self.store_words(at, &[place, count]);
        } else if let Some((types, values)) = self.fields(ty, value) {
            self.store_all(&types, &values, at);
        } else if let Some(chosen) = self.chosen(ty, value) {
            let size = match chosen.tag {
                Int::U8 => 1,
                Int::U16 => 2,
                _ => 4,
            };
            self.memory[at..at + size].copy_from_slice(&chosen.index.to_le_bytes()[..size]);
            let cases = chosen.cases.iter().map(Option::as_ref);
            let offset = self.sizes.payload_offset(chosen.tag, cases).size_wasm32();
            if let (Some(ty), Some(value)) = (&chosen.cases[chosen.index], chosen.value) {
                self.store(ty, value, at + offset);
            }
        } else {
            panic!("{value:?} is no {ty:?}");
        }
    }

    /// The bits of the words that a value is passed as.
    fn flat(&mut self, ty: &Type, value: &Val) -> Vec<u64> {
        if let Some(bits) = Self::bits(value) {
            vec![bits]
        } else if let Some((place, count)) = self.outside(ty, value) {
            vec![place as u64, count as u64]
        } else if let Some((types, values)) = self.fields(ty, value) {
            let fields = types.iter().zip(&values);
            fields
                .flat_map(|(ty, value)| self.flat(ty, value))
                .collect()
        } else if let Some(chosen) = self.chosen(ty, value) {
            let mut words = vec![chosen.index as u64];
            if let (Some(ty), Some(value)) = (&chosen.cases[chosen.index], chosen.value) {
                words.extend(self.flat(ty, value));
            }
            let mut storage = [WasmType::I32; Resolve::MAX_FLAT_PARAMS];
            let mut types = FlatTypes::new(&mut storage);
            assert!(
                self.resolve.push_flat(ty, &mut types),
                "it is passed in memory"
            );
            words.resize(types.to_vec().len(), 0);
            words
        } else {
            panic!("{value:?} is no {ty:?}");
        }
    }
}

/// A type of a word, as a core module has it.
fn core(ty: WasmType) -> &'static str {
    match ty {
        WasmType::I32 | WasmType::Pointer | WasmType::Length => "i32",
        WasmType::I64 | WasmType::PointerOrI64 => "i64",
        WasmType::F32 => "f32",
        WasmType::F64 => "f64",
    }
}

fn constant(ty: &str, bits: u64) -> String {
    match ty {
        "i32" => format!("(i32.const {})", bits as u32),
        "i64" => format!("(i64.const {bits})"),
        "f32" => format!("(f32.reinterpret_i32 (i32.const {}))", bits as u32),
        _ => format!("(f64.reinterpret_i64 (i64.const {bits}))"),
    }
}

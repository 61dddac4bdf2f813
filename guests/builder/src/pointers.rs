//! Functions that runs call by pointers, brought together.
//!
//! For each function whose address is taken, an instance has a record, which the engine writes when
//! the function is first called by its address. CPython has thousands of them, and a run calls some
//! hundreds, all over the place: most pages of the records were a run's own. The engine orders the
//! records as it meets the functions in the module, so those that runs call are declared first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ElementSection, Elements, ExportKind, ExportSection, Function, FunctionSection,
    Instruction, MemArg, MemorySection, MemoryType, TypeSection, ValType,
};
use wasmparser::{
    ElementItems, ElementKind, ElementSectionReader, ExportSectionReader, FunctionBody,
    FunctionSectionReader, MemorySectionReader, Operator, Parser, Payload, TypeSectionReader,
};
use wasmtime::Engine;

use crate::rewrite::{Done, imported_functions, rewritten};
use crate::trial::Trial;

/// The memory that notes which places of the table were called: a byte for each.
const NOTES: &str = "build:notes";
/// Its size, in pages of 64 KiB: for a table of as many places as that has bytes. One beyond traps,
/// and fails the build.
const NOTES_PAGES: u64 = 2;

/// The module, with the functions declared first that these scripts call by pointers: before all
/// others those that most of them call.
pub(super) fn gather(module: &[u8], scripts: &[&str]) -> Result<Vec<u8>> {
    let mut callers: BTreeMap<u32, usize> = BTreeMap::new();
    for place in called_places(module, scripts)? {
        if let Some(function) = function_at(module, place)? {
            *callers.entry(function).or_default() += 1;
        }
    }
    let mut called: Vec<(u32, usize)> = callers.into_iter().collect();
    called.sort_by_key(|(function, callers)| (Reverse(*callers), *function));
    let called = called.into_iter().map(|(function, _)| function).collect();
    rewritten(&mut Declaring(called), module)
}

/// The places of the table that the scripts call, once for each script.
fn called_places(module: &[u8], scripts: &[&str]) -> Result<Vec<u32>> {
    let mut noting = Noting {
        signature: 0,
        note: imported_functions(module)?,
        memories: 0,
    };
    let noting = rewritten(&mut noting, module)?;
    let fails = |error| anyhow!("the guest does not run: {error:?}");
    let engine = Engine::default();
    let noting = wasmtime::Module::new(&engine, noting).map_err(fails)?;
    let mut called = Vec::new();
    for script in scripts {
        let mut trial = Trial::of(&engine, &noting).map_err(fails)?;
        trial.start(script).map_err(fails)?;
        let notes = trial.instance.get_memory(&mut trial.store, NOTES);
        let notes = notes.expect("exported").data(&trial.store);
        called.extend(
            (0..)
                .zip(notes)
                .filter(|(_, note)| **note != 0)
                .map(|(place, _)| place),
        );
    }
    Ok(called)
}

/// The function that the module puts there.
fn function_at(module: &[u8], place: u32) -> Result<Option<u32>> {
    for payload in Parser::new(0).parse_all(module) {
        let Payload::ElementSection(section) = payload? else {
            continue;
        };
        for element in section {
            let element = element?;
            let (ElementKind::Active { offset_expr, .. }, ElementItems::Functions(functions)) =
                (element.kind, element.items)
            else {
                continue;
            };
            let Operator::I32Const { value: start } = offset_expr.get_operators_reader().read()?
            else {
                continue;
            };
            let index = place.checked_sub(start as u32).map(|index| index as usize);
            if let Some(function) = index.and_then(|index| functions.into_iter().nth(index)) {
                return Ok(Some(function.context("a function")?));
            }
        }
    }
    Ok(None)
}

/// Has each call by a pointer noted.
struct Noting {
    /// The index of the type of the function that notes.
    signature: u32,
    /// Its own index.
    note: u32,
    /// How many memories there were.
    memories: u32,
}

impl Reencode for Noting {
    type Error = std::convert::Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> Done {
        reencode::utils::parse_type_section(self, types, section)?;
        self.signature = types.len();
        types.ty().function([ValType::I32], [ValType::I32]);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Done {
        self.note += section.count();
        reencode::utils::parse_function_section(self, functions, section)?;
        functions.function(self.signature);
        Ok(())
    }

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: MemorySectionReader<'_>,
    ) -> Done {
        self.memories = section.count();
        reencode::utils::parse_memory_section(self, memories, section)?;
        memories.memory(MemoryType {
            minimum: NOTES_PAGES,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Done {
        reencode::utils::parse_export_section(self, exports, section)?;
        exports.export(NOTES, ExportKind::Memory, self.memories);
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Done {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            if let Operator::CallIndirect { .. } = operator {
                function.instruction(&Instruction::Call(self.note));
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Done {
        reencode::utils::parse_code_section(self, code, section)?;
        let mut note = Function::new([]);
        note.instruction(&Instruction::LocalGet(0))
            .instruction(&Instruction::I32Const(1))
            .instruction(&Instruction::I32Store8(MemArg {
                offset: 0,
                align: 0,
                memory_index: self.memories,
            }))
            .instruction(&Instruction::LocalGet(0))
            .instruction(&Instruction::End);
        code.function(&note);
        Ok(())
    }
}

/// Declares functions before all others whose addresses are taken.
struct Declaring(Vec<u32>);

impl Reencode for Declaring {
    type Error = std::convert::Infallible;

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        section: ElementSectionReader<'_>,
    ) -> Done {
        elements.declared(Elements::Functions(self.0.as_slice().into()));
        reencode::utils::parse_element_section(self, elements, section)
    }
}

//! What scripts call by pointers, and where.

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, FunctionSection, Instruction, MemArg,
    MemorySection, MemoryType, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, ExportSectionReader, FunctionBody, FunctionSectionReader,
    MemorySectionReader, Operator, Parser, Payload, TypeSectionReader,
};
use wasmtime::Engine;

use super::functions::Functions;
use crate::rewrite::{Done, rewritten};
use crate::trial::Trial;

/// The memory of counts: for each instruction that calls by a pointer, one for each place of the
/// table.
const NOTES: &str = "build:notes";
const COUNT_BYTES: u64 = 4;

/// How often a script called the function at a place of the table, by one instruction, which are
/// numbered as they come.
pub(super) struct Call {
    pub(super) instruction: u32,
    pub(super) place: u32,
    pub(super) count: u32,
}

/// The calls of each script.
pub(super) fn calls(
    module: &[u8],
    functions: &Functions,
    scripts: &[&str],
) -> Result<Vec<Vec<Call>>> {
    let places = functions.places();
    let counts = u64::from(instructions(module)?) * u64::from(places);
    let mut noting = Noting {
        places,
        pages: (counts * COUNT_BYTES).div_ceil(64 << 10),
        signature: 0,
        note: functions.imported,
        memories: 0,
        instruction: 0,
    };
    let noting = rewritten(&mut noting, module)?;
    let fails = |error| anyhow!("the guest does not run: {error:?}");
    let engine = Engine::default();
    let noting = wasmtime::Module::new(&engine, noting).map_err(fails)?;
    let of_script = |script: &&str| {
        let mut trial = Trial::of(&engine, &noting).map_err(fails)?;
        trial
            .start(script)
            .map_err(fails)
            .with_context(|| format!("`{script}`"))?;
        let notes = trial.instance.get_memory(&mut trial.store, NOTES);
        let (notes, _) = notes.expect("exported").data(&trial.store).as_chunks();
        let counts = (0..).zip(notes.iter().map(|count| u32::from_le_bytes(*count)));
        let counts = counts.filter(|(_, count)| *count != 0);
        Ok(counts
            .map(|(at, count): (u32, u32)| Call {
                instruction: at / places,
                place: at % places,
                count,
            })
            .collect())
    };
    scripts.iter().map(of_script).collect()
}

/// How many instructions of a module call by a pointer.
fn instructions(module: &[u8]) -> Result<u32> {
    let mut count = 0;
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CodeSectionEntry(body) = payload? {
            for operator in body.get_operators_reader()? {
                count += u32::from(matches!(operator?, Operator::CallIndirect { .. }));
            }
        }
    }
    Ok(count)
}

/// Has each call by a pointer noted.
struct Noting {
    /// How many places the table has.
    places: u32,
    /// How large the memory of counts is, in pages of 64 KiB.
    pages: u64,
    /// The index of the type of the function that notes.
    signature: u32,
    /// Its own index.
    note: u32,
    /// How many memories there were.
    memories: u32,
    /// The number of the next instruction.
    instruction: u32,
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
        types
            .ty()
            .function([ValType::I32, ValType::I32], [ValType::I32]);
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
            minimum: self.pages,
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
                function
                    .instruction(&Instruction::I32Const(self.instruction as i32))
                    .instruction(&Instruction::Call(self.note));
                self.instruction += 1;
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Done {
        reencode::utils::parse_code_section(self, code, section)?;
        let count = MemArg {
            offset: 0,
            align: 2,
            memory_index: self.memories,
        };
        // The place, the instruction, and where their count is. It gives the place.
        let mut note = Function::new([(1, ValType::I32)]);
        note.instruction(&Instruction::LocalGet(1))
            .instruction(&Instruction::I32Const(self.places as i32))
            .instruction(&Instruction::I32Mul)
            .instruction(&Instruction::LocalGet(0))
            .instruction(&Instruction::I32Add)
            .instruction(&Instruction::I32Const(COUNT_BYTES as i32))
            .instruction(&Instruction::I32Mul)
            .instruction(&Instruction::LocalTee(2))
            .instruction(&Instruction::LocalGet(2))
            .instruction(&Instruction::I32Load(count))
            .instruction(&Instruction::I32Const(1))
            .instruction(&Instruction::I32Add)
            .instruction(&Instruction::I32Store(count))
            .instruction(&Instruction::LocalGet(0))
            .instruction(&Instruction::End);
        code.function(&note);
        Ok(())
    }
}

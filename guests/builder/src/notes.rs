//! What a guest does while it runs scripts, noted in a memory that its module gets for that: before
//! some of its instructions, a function is called that notes them.

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, FunctionSection, Instruction, MemorySection,
    MemoryType, TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, ExportSectionReader, FunctionBody, FunctionSectionReader,
    MemorySectionReader, Operator, TypeSectionReader,
};
use wasmtime::{Engine, Module};

use crate::rewrite::{WriteResult, imported_functions, rewritten};
use crate::trial::Trial;

/// The memory of notes.
const NOTES: &str = "build:notes";
const PAGE_BYTES: u64 = 64 << 10;

/// What is noted, and how.
pub(super) struct Notes<W> {
    /// The number that an instruction is noted with, if it is noted. Its operand is an `i32`.
    pub(super) which: W,
    /// What notes it in the memory of that index: local 0 is the operand, local 1 the number.
    pub(super) note: Vec<Instruction<'static>>,
    /// How large the memory is, in bytes.
    pub(super) bytes: u64,
}

/// Where a note is in the memory of notes.
pub(super) const MEMORY: u32 = 1;

impl<W: FnMut(&Operator<'_>) -> Option<u32>> Notes<W> {
    /// What `read` makes of the notes of each script.
    pub(super) fn of<T>(
        self,
        module: &[u8],
        scripts: &[&str],
        read: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        let mut noting = Noter {
            notes: self,
            signature: 0,
            function: imported_functions(module)?,
        };
        let noting = rewritten(&mut noting, module)?;
        let fails = |error| anyhow!("the guest does not run: {error:?}");
        let engine = Engine::default();
        let noting = Module::new(&engine, noting).map_err(fails)?;
        let of_script = |script: &&str| {
            let mut trial = Trial::of(&engine, &noting).map_err(fails)?;
            let ran = trial.start(script).map_err(fails);
            ran.with_context(|| format!("`{script}`"))?;
            let notes = trial.instance.get_memory(&mut trial.store, NOTES);
            Ok(read(notes.expect("exported").data(&trial.store)))
        };
        scripts.iter().map(of_script).collect()
    }
}

struct Noter<W> {
    notes: Notes<W>,
    /// The index of the type of the function that notes.
    signature: u32,
    /// Its own index.
    function: u32,
}

impl<W: FnMut(&Operator<'_>) -> Option<u32>> Reencode for Noter<W> {
    type Error = std::convert::Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> WriteResult {
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
    ) -> WriteResult {
        self.function += section.count();
        reencode::utils::parse_function_section(self, functions, section)?;
        functions.function(self.signature);
        Ok(())
    }

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: MemorySectionReader<'_>,
    ) -> WriteResult {
        reencode::utils::parse_memory_section(self, memories, section)?;
        memories.memory(MemoryType {
            minimum: self.notes.bytes.div_ceil(PAGE_BYTES),
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
    ) -> WriteResult {
        reencode::utils::parse_export_section(self, exports, section)?;
        exports.export(NOTES, ExportKind::Memory, MEMORY);
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> WriteResult {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            if let Some(number) = (self.notes.which)(&operator) {
                function
                    .instruction(&Instruction::I32Const(number as i32))
                    .instruction(&Instruction::Call(self.function));
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
    ) -> WriteResult {
        reencode::utils::parse_code_section(self, code, section)?;
        let mut note = Function::new([]);
        for instruction in &self.notes.note {
            note.instruction(instruction);
        }
        // The operand is still one.
        note.instruction(&Instruction::LocalGet(0))
            .instruction(&Instruction::End);
        code.function(&note);
        Ok(())
    }
}

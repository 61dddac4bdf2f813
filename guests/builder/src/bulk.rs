//! Bulk operations on memory, in steps. An instruction that fills or copies a whole memory takes
//! tens of milliseconds, and nothing can interrupt it; a loop over short ones gives way to other
//! runs, and ends with the run's time, like any other loop.

use anyhow::Result;
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    BlockType, CodeSection, Function, FunctionSection, Instruction, TypeSection, ValType,
};
use wasmparser::{CodeSectionReader, FunctionSectionReader, Operator, TypeSectionReader};

use crate::rewrite::{WriteResult, imported_functions, rewritten};

/// How much one instruction fills or copies. Touched for the first time, so many bytes take some
/// 0.2 ms.
const STEP: i32 = 256 << 10;

/// The module with functions in place of `memory.fill` and `memory.copy`.
pub(super) fn in_steps(module: &[u8]) -> Result<Vec<u8>> {
    let mut steps = Steps {
        signature: 0,
        fill: imported_functions(module)?,
    };
    rewritten(&mut steps, module)
}

/// The functions that are added, behind all others.
struct Steps {
    /// The index of their type.
    signature: u32,
    /// The index of the one that fills; the one that copies comes next.
    fill: u32,
}

impl Reencode for Steps {
    type Error = std::convert::Infallible;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: TypeSectionReader<'_>,
    ) -> WriteResult {
        reencode::utils::parse_type_section(self, types, section)?;
        self.signature = types.len();
        types.ty().function([ValType::I32; 3], []);
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> WriteResult {
        self.fill += section.count();
        reencode::utils::parse_function_section(self, functions, section)?;
        functions.function(self.signature).function(self.signature);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> WriteResult {
        reencode::utils::parse_code_section(self, code, section)?;
        code.function(&body(&fill())).function(&body(&copy()));
        Ok(())
    }

    fn instruction<'a>(
        &mut self,
        operator: Operator<'a>,
    ) -> Result<Instruction<'a>, reencode::Error<Self::Error>> {
        match operator {
            Operator::MemoryFill { mem: 0 } => Ok(Instruction::Call(self.fill)),
            Operator::MemoryCopy {
                dst_mem: 0,
                src_mem: 0,
            } => Ok(Instruction::Call(self.fill + 1)),
            other => reencode::utils::instruction(self, other),
        }
    }
}

/// The parameters: where to, what or where from, and how many bytes.
const TO: u32 = 0;
const FROM: u32 = 1;
const BYTES: u32 = 2;

const MEMORY_FILL: Instruction<'_> = Instruction::MemoryFill(0);
const MEMORY_COPY: Instruction<'_> = Instruction::MemoryCopy {
    src_mem: 0,
    dst_mem: 0,
};

/// Fills from the start to the end.
fn fill() -> Vec<Instruction<'static>> {
    let step = [step(MEMORY_FILL), advance(TO), fewer()].concat();
    [while_more(&step), rest(MEMORY_FILL)].concat()
}

/// Copies from the start to the end; or the other way, where the bytes that are written first would
/// be read later.
fn copy() -> Vec<Instruction<'static>> {
    let forwards = [step(MEMORY_COPY), advance(TO), advance(FROM), fewer()].concat();
    let last_step = [
        fewer(),
        vec![
            Instruction::LocalGet(TO),
            Instruction::LocalGet(BYTES),
            Instruction::I32Add,
            Instruction::LocalGet(FROM),
            Instruction::LocalGet(BYTES),
            Instruction::I32Add,
            Instruction::I32Const(STEP),
            MEMORY_COPY,
        ],
    ];
    let overlap = [
        Instruction::LocalGet(FROM),
        Instruction::LocalGet(TO),
        Instruction::I32LtU,
        Instruction::If(BlockType::Empty),
    ];
    [
        overlap.to_vec(),
        while_more(&last_step.concat()),
        vec![Instruction::Else],
        while_more(&forwards),
        vec![Instruction::End],
        rest(MEMORY_COPY),
    ]
    .concat()
}

/// Repeats instructions while there is more than one step left to do.
fn while_more(instructions: &[Instruction<'static>]) -> Vec<Instruction<'static>> {
    let more = [
        Instruction::Loop(BlockType::Empty),
        Instruction::LocalGet(BYTES),
        Instruction::I32Const(STEP),
        Instruction::I32GtU,
        Instruction::If(BlockType::Empty),
    ];
    let again = [Instruction::Br(1), Instruction::End, Instruction::End];
    [&more, instructions, &again].concat()
}

fn step(operation: Instruction<'static>) -> Vec<Instruction<'static>> {
    vec![
        Instruction::LocalGet(TO),
        Instruction::LocalGet(FROM),
        Instruction::I32Const(STEP),
        operation,
    ]
}

fn rest(operation: Instruction<'static>) -> Vec<Instruction<'static>> {
    vec![
        Instruction::LocalGet(TO),
        Instruction::LocalGet(FROM),
        Instruction::LocalGet(BYTES),
        operation,
    ]
}

fn advance(place: u32) -> Vec<Instruction<'static>> {
    vec![
        Instruction::LocalGet(place),
        Instruction::I32Const(STEP),
        Instruction::I32Add,
        Instruction::LocalSet(place),
    ]
}

fn fewer() -> Vec<Instruction<'static>> {
    vec![
        Instruction::LocalGet(BYTES),
        Instruction::I32Const(STEP),
        Instruction::I32Sub,
        Instruction::LocalSet(BYTES),
    ]
}

fn body(instructions: &[Instruction<'_>]) -> Function {
    let mut body = Function::new([]);
    for instruction in instructions {
        body.instruction(instruction);
    }
    body.instruction(&Instruction::End);
    body
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{ExportKind, ExportSection, MemorySection, MemoryType, Module};
    use wasmtime::{Engine, Instance, Store};

    use super::*;

    /// A module whose functions fill and copy, and the same in steps.
    fn instance(store: &mut Store<()>, in_steps: bool) -> Instance {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I32; 3], []);
        let mut functions = FunctionSection::new();
        functions.function(0).function(0);
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 32,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0);
        exports.export("fill", ExportKind::Func, 0);
        exports.export("copy", ExportKind::Func, 1);
        let mut code = CodeSection::new();
        code.function(&body(&rest(MEMORY_FILL)))
            .function(&body(&rest(MEMORY_COPY)));
        let mut module = Module::new();
        module
            .section(&types)
            .section(&functions)
            .section(&memories)
            .section(&exports)
            .section(&code);
        let mut module = module.finish();
        if in_steps {
            module = super::in_steps(&module).unwrap();
        }
        let module = wasmtime::Module::new(store.engine(), module).unwrap();
        Instance::new(store, &module, &[]).unwrap()
    }

    #[test]
    fn steps_do_what_one_instruction_does() {
        let operations = [
            ("fill", 5, 7, 3 * STEP + 11),
            ("fill", 0, 9, STEP),
            ("fill", 100, 8, 0),
            ("copy", 3, 1000, 2 * STEP + 5),
            ("copy", 1000, 3, 2 * STEP + 5),
            ("copy", STEP, 0, 4 * STEP),
            ("copy", 0, STEP + 1, 4 * STEP),
            ("copy", 17, 17, 3 * STEP),
            ("copy", 40, 39, 1),
            ("fill", 31 * 65536, 1, 65536),
        ];
        let outside = [
            ("fill", 31 * 65536, 1, 65537),
            ("copy", 0, 31 * 65536, 65537),
            ("copy", 1, 0, -1),
        ];
        let mut store = Store::new(&Engine::default(), ());
        let instances = [false, true].map(|in_steps| instance(&mut store, in_steps));
        for instance in instances {
            let memory = instance.get_memory(&mut store, "memory").unwrap();
            for (place, byte) in memory.data_mut(&mut store).iter_mut().enumerate() {
                *byte = (place * 31 % 251) as u8;
            }
        }
        let mut done = |(name, to, from, bytes): (&str, i32, i32, i32)| {
            instances.map(|instance| {
                let operation = instance
                    .get_typed_func::<(i32, i32, i32), ()>(&mut store, name)
                    .unwrap();
                let ended = operation.call(&mut store, (to, from, bytes)).is_ok();
                let memory = instance.get_memory(&mut store, "memory").unwrap();
                (ended, memory.data(&store).to_vec())
            })
        };
        for operation in operations {
            let [at_once, in_steps] = done(operation);
            assert!(at_once.0 && at_once == in_steps, "{operation:?}");
        }
        for operation in outside {
            let [at_once, in_steps] = done(operation);
            assert!(!at_once.0 && !in_steps.0, "{operation:?}");
        }
    }
}

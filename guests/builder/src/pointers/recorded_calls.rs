//! What scripts call by pointers, and where.

use anyhow::Result;
use wasm_encoder::{Instruction, MemArg};
use wasmparser::{Operator, Parser, Payload};

use super::functions::Functions;
use crate::notes::{MEMORY, Notes};

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
    let count = MemArg {
        offset: 0,
        align: 2,
        memory_index: MEMORY,
    };
    // For each instruction that calls by a pointer, a count for each place of the table.
    let at = [
        Instruction::LocalGet(1),
        Instruction::I32Const(places as i32),
        Instruction::I32Mul,
        Instruction::LocalGet(0),
        Instruction::I32Add,
        Instruction::I32Const(size_of::<u32>() as i32),
        Instruction::I32Mul,
        Instruction::LocalTee(1),
    ];
    let and_one_more = [
        Instruction::LocalGet(1),
        Instruction::I32Load(count),
        Instruction::I32Const(1),
        Instruction::I32Add,
        Instruction::I32Store(count),
    ];
    let mut instruction = 0;
    let notes = Notes {
        which: |operator: &Operator<'_>| {
            matches!(operator, Operator::CallIndirect { .. }).then(|| {
                instruction += 1;
                instruction - 1
            })
        },
        note: at.into_iter().chain(and_one_more).collect(),
        bytes: u64::from(instructions(module)?) * u64::from(places) * size_of::<u32>() as u64,
    };
    notes.of(module, scripts, |notes| {
        let (counts, _) = notes.as_chunks();
        let counts = (0..).zip(counts.iter().map(|count| u32::from_le_bytes(*count)));
        let counts = counts.filter(|(_, count)| *count != 0);
        let calls = counts.map(|(at, count): (u32, u32)| Call {
            instruction: at / places,
            place: at % places,
            count,
        });
        calls.collect()
    })
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

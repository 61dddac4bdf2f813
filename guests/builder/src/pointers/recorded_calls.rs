//! What scripts call by pointers, and where.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
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

/// How large the memory of notes gets at the most: less than a module can address.
const MOST_BYTES: u64 = 2 << 30;

/// The calls of each script.
pub(super) fn calls(
    module: &[u8],
    functions: &Functions,
    scripts: &[&str],
) -> Result<Vec<Vec<Call>>> {
    let places = functions.places();
    let bytes =
        |instructions: u32| u64::from(instructions) * u64::from(places) * size_of::<u32>() as u64;
    let all: Vec<u32> = (0..instructions(module)?).collect();
    // Most instructions of large libraries are never met: then those are noted that are.
    let noted = match bytes(all.len() as u32) > MOST_BYTES {
        true => met(module, all.len() as u32, scripts)?,
        false => all,
    };
    ensure!(
        bytes(noted.len() as u32) <= MOST_BYTES,
        "scripts call by pointers in too many places: {}",
        noted.len()
    );
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
    let notes = Notes {
        which: numbers(&noted),
        note: [&at[..], &one_more()].concat(),
        bytes: bytes(noted.len() as u32),
    };
    notes.of(module, scripts, |notes| {
        let counts = counts(notes);
        let calls = counts.map(|(at, count)| Call {
            instruction: noted[(at / places) as usize],
            place: at % places,
            count,
        });
        calls.collect()
    })
}

/// The instructions that scripts meet.
fn met(module: &[u8], instructions: u32, scripts: &[&str]) -> Result<Vec<u32>> {
    let all: Vec<u32> = (0..instructions).collect();
    let at = [
        Instruction::LocalGet(1),
        Instruction::I32Const(size_of::<u32>() as i32),
        Instruction::I32Mul,
        Instruction::LocalTee(1),
    ];
    let notes = Notes {
        which: numbers(&all),
        note: [&at[..], &one_more()].concat(),
        bytes: u64::from(instructions) * size_of::<u32>() as u64,
    };
    let met = notes.of(module, scripts, |notes| {
        counts(notes).map(|(at, _)| at).collect::<Vec<u32>>()
    })?;
    let met: BTreeSet<u32> = met.into_iter().flatten().collect();
    Ok(met.into_iter().collect())
}

/// The number of an instruction that calls by a pointer, among those that are noted.
fn numbers(noted: &[u32]) -> impl FnMut(&Operator<'_>) -> Option<u32> {
    let mut instruction = 0;
    move |operator| {
        if !matches!(operator, Operator::CallIndirect { .. }) {
            return None;
        }
        instruction += 1;
        let number = noted.binary_search(&(instruction - 1));
        number.ok().map(|number| number as u32)
    }
}

/// Adds one to the count at an address, which is on the stack, and in local 1.
fn one_more() -> [Instruction<'static>; 5] {
    let count = MemArg {
        offset: 0,
        align: 2,
        memory_index: MEMORY,
    };
    [
        Instruction::LocalGet(1),
        Instruction::I32Load(count),
        Instruction::I32Const(1),
        Instruction::I32Add,
        Instruction::I32Store(count),
    ]
}

/// The counts that are not zero, with their places.
fn counts(notes: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let (counts, _) = notes.as_chunks();
    let counts = (0..).zip(counts.iter().map(|count| u32::from_le_bytes(*count)));
    counts.filter(|(_, count)| *count != 0)
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

//! Which pages of its memory a small run reads.
//!
//! Where one is read, the system maps those around it, too: 64 KiB at once. The engine looks at
//! every page that is mapped after each run. So the host lets go of those that nobody needed, and
//! is told which ones are needed. What is only copied from is not seen here: it is mapped again.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use wasm_encoder::{Instruction, MemArg};
use wasmparser::Operator;

use crate::notes::{MEMORY, Notes};

const PAGE_BITS: u32 = 12;
/// So many pages between two that are used count as used: to let go of them takes longer than to
/// look at them.
const BETWEEN: u32 = 3;

/// The pages that runs of these scripts load from, as the crate of the guests has them: from the first to
/// the last, a line for all that lie together.
pub(super) fn pages(module: &[u8], scripts: &[&str]) -> Result<String> {
    let note = vec![
        Instruction::LocalGet(0),
        Instruction::LocalGet(1),
        Instruction::I32Add,
        Instruction::I32Const(PAGE_BITS as i32),
        Instruction::I32ShrU,
        Instruction::I32Const(1),
        Instruction::I32Store8(MemArg {
            offset: 0,
            align: 0,
            memory_index: MEMORY,
        }),
    ];
    let notes = Notes {
        which: offset,
        note,
        bytes: 1 << (u32::BITS - PAGE_BITS),
    };
    let read: Vec<Vec<u32>> = notes.of(module, scripts, |notes| {
        let noted = (0..).zip(notes).filter(|(_, note)| **note != 0);
        noted.map(|(page, _)| page).collect()
    })?;
    let read: BTreeSet<u32> = read.into_iter().flatten().collect();
    let mut together: Vec<(u32, u32)> = Vec::new();
    for page in read {
        match together.last_mut() {
            Some((_, last)) if page - *last <= BETWEEN + 1 => *last = page,
            _ => together.push((page, page)),
        }
    }
    let mut lines = String::new();
    for (first, last) in together {
        writeln!(lines, "{first}-{last}")?;
    }
    Ok(lines)
}

/// The offset of an instruction that reads memory.
fn offset(operator: &Operator<'_>) -> Option<u32> {
    match operator {
        Operator::I32Load { memarg }
        | Operator::I64Load { memarg }
        | Operator::F32Load { memarg }
        | Operator::F64Load { memarg }
        | Operator::I32Load8S { memarg }
        | Operator::I32Load8U { memarg }
        | Operator::I32Load16S { memarg }
        | Operator::I32Load16U { memarg }
        | Operator::I64Load8S { memarg }
        | Operator::I64Load8U { memarg }
        | Operator::I64Load16S { memarg }
        | Operator::I64Load16U { memarg }
        | Operator::I64Load32S { memarg }
        | Operator::I64Load32U { memarg }
        | Operator::V128Load { memarg } => u32::try_from(memarg.offset).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_read_are_told_and_those_close_together_as_one() {
        let guest = r#"(module
            (memory (export "memory") 2)
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
            (func (export "ampoule:guest/script@0.1.0#start")
                (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
                (drop (i32.load (i32.const 4)))
                (drop (i64.load8_u offset=8192 (i32.const 8192)))
                (drop (i32.load16_s (i32.const 90000)))
                (i32.store (i32.const 60000) (i32.const 1))
                (i32.const 0)))"#;
        let guest = wat::parse_str(guest).unwrap();
        // Numbers 0, 4 and 21; what is only written is not among them.
        assert_eq!(pages(&guest, &["", "other"]).unwrap(), "0-4\n21-21\n");
    }
}

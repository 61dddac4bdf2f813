//! What a guest's fuel is counted by: marks in its code, each for so many instructions.
//!
//! The engine can count every instruction. That adds to a counter at every branch, and was up to
//! half of the time that interpreters took. So the engine counts these marks alone: the
//! instruction `nop`, which does nothing and takes no time. There is at least one where a function
//! begins and one in each turn of a loop, so that nothing runs for ever without being counted; and
//! as many as the function, or the loop, is long.

use std::convert::Infallible;

use anyhow::Result;
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{CodeSection, Function, Instruction};
use wasmparser::{FunctionBody, Operator};

use crate::rewrite::{WriteResult, rewritten};

/// For how many instructions there is a mark. A mark costs half as much in the host's
/// `engine::cost`: of what is there, about half is passed over.
const WORTH: u32 = 16;
/// How many marks a function or a loop has at the most.
const MOST: u32 = 32;
/// From so many ways on, a jump is taken for that of an interpreter's loop, of which a turn is one
/// of the ways.
const WAYS: u32 = 64;
/// How many marks such a loop has.
const INTERPRETED: u32 = 4;

/// The module with its marks.
pub(super) fn marked(module: &[u8]) -> Result<Vec<u8>> {
    rewritten(&mut Marker, module)
}

struct Marker;

impl Reencode for Marker {
    type Error = Infallible;

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> WriteResult {
        let mut marks = marks(&body)?.into_iter();
        let mut made: Function = self.new_function_with_parsed_locals(&body)?;
        let mut mark = |made: &mut Function| {
            for _ in 0..marks.next().unwrap_or(1) {
                made.instruction(&Instruction::Nop);
            }
        };
        mark(&mut made);
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            let begins = matches!(operator, Operator::Loop { .. });
            made.instruction(&self.instruction(operator)?);
            if begins {
                mark(&mut made);
            }
        }
        code.function(&made);
        Ok(())
    }
}

/// A function, or a loop in it, without the loops inside.
#[derive(Default)]
struct Part {
    instructions: u32,
    interprets: bool,
}

impl Part {
    fn marks(&self) -> u32 {
        if self.interprets {
            return INTERPRETED;
        }
        self.instructions.div_ceil(WORTH).clamp(1, MOST)
    }
}

/// How many marks a function has where it begins, and then each of its loops, in their order.
fn marks(body: &FunctionBody<'_>) -> Result<Vec<u32>, reencode::Error<Infallible>> {
    let mut parts = vec![Part::default()];
    // Which part the code within each block that is open belongs to.
    let mut open = vec![0];
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let operator = operators.read()?;
        let part = open.last().copied().unwrap_or(0);
        match operator {
            Operator::Loop { .. } => {
                open.push(parts.len());
                parts.push(Part::default());
            }
            Operator::Block { .. } => open.push(part),
            Operator::If { .. } => {
                parts[part].instructions += 1;
                open.push(part);
            }
            Operator::End => drop(open.pop()),
            Operator::Else | Operator::Nop | Operator::Drop => {}
            Operator::BrTable { ref targets } => {
                parts[part].instructions += 1;
                parts[part].interprets |= targets.len() >= WAYS;
            }
            _ => parts[part].instructions += 1,
        }
    }
    Ok(parts.iter().map(Part::marks).collect())
}

#[cfg(test)]
mod tests {
    use wasmparser::{Parser, Payload};

    use super::*;

    /// The marks of each function of a module, where it begins and after each `loop`.
    fn marks_in(module: &str) -> Vec<Vec<usize>> {
        let module = marked(&wat::parse_str(module).unwrap()).unwrap();
        wasmparser::validate(&module).unwrap();
        let payloads = Parser::new(0).parse_all(&module);
        let bodies = payloads.filter_map(|payload| match payload.unwrap() {
            Payload::CodeSectionEntry(body) => Some(body),
            _ => None,
        });
        let marks = bodies.map(|body| {
            let mut counts = vec![0];
            let mut operators = body.get_operators_reader().unwrap();
            while !operators.eof() {
                match operators.read().unwrap() {
                    Operator::Loop { .. } => counts.push(0),
                    Operator::Nop => *counts.last_mut().unwrap() += 1,
                    _ => {}
                }
            }
            counts
        });
        marks.collect()
    }

    #[test]
    fn no_function_and_no_turn_of_a_loop_is_free() {
        let module = "(module
            (func)
            (func (loop (br 0)))
            (func (block (loop (if (i32.const 1) (then (loop (br 0))))))))";
        assert_eq!(marks_in(module), [vec![1], vec![1, 1], vec![1, 1, 1]]);
    }

    #[test]
    fn what_is_long_has_more_marks() {
        let work = "(drop (i32.add (i32.const 1) (i32.const 2)))".repeat(10);
        let module = format!("(module (func (loop {work} (br 0))) (func {work} {work}))");
        assert_eq!(marks_in(&module), [vec![1, 2], vec![4]]);
        let long = work.repeat(100);
        assert_eq!(marks_in(&format!("(module (func {long}))")), [[32]]);
    }

    #[test]
    fn a_turn_of_an_interpreter_is_one_of_its_ways() {
        let work = "(drop (i32.add (i32.const 1) (i32.const 2)))".repeat(200);
        let ways = "0 ".repeat(100);
        let module = format!("(module (func (loop {work} (br_table {ways} (i32.const 1)))))");
        assert_eq!(marks_in(&module), [vec![1, 4]]);
    }
}

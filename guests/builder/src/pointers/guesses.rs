//! Calls by pointers that first look whether they are calls of certain functions, which they call
//! directly.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Result;
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{BlockType, CodeSection, Function, Instruction, ValType};
use wasmparser::{FunctionBody, Operator};

use super::functions::Functions;
use super::recorded_calls::Call;
use crate::rewrite::{WriteResult, rewritten};

/// How many functions one instruction looks for at the most.
const MOST: usize = 4;
/// Of how many calls of an instruction at least one must be of a function, for that to be looked for.
const ONE_OF: u64 = 32;
/// What all calls of an instruction are together, in one script.
const WHOLE: u64 = 1 << 20;

/// For each instruction that calls by a pointer, the places of the table that it looks for.
pub(super) struct Guesses(BTreeMap<u32, Vec<u32>>);

impl Guesses {
    /// Whether a call is no longer one by a pointer.
    pub(super) fn has(&self, call: &Call) -> bool {
        let places = self.0.get(&call.instruction);
        places.is_some_and(|places| places.contains(&call.place))
    }

    /// Whether anything is guessed in a function, whose first instruction that calls by a pointer
    /// has that number.
    fn any_in(&self, first: u32, body: &FunctionBody<'_>) -> wasmparser::Result<bool> {
        let mut operators = body.get_operators_reader()?;
        let mut end = first;
        while !operators.eof() {
            end += u32::from(matches!(operators.read()?, Operator::CallIndirect { .. }));
        }
        Ok(self.0.range(first..end).next().is_some())
    }
}

/// Chooses what each instruction called most often, each script counting as much as any other.
pub(super) fn choose(functions: &Functions, calls: &[Vec<Call>]) -> Guesses {
    let mut shares: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
    for of_script in calls {
        let mut all: BTreeMap<u32, u64> = BTreeMap::new();
        for call in of_script {
            *all.entry(call.instruction).or_default() += u64::from(call.count);
        }
        for call in of_script {
            let share = u64::from(call.count) * WHOLE / all[&call.instruction];
            let of_instruction = shares.entry(call.instruction).or_default();
            *of_instruction.entry(call.place).or_default() += share;
        }
    }
    let chosen = shares.into_iter().map(|(instruction, shares)| {
        let all: u64 = shares.values().sum();
        let mut places: Vec<(u32, u64)> = shares
            .into_iter()
            .filter(|(place, share)| share * ONE_OF >= all && functions.at(*place).is_some())
            .collect();
        places.sort_by_key(|(place, share)| (Reverse(*share), *place));
        places.truncate(MOST);
        let places = places.into_iter().map(|(place, _)| place).collect();
        (instruction, places)
    });
    Guesses(chosen.collect())
}

/// The module, in which instructions look for what is guessed.
pub(super) fn rewrite(module: &[u8], functions: &Functions, guesses: Guesses) -> Result<Vec<u8>> {
    let mut guessing = Guesser {
        functions,
        guesses,
        function: 0,
        instruction: 0,
    };
    rewritten(&mut guessing, module)
}

struct Guesser<'a> {
    functions: &'a Functions,
    guesses: Guesses,
    /// The number of the next function, among the module's own.
    function: u32,
    /// The number of the next instruction that calls by a pointer.
    instruction: u32,
}

impl Guesser<'_> {
    /// What the next instruction that calls by a pointer looks for: places of the table, and the
    /// functions that are there. One of another type would be an error, which the call itself makes.
    fn next(&mut self, of_type: u32) -> Vec<(u32, u32)> {
        let places = self.guesses.0.remove(&self.instruction);
        self.instruction += 1;
        let places = places.into_iter().flatten();
        let functions = places.filter_map(|place| Some((place, self.functions.at(place)?)));
        functions
            .filter(|(_, function)| self.functions.is_of(*function, of_type))
            .collect()
    }
}

impl Reencode for Guesser<'_> {
    type Error = std::convert::Infallible;

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> WriteResult {
        let mut locals = Vec::new();
        let mut place = self.functions.parameters(self.function);
        self.function += 1;
        for local in body.get_locals_reader()? {
            let (count, of_type) = local?;
            place += count;
            locals.push((count, self.val_type(of_type)?));
        }
        if self.guesses.any_in(self.instruction, &body)? {
            // One more, for a pointer.
            locals.push((1, ValType::I32));
        }
        let mut made = Function::new(locals);
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            let guesses = match operator {
                Operator::CallIndirect { type_index, .. } => self.next(type_index),
                _ => Vec::new(),
            };
            let instruction = self.instruction(operator)?;
            let Instruction::CallIndirect { type_index, .. } = instruction else {
                made.instruction(&instruction);
                continue;
            };
            if !guesses.is_empty() {
                made.instruction(&Instruction::LocalSet(place));
            }
            for (at, function) in &guesses {
                made.instruction(&Instruction::LocalGet(place))
                    .instruction(&Instruction::I32Const(*at as i32))
                    .instruction(&Instruction::I32Eq)
                    .instruction(&Instruction::If(BlockType::FunctionType(type_index)))
                    .instruction(&Instruction::Call(*function))
                    .instruction(&Instruction::Else);
            }
            if !guesses.is_empty() {
                made.instruction(&Instruction::LocalGet(place));
            }
            made.instruction(&instruction);
            for _ in &guesses {
                made.instruction(&Instruction::End);
            }
        }
        code.function(&made);
        Ok(())
    }
}

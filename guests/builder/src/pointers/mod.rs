//! Calls by pointers, made fast.
//!
//! For each function whose address is taken, an instance has a record, which the engine writes when
//! the function is first called by its address; and each such call looks up the record, and whether
//! the function's type is the one that is expected. CPython has thousands of such functions, and a
//! run calls some hundreds. So scripts are run while the guest is built, and
//!
//! - [`recorded_calls`]: it is noted what they call where
//! - [`guesses`]: such a call first looks whether it is one of those functions, which it calls
//!   directly
//! - [`declarations`]: the engine orders the records as it meets the functions in the module, so those that
//!   are still called by pointers are declared before all others: their records lie together
//! - [`Functions`]: what the module says of its functions

mod declarations;
mod functions;
mod guesses;
mod recorded_calls;

use anyhow::Result;

use functions::Functions;

/// The module, with calls by pointers made fast for these scripts, and for those that are like them.
/// Its tables must not change.
pub(super) fn settle(module: &[u8], scripts: &[&str]) -> Result<Vec<u8>> {
    let functions = Functions::of(module)?;
    let mut calls = recorded_calls::calls(module, &functions, scripts)?;
    let guesses = guesses::choose(&functions, &calls);
    for of_script in &mut calls {
        of_script.retain(|call| !guesses.has(call));
    }
    let module = guesses::rewrite(module, &functions, guesses)?;
    declarations::declare(&module, &functions, &calls)
}

#[cfg(test)]
mod tests;

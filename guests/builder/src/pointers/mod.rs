//! Calls by pointers, made fast.
//!
//! For each function whose address is taken, an instance has a record, which the engine writes when
//! the function is first called by its address; and each such call looks up the record, and whether
//! the function's type is the one that is expected. CPython has thousands of such functions, and a
//! run calls some hundreds. So scripts are run while the guest is built, and
//!
//! - [`noted`]: it is noted what they call where
//! - [`guessed`]: such a call first looks whether it is one of those functions, which it calls
//!   directly
//! - [`first`]: the engine orders the records as it meets the functions in the module, so those that
//!   are still called by pointers are declared before all others: their records lie together
//! - [`Functions`]: what the module says of its functions

mod first;
mod functions;
mod guessed;
mod noted;

use anyhow::Result;

use functions::Functions;

/// The module, with calls by pointers made fast for these scripts, and for those that are like them.
/// Its tables must not change.
pub(super) fn settle(module: &[u8], scripts: &[&str]) -> Result<Vec<u8>> {
    let functions = Functions::of(module)?;
    let mut calls = noted::calls(module, &functions, scripts)?;
    let guesses = guessed::choose(&functions, &calls);
    for of_script in &mut calls {
        of_script.retain(|call| !guesses.has(call));
    }
    let module = guessed::rewrite(module, &functions, guesses)?;
    first::declare(&module, &functions, &calls)
}

#[cfg(test)]
mod tests;

//! How often and how much: rates and quotas of principals and tools.
//!
//! Rates a minute and an hour are each process's own, in memory. What a day allows is counted in a
//! folder, by all processes that share it, and outlives them.
//!
//! - `rule`: what an operator allows; `pattern`: to whom, of which tools
//! - `quotas`: what calls and runs ask; `account`: what one principal has used; `rate`: a minute, an
//!   hour; `totals`: a day
//! - `remainder`: what is left, and what a script learns where nothing is; `clock`: the times;
//!   `day`: which day it is

mod account;
mod clock;
mod day;
mod pattern;
mod quotas;
mod rate;
mod remainder;
mod rule;
#[cfg(test)]
mod tests;
mod totals;

pub use pattern::Pattern;
pub use quotas::{CallFacts, Permit, Quotas, RunUsage};
pub use remainder::{Measure, QuotaError, Remainder};
pub use rule::{Caller, Class, Classes, Per, Rule, RulesError};

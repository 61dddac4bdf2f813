//! What an interpreter's fuel is counted by: the marks that its builder has put into it.
//!
//! Counting every instruction adds to a counter at every branch, which took up to half of an
//! interpreter's time; so did epochs, in part. Components that somebody brings have no marks, and
//! are counted by instruction.

use wasmparser::{Operator, Parser, Payload};
use wasmtime::OperatorCost;

/// How many units a mark costs: about as many as the instructions that are run for each.
const MARK: u8 = 8;

/// Nothing costs but the instruction `nop`, and what copies or fills memory, by the byte.
pub(super) fn marks() -> OperatorCost {
    let mut costs = OperatorCost::new();
    macro_rules! nothing {
        ($(@$proposal:ident $operator:ident $({ $($field:ident: $of:ty),* })? => $visit:ident ($($note:tt)*))*) => {
            $(costs.$operator = 0;)*
        };
    }
    wasmparser::for_each_operator!(nothing);
    costs.Nop = MARK;
    costs
}

/// How many loops an interpreter has, once each of them begins with a mark. One without could run for
/// ever and never be interrupted. (To call a function always costs a unit.)
///
/// # Errors
///
/// It can't be read, or a loop has no mark.
pub fn marked_loops(component: &[u8]) -> wasmtime::Result<usize> {
    let mut loops = 0;
    for payload in Parser::new(0).parse_all(component) {
        let Payload::CodeSectionEntry(body) = payload? else {
            continue;
        };
        let mut begins = false;
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            if begins && !matches!(operator, Operator::Nop) {
                return Err(wasmtime::Error::msg(
                    "a loop of the guest has no mark for fuel",
                ));
            }
            begins = matches!(operator, Operator::Loop { .. });
            loops += usize::from(begins);
        }
    }
    Ok(loops)
}

#[cfg(test)]
mod tests {
    use ampoule_guests::{JAVASCRIPT, PYTHON};

    use super::*;

    #[test]
    fn each_loop_of_the_guests_is_marked() {
        for guest in [JAVASCRIPT, PYTHON] {
            let component = guest.component().unwrap();
            let loops = marked_loops(&component).unwrap();
            assert!(loops > 1000, "{loops}");
        }
    }

    #[test]
    fn a_loop_without_a_mark_is_found() {
        let component = |mark: &str| {
            let text = format!("(component (core module (func (loop $turn {mark} (br $turn)))))");
            wat::parse_str(text).unwrap()
        };
        assert_eq!(marked_loops(&component("nop")).unwrap(), 1);
        let unmarked = marked_loops(&component("")).unwrap_err().to_string();
        assert!(unmarked.contains("no mark for fuel"), "{unmarked}");
    }
}

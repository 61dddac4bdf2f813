//! What an interpreter's fuel is counted by: the marks that its builder has put into it.
//!
//! Counting every instruction adds to a counter at every branch, which took up to half of an
//! interpreter's time; so did epochs, in part. Components that somebody brings have no marks, and
//! are counted by instruction.

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

#[cfg(test)]
mod tests {
    use ampoule_guests::{JAVASCRIPT, PYTHON};
    use wasmparser::{Operator, Parser, Payload};

    /// Were one without, it could run for ever and never be interrupted. (To call a function always
    /// costs a unit.)
    #[test]
    fn each_loop_of_the_guests_is_marked() {
        for guest in [JAVASCRIPT, PYTHON] {
            let component = guest.component().unwrap();
            let mut loops = 0;
            for payload in Parser::new(0).parse_all(&component) {
                let Payload::CodeSectionEntry(body) = payload.unwrap() else {
                    continue;
                };
                let mut begins = false;
                for operator in body.get_operators_reader().unwrap() {
                    let operator = operator.unwrap();
                    assert!(!begins || matches!(operator, Operator::Nop), "{operator:?}");
                    begins = matches!(operator, Operator::Loop { .. });
                    loops += usize::from(begins);
                }
            }
            assert!(loops > 1000, "{loops}");
        }
    }
}

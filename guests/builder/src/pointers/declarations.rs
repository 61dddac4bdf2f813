//! Functions that are declared before all others whose addresses are taken.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ElementSection, Elements};
use wasmparser::ElementSectionReader;

use super::functions::Functions;
use super::recorded_calls::Call;
use crate::rewrite::{WriteResult, rewritten};

/// Declares the functions that scripts call, before all others those that most of them call.
pub(super) fn declare(
    module: &[u8],
    functions: &Functions,
    calls: &[Vec<Call>],
) -> Result<Vec<u8>> {
    let mut callers: BTreeMap<u32, usize> = BTreeMap::new();
    for of_script in calls {
        let places: BTreeSet<u32> = of_script.iter().map(|call| call.place).collect();
        for function in places.into_iter().filter_map(|place| functions.at(place)) {
            *callers.entry(function).or_default() += 1;
        }
    }
    let mut called: Vec<(u32, usize)> = callers.into_iter().collect();
    called.sort_by_key(|(function, callers)| (Reverse(*callers), *function));
    let called = called.into_iter().map(|(function, _)| function).collect();
    rewritten(&mut Declarer(called), module)
}

struct Declarer(Vec<u32>);

impl Reencode for Declarer {
    type Error = std::convert::Infallible;

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        section: ElementSectionReader<'_>,
    ) -> WriteResult {
        elements.declared(Elements::Functions(self.0.as_slice().into()));
        reencode::utils::parse_element_section(self, elements, section)
    }
}

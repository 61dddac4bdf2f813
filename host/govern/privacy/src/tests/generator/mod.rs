//! Makes the corpus of sentences and records: the templates, filled with values.
//!
//! - `values`: what fills the slots; `numbers`: those with check digits; `random`: random choices

mod numbers;
mod random;
mod values;

use crate::tests::read::next;

/// How often each template is filled.
const FILLS: usize = 12;
const HEAD: &str = "# Made of the templates by `tests::corpus::the_corpus_is_what_the_generator_makes` (BLESS=1 writes it). Same form as `written.txt`.\n";

/// All of it.
pub(super) fn corpus(templates: &str) -> String {
    let mut out = HEAD.to_owned();
    let lines = templates
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    for (number, line) in lines.enumerate() {
        let (language, rest) = line.split_once(' ').expect("a language");
        let (part, template) = rest.split_once(' ').expect("a part");
        for fill in 0..FILLS {
            let mut seed = (number * 1000 + fill) as u64;
            // Neighbouring seeds make neighbouring numbers.
            next(&mut seed);
            let text = filled(template, language, fill, &mut seed);
            out.push_str(&format!("{language} {part} {text}\n"));
        }
    }
    out
}

fn filled(template: &str, language: &str, fill: usize, seed: &mut u64) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('‹') {
        let (slot, after) = after.split_once('›').expect("an end");
        out.push_str(before);
        match slot.strip_prefix('-') {
            Some(what) => out.push_str(&values::harmless(what, seed)),
            None => {
                let kind = match slot.split_once('-') {
                    Some(("prose", _)) => slot,
                    Some(("first" | "last", _)) => "name",
                    Some((kind, _)) => kind,
                    None if slot == "street" => "address",
                    None => slot,
                };
                let value = values::personal(slot, language, fill, seed);
                out.push_str(&format!("⟦{kind}|{value}⟧"));
            }
        }
        rest = after;
    }
    out + rest
}

//! For tests: inputs that nobody thought of, made of right ones.
//!
//! A target takes bytes, checks what must hold, and says in a few words what became of them. An
//! input whose words are new is kept, and changed further: so the inputs get deeper into what is
//! tried, without any instrumentation. `tests/fuzz` gives the same targets to libFuzzer.
//!
//! `AMPOULE_FUZZ_CASES` says how many inputs a test tries, `AMPOULE_FUZZ_SECONDS` for how long it goes
//! on instead, and `AMPOULE_FUZZ_SEED` with which number it begins. An input that breaks something is
//! printed.

use std::collections::HashSet;
use std::env;
use std::time::{Duration, Instant};

/// How long an input may become, in bytes.
const LONGEST: usize = 64 << 10;
/// How many inputs are kept, the right ones included.
const KEPT: usize = 4096;
/// How long one input may take, also on a busy machine.
const SLOW: Duration = Duration::from_secs(30);

/// Bytes that mean something in most texts.
const TELLING: &[u8] =
    b"\"'`\\{}[]()<>,;:.=-+*/%$#@!?&|~^_ \t\r\n\x00\x7f\xff\xc3\xe2\x80\xed\xf0aAzZ019";
/// Texts that have broken readers before.
const ODD: [&str; 24] = [
    "\u{feff}",
    "\u{2028}",
    "\u{202e}",
    "\u{fdd0}",
    "\u{fdd1}",
    "\u{10ffff}",
    "\u{e9}",
    "😀",
    "\r\n",
    "-1",
    "0",
    "18446744073709551616",
    "9007199254740993",
    "1e400",
    "-0",
    "NaN",
    "null",
    "true",
    "[]",
    "{}",
    "%2e%2e%2f",
    "../",
    "\\u0000",
    "${x}",
];

/// Random numbers, the same for the same seed: SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below an end.
    ///
    /// # Panics
    ///
    /// There is none below 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.draw() % end as u64).expect("it is below a usize")
    }
}

/// What is tried.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Right inputs.
    pub right: &'a [&'a [u8]],
    /// Words of their language.
    pub words: &'a [&'a str],
    /// How many inputs are tried where nobody says more.
    pub cases: u64,
}

impl Inputs<'_> {
    /// Tries them. `target` says in a few words what became of an input.
    ///
    /// # Panics
    ///
    /// Where the target does, or takes too long; the input is printed.
    pub fn tried(&self, target: impl Fn(&[u8]) -> String) {
        let seconds = number("AMPOULE_FUZZ_SECONDS").map(Duration::from_secs);
        let cases = number("AMPOULE_FUZZ_CASES").unwrap_or(self.cases);
        let first = number("AMPOULE_FUZZ_SEED").unwrap_or_default();
        let (begun, mut tried) = (Instant::now(), 0);
        let right = self.right.iter().map(|right| right.to_vec());
        let mut corpus: Vec<Vec<u8>> = right.collect();
        let became = corpus.iter().map(|right| watched(&target, right, None));
        let mut kinds: HashSet<String> = became.collect();
        for seed in first.. {
            let is_over = match seconds {
                Some(seconds) => begun.elapsed() >= seconds,
                None => tried >= cases,
            };
            if is_over {
                break;
            }
            let input = self.changed(&corpus, &mut Random::new(seed));
            let is_new = kinds.insert(watched(&target, &input, Some(seed)));
            if is_new && corpus.len() < KEPT {
                corpus.push(input);
            }
            tried += 1;
        }
        report(&format!(
            "{tried} inputs in {} s; {} things became of them",
            begun.elapsed().as_secs(),
            kinds.len()
        ));
    }

    /// One of these with something changed, or something else.
    fn changed(&self, corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        let of = |random: &mut Random| corpus[random.below(corpus.len())].clone();
        let mut input = match random.below(32) {
            0 => Vec::new(),
            _ if corpus.is_empty() => Vec::new(),
            // The newest are the ones that led furthest.
            1..12 => corpus[corpus.len() - 1 - random.below(corpus.len().min(64))].clone(),
            _ => of(random),
        };
        for _ in 0..=random.below(6) {
            let at = random.below(input.len() + 1);
            let end = (at + random.below(24)).min(input.len());
            match random.below(12) {
                0 if at < input.len() => input[at] = TELLING[random.below(TELLING.len())],
                1 => drop(input.drain(at..end)),
                2 => insert(&mut input, at, &[TELLING[random.below(TELLING.len())]]),
                3 => insert(&mut input, at, ODD[random.below(ODD.len())].as_bytes()),
                4 => {
                    let piece = input[at..end].to_vec();
                    let times = 1 + random.below(8);
                    insert(&mut input, at, &piece.repeat(times));
                }
                5 if !corpus.is_empty() => {
                    let other = of(random);
                    let from = random.below(other.len() + 1);
                    let to = (from + random.below(200)).min(other.len());
                    insert(&mut input, at, &other[from..to]);
                }
                6 => lines(&mut input, random),
                7 => input.truncate(at),
                8 if at < input.len() => input[at] = random.draw().to_le_bytes()[0],
                9 if !self.words.is_empty() => {
                    drop(input.drain(at..end));
                    insert(&mut input, at, self.word(random));
                }
                _ if !self.words.is_empty() => insert(&mut input, at, self.word(random)),
                _ => {}
            }
        }
        input.truncate(LONGEST);
        input
    }

    fn word(&self, random: &mut Random) -> &[u8] {
        self.words[random.below(self.words.len())].as_bytes()
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

/// Takes a line away, doubles it, or exchanges it with another.
fn lines(input: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(Vec::from).collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(3) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(other, lines[one].clone()),
        _ => lines.swap(one, other),
    }
    *input = lines.join(&b'\n');
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

/// What becomes of an input, which is printed if the target panics.
fn watched(target: impl Fn(&[u8]) -> String, input: &[u8], seed: Option<u64>) -> String {
    let shown = Shown { input, seed };
    let before = Instant::now();
    let kind = target(input);
    let took = before.elapsed();
    assert!(took < SLOW, "it takes {took:?}");
    drop(shown);
    kind
}

/// An input that is printed if what is tried panics.
struct Shown<'i> {
    input: &'i [u8],
    seed: Option<u64>,
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let seed = self.seed;
            report(&format!(
                "number {seed:?}: b\"{}\"",
                self.input.escape_ascii()
            ));
        }
    }
}

#[expect(clippy::print_stderr, reason = "a test's output")]
fn report(line: &str) {
    eprintln!("{line}");
}

/// What an error says, without what it quotes: the words that tell its kind.
pub fn words_of(text: &str) -> String {
    let mut words = String::new();
    let mut is_quoted = false;
    for sign in text.chars().take(160) {
        match sign {
            '`' => is_quoted = !is_quoted,
            sign if is_quoted || sign.is_ascii_digit() => {}
            sign => words.push(sign),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const RIGHT: Inputs<'_> = Inputs {
        right: &[b"one two"],
        words: &["three"],
        cases: 3_000,
    };

    #[test]
    fn inputs_get_deeper_into_what_is_tried() {
        let deepest = Cell::new(0);
        RIGHT.tried(|input| {
            let depth = input.windows(5).filter(|five| five == b"three").count();
            deepest.set(depth.max(deepest.get()));
            depth.to_string()
        });
        assert!(deepest.get() >= 5, "{deepest:?}");
    }

    #[test]
    #[should_panic(expected = "found")]
    fn what_breaks_something_is_found() {
        RIGHT.tried(|input| {
            assert!(!input.ends_with(b"threethree"), "found");
            input.len().to_string()
        });
    }

    #[test]
    fn words_tell_the_kind_of_an_error() {
        assert_eq!(words_of("line 3: `x` is not 4"), "line :  is not ");
    }
}

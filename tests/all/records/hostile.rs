//! Records that somebody else wrote.

use std::fs;

use ampoule::{Language, Limits, Record, RecordError};
use ampoule_tests::runtime_builder;

use super::{Recorded, elsewhere};

const SOURCE: &str = "const [a, b] = await Promise.all([tools.testTools.add({ a: 1, b: 2 }), tools.testTools.sleep({ ms: 3 })]);
console.log(a.sum, Math.random(), Date.now()); await new Promise(done => setTimeout(done, 2));
return (await tools.$search('echo')).length + b";

/// The lines of a record, with the hash that they have.
pub(super) fn sealed(text: &str) -> String {
    let end = text.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let (lines, last) = text.split_at(end);
    let hash = blake3::hash(lines.as_bytes()).to_hex().to_string();
    match last.find("\"hash\":\"") {
        Some(at) => format!("{lines}{}\"hash\":\"{hash}\"}}}}\n", &last[..at]),
        None => text.to_owned(),
    }
}

/// Random enough, and the same in each run of the test.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

fn read(folder: &tempfile::TempDir, content: &[u8]) -> Result<Record, RecordError> {
    let file = folder.path().join("edited.record");
    fs::write(&file, content).unwrap();
    Record::read(fs::File::open(&file).unwrap(), 1 << 20)
}

#[tokio::test]
async fn what_is_no_record_is_told_for_what_it_is() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, SOURCE).await;
    let whole = fs::read_to_string(recorded.file(&outcome)).unwrap();
    let folder = &recorded.folder;
    let said = |content: &str| read(folder, content.as_bytes()).unwrap_err().to_string();
    assert_eq!(said(""), "this is not a record of a run");
    assert_eq!(said("#!/bin/sh\n"), "this is not a record of a run");
    assert_eq!(said("{\"head\":{}}\n"), "this is not a record of a run");
    assert_eq!(
        said(&whole.replacen("\"version\":1", "\"version\":9", 1)),
        "the record is of version 9, which this version of Ampoule does not read"
    );
    for at in (1..whole.len()).step_by(997).chain([whole.len() - 1]) {
        if let Some(cut) = whole.get(..at)
            && cut.contains('\n')
        {
            assert_eq!(said(cut), "the record was cut off: it has no end");
        }
    }
    assert_eq!(
        said(&whole.replacen("Math.random()", "Math.sqrt(25)", 1)),
        "the record is damaged: it was changed since it was written"
    );
    let large = "x".repeat((1 << 20) + 1);
    assert!(said(&large).ends_with("at most 1048576 are read"));
    assert!(read(folder, whole.as_bytes()).is_ok());
}

/// A bit of any byte: it is refused, but for what the last line says of how it ended, which stands
/// beside the hash of all before.
#[tokio::test]
async fn whichever_byte_is_changed_before_the_end_it_is_found() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, "return 1").await;
    let whole = fs::read(recorded.file(&outcome)).unwrap();
    let mut taken = Vec::new();
    for at in 0..whole.len() {
        for bit in [0, 5] {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            if read(&recorded.folder, &changed).is_ok() {
                taken.push((at, bit));
            }
        }
    }
    let end = whole[..whole.len() - 1].iter().rposition(|it| *it == b'\n');
    let end = end.expect("lines") + 1;
    assert!(taken.iter().all(|(at, _)| *at >= end), "{end} {taken:?}");
}

/// Random edits: each is refused, or the run comes to an end that a script could come to.
#[tokio::test]
async fn thousands_of_edits_crash_nothing() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, SOURCE).await;
    let whole = fs::read(recorded.file(&outcome)).unwrap();
    let limits = Limits {
        wall_time: std::time::Duration::from_millis(300),
        fuel: 200_000_000,
        ..Limits::default_ceilings()
    };
    let runtime = runtime_builder().ceilings(limits).build().unwrap();
    let mut random = Random(0x5eed);
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..5_000 {
        let mut edited = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(edited.len());
            match random.below(4) {
                0 => edited[at] = random.below(256) as u8,
                1 => {
                    let until = (at + random.below(40)).min(edited.len());
                    edited.drain(at..until);
                }
                // Digits, so that what is well formed says other numbers.
                2 => {
                    let digit = b'0' + random.below(10) as u8;
                    let digits = edited[at..].iter().position(u8::is_ascii_digit);
                    if let Some(found) = digits {
                        edited[at + found] = digit;
                    }
                }
                _ => {
                    let until = (at + random.below(200)).min(edited.len());
                    let part = edited[at..until].to_vec();
                    edited.splice(at..at, part);
                }
            }
        }
        let Ok(text) = String::from_utf8(edited) else {
            refused += 1;
            continue;
        };
        match read(&recorded.folder, sealed(&text).as_bytes()) {
            Err(problem) => {
                assert!(!matches!(problem, RecordError::Folder(_)), "{problem}");
                refused += 1;
            }
            // Some of them, since one that waits for what never comes takes its time.
            Ok(record) if ran < 300 => {
                ran += 1;
                if let Err(error) = runtime.replay(record).run().await {
                    assert!(error.is_request(), "{error}");
                }
            }
            Ok(_) => {}
        }
    }
    assert!(refused > 500 && ran == 300, "{refused} refused, {ran} ran");
}

#[tokio::test]
async fn a_record_gets_no_more_than_the_ceilings_here() {
    let recorded = Recorded::new();
    let outcome = recorded.run(Language::TypeScript, "return 1").await;
    let whole = fs::read_to_string(recorded.file(&outcome)).unwrap();
    let fuel = format!("\"fuel\":\"{}\"", recorded.runtime.limits().fuel);
    assert!(whole.contains(&fuel));
    let greedy = sealed(&whole.replacen(&fuel, "\"fuel\":\"18446744073709551615\"", 1));
    let record = read(&recorded.folder, greedy.as_bytes()).unwrap();
    let replayed = elsewhere().replay(record).run().await.unwrap();
    assert_eq!(
        replayed.notes,
        ["the run had higher limits than the ceilings here allow"]
    );
}

//! A record, read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use ampoule_isolate::{Tape, UndoOffer};
use ampoule_projection::{ObservedShape, Tool};
use ampoule_workspace::FileChange;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::entry::{
    Answer, BindingReply, Entry, Head, List, Program, Question, RecordEnd, RecordedCall, SentCall,
    VERSION,
};
use crate::error::RecordError;
use crate::file_line::FileLine;

/// How many calls, and how many servers a record may have.
const MOST: usize = 1 << 20;

/// The record of one run.
#[derive(Debug)]
pub struct Record {
    /// Which run, and when.
    pub head: Head,
    /// What was run.
    pub program: Program,
    /// How it ended.
    pub ended: RecordEnd,
    /// The same, as `ampoule run --json` has it.
    pub outcome: Box<RawValue>,
    /// Which of its calls can be taken back, if any can.
    pub undo: Option<UndoOffer>,
    /// The files that it changed; none if what it wrote was not kept.
    pub changes: Vec<FileChange>,
    pub(crate) tape: Tape,
    pub(crate) lists: Vec<Arc<[Tool]>>,
    pub(crate) told: BTreeMap<(u32, Question), Vec<BindingReply>>,
    pub(crate) sent: BTreeMap<u32, SentCall>,
    pub(crate) answers: BTreeMap<u32, Answer>,
    pub(crate) files: Vec<FileLine>,
}

impl Record {
    /// Reads a file of at most so many bytes.
    ///
    /// # Errors
    ///
    /// [`RecordError::Foreign`], [`RecordError::Version`], [`RecordError::CutOff`], [`RecordError::Damaged`],
    /// [`RecordError::TooLarge`], [`RecordError::Folder`].
    pub fn read(file: File, most: u64) -> Result<Self, RecordError> {
        let bytes = file.metadata()?.len();
        if bytes > most {
            return Err(RecordError::TooLarge { bytes, most });
        }
        Self::of(BufReader::new(file.take(most)))
    }

    /// The same of what has no length beforehand, such as standard input.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn read_from(input: impl Read, most: u64) -> Result<Self, RecordError> {
        let mut input = BufReader::new(input.take(most.saturating_add(1)));
        match Self::of(&mut input) {
            Err(RecordError::CutOff) if input.get_ref().limit() == 0 => {
                Err(RecordError::TooLarge {
                    bytes: most.saturating_add(1),
                    most,
                })
            }
            read => read,
        }
    }

    /// The same of anything that has its lines.
    pub(crate) fn of(mut lines: impl BufRead) -> Result<Self, RecordError> {
        let (mut line, mut hash) = (Vec::new(), blake3::Hasher::new());
        lines.read_until(b'\n', &mut line)?;
        let head = first(&line)?;
        let mut reading = PartialRecord::default();
        loop {
            hash.update(&line);
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 || !line.ends_with(b"\n") {
                return Err(RecordError::CutOff);
            }
            let text = std::str::from_utf8(&line).map_err(RecordError::damaged)?;
            match serde_json::from_str(text).map_err(RecordError::damaged)? {
                Entry::End(ended) => {
                    if ended.hash != hash.finalize().to_hex().as_str() {
                        return Err(RecordError::damaged("it was changed since it was written"));
                    }
                    return reading.whole(head, ended);
                }
                entry => reading.add(entry)?,
            }
        }
    }

    /// The calls, in the order in which they were made.
    pub fn calls(&self) -> impl Iterator<Item = RecordedCall> {
        self.sent.values().map(|sent| {
            let answer = self.answers.get(&sent.call);
            let answered = answer.and_then(|answer| answer.answer.answer().ok());
            RecordedCall {
                call: sent.call,
                server: sent.server.clone(),
                tool: sent.tool.clone(),
                arguments: serde_json::from_str(sent.arguments.get()).unwrap_or_default(),
                at: sent.at,
                took: answer.map(|answer| answer.at.saturating_sub(sent.at)),
                answered: answered.is_some_and(|it| it.is_ok_and(|result| !result.is_error)),
            }
        })
    }

    /// What a call was answered, as JSON: the tool's result, or an object with `error`; none if nobody
    /// waited for it, or the run made no such call.
    pub fn answer(&self, call: u32) -> Option<Value> {
        let answer = self.answers.get(&call)?.answer.answer().ok()?;
        Some(match answer {
            Ok(result) => serde_json::to_value(&result).unwrap_or_default(),
            Err(error) => serde_json::json!({ "error": error.to_string() }),
        })
    }

    /// Whether the run was cut short from outside, at a moment that its clocks do not tell.
    pub fn was_cut_short(&self) -> bool {
        let ending = serde_json::from_str::<Ending>(self.outcome.get());
        ending.is_ok_and(|it| it.ending == "cancelled" || it.limit.as_deref() == Some("wall-time"))
    }
}

/// What an outcome says of the end of the run.
#[derive(serde::Deserialize)]
struct Ending {
    ending: String,
    #[serde(default)]
    limit: Option<String>,
}

/// Whether a run of this outcome came to its end, so that what it wrote is kept.
fn has_returned(outcome: &RawValue) -> bool {
    let ending = serde_json::from_str::<Ending>(outcome.get());
    ending.is_ok_and(|it| it.ending == "returned")
}

fn first(line: &[u8]) -> Result<Head, RecordError> {
    #[derive(serde::Deserialize)]
    struct VersionedHead {
        version: u64,
    }
    #[derive(serde::Deserialize)]
    struct FirstLine {
        head: VersionedHead,
    }
    let FirstLine { head } = serde_json::from_slice(line).map_err(|_| RecordError::Foreign)?;
    if head.version != VERSION {
        return Err(RecordError::Version(head.version));
    }
    match serde_json::from_slice(line).map_err(RecordError::damaged)? {
        Entry::Head(head) => Ok(head),
        _ => Err(RecordError::Foreign),
    }
}

/// What has been read so far.
#[derive(Default)]
struct PartialRecord {
    program: Option<Program>,
    outcome: Option<Box<RawValue>>,
    undo: Option<UndoOffer>,
    tape: Tape,
    lists: Vec<Arc<[Tool]>>,
    told: BTreeMap<(u32, Question), Vec<BindingReply>>,
    sent: BTreeMap<u32, SentCall>,
    answers: BTreeMap<u32, Answer>,
    files: Vec<FileLine>,
    changes: Vec<FileChange>,
}

impl PartialRecord {
    fn add(&mut self, entry: Entry) -> Result<(), RecordError> {
        match entry {
            Entry::Head(_) | Entry::End(_) => return Err(RecordError::damaged("it begins twice")),
            Entry::Program(program) => {
                program.code()?;
                program.limits()?;
                if program.servers.len() > MOST {
                    return Err(RecordError::damaged("it has too many servers"));
                }
                self.program = Some(*program);
            }
            Entry::List(list) => {
                if list.list as usize != self.lists.len() {
                    return Err(RecordError::damaged("a list of tools is out of its place"));
                }
                self.lists.push(tools(list).map_err(RecordError::damaged)?);
            }
            Entry::Told(told) => {
                let of = (told.server, told.asked);
                self.told.entry(of).or_default().push(told);
            }
            Entry::Sent(sent) => drop(self.sent.insert(sent.call, sent)),
            Entry::Answer(answer) => {
                drop(answer.answer.answer().map_err(RecordError::damaged)?);
                self.answers.insert(answer.call, answer);
            }
            Entry::World(tape) => self.tape.extend(tape),
            Entry::File(line) => {
                line.check()?;
                self.files.push(*line);
            }
            Entry::Changed(changes) => self.changes = changes,
            Entry::Outcome(outcome) => self.outcome = Some(outcome),
            Entry::Undo(offer) => self.undo = Some(*offer),
        }
        Ok(())
    }

    fn whole(mut self, head: Head, ended: RecordEnd) -> Result<Record, RecordError> {
        for told in self.told.values_mut() {
            told.sort_by_key(|told| told.from);
        }
        let lacks = |what| move || RecordError::damaged(format!("it does not say {what}"));
        let outcome = self.outcome.ok_or_else(lacks("how the run ended"))?;
        // They are written before it is known whether they can be kept.
        if !has_returned(&outcome) {
            self.changes.clear();
        }
        Ok(Record {
            head,
            program: self.program.ok_or_else(lacks("what was run"))?,
            ended,
            outcome,
            undo: self.undo,
            changes: self.changes,
            tape: self.tape,
            lists: self.lists,
            told: self.told,
            sent: self.sent,
            answers: self.answers,
            files: self.files,
        })
    }
}

fn tools(list: List) -> serde_json::Result<Arc<[Tool]>> {
    let tool = |listed: crate::entry::ListedTool| {
        let mut tool: Tool = serde_json::from_str(listed.tool.get())?;
        let seen = listed.seen.map(|seen| serde_json::from_str(seen.get()));
        tool.seen =
            ObservedShape::of_results(seen.transpose()?.unwrap_or_default(), listed.results);
        Ok(tool)
    };
    list.tools.into_iter().map(tool).collect()
}

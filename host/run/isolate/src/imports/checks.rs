//! `ampoule:guest/checks`: what is wrong with the calls that are written in a script.

use std::sync::Arc;

use ampoule_effort as effort;
use ampoule_tools::{Mistake as Judged, MistakeKind, WrittenCall as Written};
use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Lift, Linker, Lower};

use super::price::{show, spend};
use super::tools::{ToolName, told};
use crate::fuel;
use crate::state::RunState;

/// What the host takes for a call that it looks at, in units of fuel, besides what its texts take.
const CALL: u64 = 4 * effort::ITEM;

/// `ampoule:guest/checks.written-call`
#[derive(ComponentType, Lift)]
#[component(record)]
struct WrittenCall {
    server: Option<String>,
    tool: String,
    arguments: Option<String>,
    positional: u32,
    unknown: Vec<String>,
    open: Vec<String>,
    conditional: bool,
    reads: Vec<String>,
}

/// `ampoule:guest/checks.mistake-kind`
#[derive(ComponentType, Lower, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
enum Kind {
    #[component(name = "name")]
    Name,
    #[component(name = "arguments")]
    Arguments,
    #[component(name = "answer")]
    Answer,
}

/// `ampoule:guest/checks.mistake`
#[derive(ComponentType, Lower)]
#[component(record)]
struct Mistake {
    kind: Kind,
    call: u32,
    read: Option<u32>,
    message: String,
    near: Vec<String>,
    tool: Option<ToolName>,
}

impl WrittenCall {
    fn bytes(&self) -> u64 {
        let texts = [&self.server, &self.arguments].into_iter().flatten();
        let lists = [&self.unknown, &self.open, &self.reads];
        let texts = texts.chain([&self.tool]).chain(lists.into_iter().flatten());
        size_of::<Self>() as u64
            + texts
                .map(|text| (size_of::<String>() + text.len()) as u64)
                .sum::<u64>()
    }
}

impl From<WrittenCall> for Written {
    fn from(call: WrittenCall) -> Self {
        Self {
            server: call.server,
            tool: call.tool,
            arguments: call.arguments,
            positional: call.positional,
            unknown: call.unknown,
            open: call.open,
            conditional: call.conditional,
            reads: call.reads,
        }
    }
}

impl From<Judged> for Mistake {
    fn from(judged: Judged) -> Self {
        let plain = |kind, message| Self {
            kind,
            call: judged.call as u32,
            read: None,
            message,
            near: Vec::new(),
            tool: None,
        };
        match judged.kind {
            MistakeKind::Name { near } => Self {
                near,
                ..plain(Kind::Name, judged.message)
            },
            MistakeKind::Arguments { server, tool } => Self {
                tool: Some(ToolName { server, tool }),
                ..plain(Kind::Arguments, judged.message)
            },
            MistakeKind::Answer { read } => Self {
                read: Some(read as u32),
                ..plain(Kind::Answer, judged.message)
            },
        }
    }
}

impl Mistake {
    fn bytes(&self) -> u64 {
        let near = self.near.iter().map(String::len).sum::<usize>();
        (size_of::<Self>() + self.message.len() + near) as u64
    }
}

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut checks = linker.instance("ampoule:guest/checks@0.1.0")?;
    checks.func_wrap_async(
        "check",
        |mut store: StoreContextMut<'_, RunState>, (calls,): (Vec<WrittenCall>,)| {
            Box::new(async move { Ok((check(&mut store, calls).await?,)) })
        },
    )
}

async fn check(
    store: &mut StoreContextMut<'_, RunState>,
    calls: Vec<WrittenCall>,
) -> wasmtime::Result<Vec<Mistake>> {
    let bytes = calls.iter().map(WrittenCall::bytes).sum();
    let _hold = store.data().held.hold(bytes)?;
    spend(store, effort::REQUEST + CALL * calls.len() as u64 + bytes)?;
    let granted = Arc::clone(&store.data().tools);
    let calls: Vec<Written> = calls.into_iter().map(Written::from).collect();
    let judged = told(store, None, granted.mistakes(&calls)).await;
    let mistakes: Vec<Mistake> = judged.into_iter().map(Mistake::from).collect();
    show(store, mistakes.iter().map(Mistake::bytes).sum())?;
    fuel::settle(&mut *store, 0).await?;
    Ok(mistakes)
}

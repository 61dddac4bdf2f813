//! Files, for the prelude's `node:fs`. Each function gives what was asked for, or a text where
//! something is wrong: Node's code, a line end, and what the code does not say.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use rquickjs::{Ctx, Function, IntoJs, Object, Result, TypedArray, Value};

use crate::host::files::{self, Code, How, Kind, Listing, Problem, Status};

thread_local! {
    /// The files that are open, by the numbers that scripts have: each is used once in a session, so
    /// that one which an earlier program left never means another file.
    static OPEN: RefCell<BTreeMap<u32, u32>> = const { RefCell::new(BTreeMap::new()) };
    /// The first three are taken elsewhere.
    static NEXT: Cell<u32> = const { Cell::new(3) };
}

/// Nanoseconds in a millisecond.
const MILLISECOND: f64 = 1e6;

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("fileOpen", Function::new(ctx.clone(), open)?)?;
    native.set("fileClose", Function::new(ctx.clone(), close)?)?;
    native.set("fileRead", Function::new(ctx.clone(), read)?)?;
    native.set("fileWrite", Function::new(ctx.clone(), write)?)?;
    native.set("fileResize", Function::new(ctx.clone(), resize)?)?;
    native.set("fileStatus", Function::new(ctx.clone(), status)?)?;
    native.set("fileStatusOf", Function::new(ctx.clone(), status_of)?)?;
    native.set("fileList", Function::new(ctx.clone(), list)?)?;
    native.set("fileMakeFolder", Function::new(ctx.clone(), make_folder)?)?;
    native.set("fileRemove", Function::new(ctx.clone(), remove)?)?;
    native.set(
        "fileRemoveFolder",
        Function::new(ctx.clone(), remove_folder)?,
    )?;
    native.set("fileRename", Function::new(ctx.clone(), rename)?)?;
    native.set("fileCopy", Function::new(ctx.clone(), copy)?)?;
    native.set("fileTouch", Function::new(ctx.clone(), touch)?)
}

/// Files that the ended program has open are closed: the host does that. Their numbers mean nothing
/// any more.
pub(crate) fn forget() {
    OPEN.with_borrow_mut(BTreeMap::clear);
}

fn open<'js>(ctx: Ctx<'js>, path: String, how: u8) -> Result<Value<'js>> {
    let opened = files::open(&path, ways(how));
    let opened = opened.map(|file| {
        let number = NEXT.get();
        NEXT.set(number + 1);
        OPEN.with_borrow_mut(|open| open.insert(number, file));
        number
    });
    told(&ctx, opened)
}

/// How a file is opened, from the prelude's number of it.
fn ways(bits: u8) -> How {
    let all = [
        How::READ,
        How::WRITE,
        How::APPEND,
        How::CREATE,
        How::EXCLUSIVE,
        How::TRUNCATE,
    ];
    let those = all.into_iter().enumerate();
    let those = those.filter(|(place, _)| bits >> place & 1 == 1);
    those.fold(How::empty(), |how, (_, more)| how | more)
}

fn close<'js>(ctx: Ctx<'js>, file: u32) -> Result<Value<'js>> {
    let closed = with(file, files::close);
    OPEN.with_borrow_mut(|open| open.remove(&file));
    done(&ctx, closed)
}

fn read<'js>(ctx: Ctx<'js>, file: u32, at: f64, count: u32) -> Result<Value<'js>> {
    match with(file, |file| files::read(file, at as u64, count)) {
        Ok(bytes) => Ok(TypedArray::new(ctx, bytes)?.into_value()),
        Err(problem) => text(&problem).into_js(&ctx),
    }
}

fn write<'js>(ctx: Ctx<'js>, file: u32, at: f64, bytes: TypedArray<'js, u8>) -> Result<Value<'js>> {
    // SAFETY: nothing runs or is allocated in the engine while the slice is in use.
    let bytes = unsafe { bytes.as_bytes() }.unwrap_or_default();
    let end = with(file, |file| files::write(file, at as u64, bytes));
    told(&ctx, end.map(|end| end as f64))
}

fn resize<'js>(ctx: Ctx<'js>, file: u32, size: f64) -> Result<Value<'js>> {
    done(&ctx, with(file, |file| files::resize(file, size as u64)))
}

fn status<'js>(ctx: Ctx<'js>, path: String) -> Result<Value<'js>> {
    described(&ctx, files::stat(&path))
}

fn status_of<'js>(ctx: Ctx<'js>, file: u32) -> Result<Value<'js>> {
    described(&ctx, with(file, files::stat_of))
}

fn list<'js>(ctx: Ctx<'js>, path: String, after: String) -> Result<Value<'js>> {
    let Listing { entries, more } = match files::list(&path, &after) {
        Ok(listing) => listing,
        Err(problem) => return text(&problem).into_js(&ctx),
    };
    let kinds: Vec<_> = entries.iter().map(|entry| kind(entry.kind)).collect();
    let names: Vec<_> = entries.into_iter().map(|entry| entry.name).collect();
    let listing = Object::new(ctx)?;
    listing.set("names", names)?;
    listing.set("kinds", kinds)?;
    listing.set("more", more)?;
    Ok(listing.into_value())
}

fn make_folder<'js>(ctx: Ctx<'js>, path: String) -> Result<Value<'js>> {
    done(&ctx, files::make_folder(&path))
}

fn remove<'js>(ctx: Ctx<'js>, path: String) -> Result<Value<'js>> {
    done(&ctx, files::remove(&path))
}

fn remove_folder<'js>(ctx: Ctx<'js>, path: String) -> Result<Value<'js>> {
    done(&ctx, files::remove_folder(&path))
}

fn rename<'js>(ctx: Ctx<'js>, from: String, to: String) -> Result<Value<'js>> {
    done(&ctx, files::rename(&from, &to))
}

fn copy<'js>(ctx: Ctx<'js>, from: String, to: String, exclusive: bool) -> Result<Value<'js>> {
    done(&ctx, files::copy(&from, &to, exclusive))
}

fn touch<'js>(ctx: Ctx<'js>, path: String, milliseconds: f64) -> Result<Value<'js>> {
    done(
        &ctx,
        files::touch(&path, (milliseconds * MILLISECOND) as u64),
    )
}

/// Does something with an open file, by its number.
fn with<T>(
    number: u32,
    action: impl FnOnce(u32) -> std::result::Result<T, Problem>,
) -> std::result::Result<T, Problem> {
    let file = OPEN.with_borrow(|open| open.get(&number).copied());
    action(file.ok_or_else(not_open)?)
}

fn not_open() -> Problem {
    Problem {
        code: Code::BadHandle,
        advice: "it is not open; files are closed when a run ends, open it again".into(),
    }
}

fn described<'js>(
    ctx: &Ctx<'js>,
    status: std::result::Result<Status, Problem>,
) -> Result<Value<'js>> {
    let status = match status {
        Ok(status) => status,
        Err(problem) => return text(&problem).into_js(ctx),
    };
    let described = Object::new(ctx.clone())?;
    described.set("kind", kind(status.kind))?;
    described.set("size", status.size as f64)?;
    described.set("modified", status.modified as f64 / MILLISECOND)?;
    described.set("id", status.id as f64)?;
    described.set("writable", status.writable)?;
    Ok(described.into_value())
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Folder => "folder",
        Kind::Link => "link",
        Kind::Other => "other",
    }
}

fn done<'js>(ctx: &Ctx<'js>, done: std::result::Result<(), Problem>) -> Result<Value<'js>> {
    told(ctx, done.map(|()| true))
}

fn told<'js, T: IntoJs<'js>>(
    ctx: &Ctx<'js>,
    told: std::result::Result<T, Problem>,
) -> Result<Value<'js>> {
    match told {
        Ok(value) => value.into_js(ctx),
        Err(problem) => text(&problem).into_js(ctx),
    }
}

fn text(problem: &Problem) -> String {
    let code = match problem.code {
        Code::NoEntry => "ENOENT",
        Code::Exists => "EEXIST",
        Code::NotFolder => "ENOTDIR",
        Code::IsFolder => "EISDIR",
        Code::NotEmpty => "ENOTEMPTY",
        Code::Access => "EACCES",
        Code::ReadOnly => "EROFS",
        Code::Invalid => "EINVAL",
        Code::NameTooLong => "ENAMETOOLONG",
        Code::Full => "ENOSPC",
        Code::BadHandle => "EBADF",
        Code::TooManyOpen => "EMFILE",
        Code::Link => "ELOOP",
        Code::CrossDevice => "EXDEV",
        Code::Unsupported => "ENOTSUP",
        Code::Io => "EIO",
    };
    format!("{code}\n{}", problem.advice)
}

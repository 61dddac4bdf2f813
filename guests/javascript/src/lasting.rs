//! Sessions: programs that run one after the other, each in an instance of its own that begins with
//! the memory which the one before left.
//!
//! A program alone is a function, whose names go with it. One of a session is a script: what it
//! declares at its top is global, as at a prompt, and a later program may declare it again.

use std::cell::Cell;
use std::ffi::CString;
use std::rc::Rc;

use rquickjs::{Array, Ctx, Error, Function, Object, Result, Value, qjs};

use crate::bindings::exports::ampoule::guest::session::{Kept, Left};
use crate::engine::{self, checked, update_stack};
use crate::host::{self, Level};
use crate::realm::Realm;
use crate::session::Session;
use crate::source::Declared;
use crate::{event_loop, exit, lasting_tools, prelude, shown};

const PRELUDE: &str = include_str!("../prelude/session.js");

/// How many names are told.
const TOLD: usize = 500;
/// How long a name or a kind is that is told whole, in bytes.
const NAME_BYTES: usize = 100;
/// How many copies a program may ask for.
const FORKS: usize = 16;
/// How long the name of a session may be.
const SESSION_NAME_BYTES: usize = 64;

unsafe extern "C" {
    fn ampoule_compile_program(
        context: *mut qjs::JSContext,
        text: *const u8,
        length: usize,
        name: *const std::ffi::c_char,
        first_line: i32,
        is_async: bool,
    ) -> qjs::JSValue;
    fn ampoule_forget_global(
        context: *mut qjs::JSContext,
        text: *const u8,
        length: usize,
        owns: bool,
    );
    fn ampoule_keep_global(context: *mut qjs::JSContext, text: *const u8, length: usize);
    fn ampoule_global(context: *mut qjs::JSContext, text: *const u8, length: usize)
    -> qjs::JSValue;
}

/// What the programs of a session have in common.
#[derive(Default)]
pub(crate) struct Lasting {
    name: String,
    /// How many programs this one may go back.
    back: u32,
    /// What they declared at their top, in the order in which that was first done.
    names: Vec<String>,
    forks: Vec<String>,
    rewind: Option<u32>,
    /// A program did not wait for its calls or timers, which ended with it.
    cut_short: bool,
}

impl Lasting {
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// What the prelude gives back.
pub(crate) struct Prelude<'js> {
    define: Function<'js>,
    describe: Function<'js>,
}

/// Makes what sessions need, before the snapshot. Scripts see nothing of it.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, shared: &Object<'js>) -> Result<()> {
    let native = Object::new(ctx.clone())?;
    native.set("name", Function::new(ctx.clone(), name)?)?;
    native.set("back", Function::new(ctx.clone(), back)?)?;
    native.set("fork", Function::new(ctx.clone(), fork)?)?;
    native.set("rewind", Function::new(ctx.clone(), rewind)?)?;
    let made: Object<'_> =
        prelude::evaluate(ctx, "session", PRELUDE)?.call((native, shared.clone()))?;
    let prelude = Prelude {
        define: made.get("define")?,
        describe: made.get("describe")?,
    };
    // Set once: a realm is made once.
    let _ = Session::of(ctx).lasting_prelude.set(prelude);
    Ok(())
}

fn with<T>(ctx: &Ctx<'_>, action: impl FnOnce(&mut Lasting) -> T) -> Option<T> {
    Session::of(ctx).lasting.borrow_mut().as_mut().map(action)
}

fn name(ctx: Ctx<'_>) -> String {
    with(&ctx, |lasting| lasting.name.clone()).unwrap_or_default()
}

fn back(ctx: Ctx<'_>) -> u32 {
    with(&ctx, |lasting| lasting.back).unwrap_or_default()
}

/// Whether that is a name, and not one too many.
fn fork(ctx: Ctx<'_>, name: String) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_name = name.len() <= SESSION_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(is_part);
    let asked = with(&ctx, |lasting| {
        let more = lasting.forks.len() < FORKS;
        if is_name && more {
            lasting.forks.push(name);
        }
        more
    });
    is_name && asked == Some(true)
}

fn rewind(ctx: Ctx<'_>, runs: u32) {
    with(&ctx, |lasting| lasting.rewind = Some(runs));
}

/// The next program is one of a session.
pub fn begin(realm: &mut Realm, name: String, back: u32) {
    lasting_tools::begin();
    realm.context.with(|ctx| {
        update_stack(&ctx);
        let session = Session::of(&ctx);
        // Each run draws its own.
        session.random.set(None);
        {
            let mut lasting = session.lasting.borrow_mut();
            let lasting = lasting.get_or_insert_default();
            (lasting.name, lasting.back) = (name, back);
        }
        if let Some(prelude) = session.lasting_prelude.get()
            && prelude.define.call::<_, ()>(()).is_err()
        {
            // The session's own programs keep it from being defined.
            ctx.catch();
        }
    });
}

/// Whether the program is one of a session.
pub(crate) fn lasts(ctx: &Ctx<'_>) -> bool {
    Session::of(ctx).lasting.borrow().is_some()
}

/// Whether what an earlier program waited for ended with it.
pub(crate) fn has_cut_short(ctx: &Ctx<'_>) -> bool {
    with(ctx, |lasting| lasting.cut_short) == Some(true)
}

/// Runs a program of a session. `declared` are the names at its top: they become its own, whoever
/// had them before; those of `var` with the values that they have. Gives what it returns: a promise, if it awaits anything.
///
/// # Errors
///
/// It does not compile, or throws.
pub(crate) fn evaluate<'js>(
    ctx: &Ctx<'js>,
    text: &mut String,
    (name, first_line): (&str, i32),
    awaits: bool,
    declared: Vec<Declared>,
) -> Result<Value<'js>> {
    let name = CString::new(name)?;
    text.push('\0');
    // SAFETY: The text ends in a zero byte, which its length leaves out; text and name outlive the
    // call.
    let program = unsafe {
        ampoule_compile_program(
            ctx.as_raw().as_ptr(),
            text.as_ptr(),
            text.len() - 1,
            name.as_ptr(),
            first_line,
            awaits,
        )
    };
    text.pop();
    // SAFETY: Looks at the tag alone.
    if unsafe { qjs::JS_IsException(program) } {
        return Err(Error::Exception);
    }
    with(ctx, |lasting| {
        for Declared { name, is_var } in declared {
            let owns = lasting.declares(&name);
            let (context, text, length) = (ctx.as_raw().as_ptr(), name.as_ptr(), name.len());
            // SAFETY: The context is alive, and the text outlives the call.
            unsafe {
                if is_var {
                    ampoule_keep_global(context, text, length);
                } else {
                    ampoule_forget_global(context, text, length, owns);
                }
            }
            if !owns {
                lasting.names.push(name);
            }
        }
    });
    // SAFETY: It is a compiled script, which this takes.
    unsafe { checked(ctx, qjs::JS_EvalFunction(ctx.as_raw().as_ptr(), program)) }
}

/// Lets go of what is the ended program's alone, and says what is left.
pub fn leave(realm: &mut Realm) -> Left {
    realm.allocator = oxc_allocator::Allocator::default();
    realm.context.with(|ctx| {
        update_stack(&ctx);
        let session = Session::of(&ctx);
        let calls = session.calls.borrow_mut().take_under_way();
        for call in &calls {
            if call.leave(&ctx).is_err() {
                ctx.catch();
            }
        }
        if exit::is_over() {
            engine::forget_jobs(&ctx);
        }
        // What it has set going comes to its end, as far as that waits for nothing.
        while !exit::is_over() && event_loop::run_jobs(&ctx).is_err() {
            ctx.catch();
        }
        let timers = crate::web::timers::forget(&ctx);
        let calls_left = session.calls.borrow().under_way();
        if timers > 0 || calls_left {
            with(&ctx, |lasting| lasting.cut_short = true);
        }
        if timers > 0 {
            let were = if timers == 1 { "timer was" } else { "timers were" };
            host::write(
                Level::Warn,
                &format!("Warning: {timers} {were} still set when the script ended. Timers don't last: the session's next run does not have them."),
            );
        }
        crate::web::files::forget();
        session.calls.take();
        session.rejections.borrow_mut().take();
        session.answers.take();
        session.awaited.take();
        shown::forget(&ctx);
        exit::begin();
        session.modules.borrow_mut().end();
        lasting_tools::end(|tool| {
            let name = host::tools::name_of_now(tool);
            (name.server, name.tool)
        });
        let taken = with(&ctx, |lasting| {
            let asked = (std::mem::take(&mut lasting.forks), lasting.rewind.take());
            (asked, lasting.names.clone())
        });
        let ((forks, rewind), names) = taken.unwrap_or_default();
        let told = names.iter().take(TOLD);
        Left {
            more: names.len().saturating_sub(TOLD) as u32,
            names: told.filter_map(|name| kept(&ctx, name)).collect(),
            forks,
            rewind,
        }
    })
}

/// What is told of a name; nothing where it holds nothing, as its program ended before.
fn kept(ctx: &Ctx<'_>, name: &str) -> Option<Kept> {
    // SAFETY: The context is alive, and the text outlives the call.
    let value = unsafe {
        checked(
            ctx,
            ampoule_global(ctx.as_raw().as_ptr(), name.as_ptr(), name.len()),
        )
    };
    let session = Session::of(ctx);
    let describe = &session.lasting_prelude.get()?.describe;
    let described = value.and_then(|value| describe.call::<_, Array<'_>>((value,)));
    let Ok(described) = described else {
        ctx.catch();
        return None;
    };
    let kind: String = described.get(0).ok()?;
    Some(Kept {
        name: cut(name),
        kind: cut(&kind),
        size: described.get::<f64>(1).ok().map(|size| size as u32),
    })
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(NAME_BYTES)].to_owned()
}

/// What `Math.random` goes on from, for a session to make anew.
pub(crate) type Generator = Rc<Cell<Option<u64>>>;

#[cfg(test)]
mod tests;

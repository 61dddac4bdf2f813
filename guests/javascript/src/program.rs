//! One program from its source to its end.

use std::cell::OnceCell;

use rquickjs::object::Property;
use rquickjs::{Ctx, Function, Result, Value};

use crate::bindings::exports::ampoule::guest::script::{Checking, Program, Progress, Thrown};
use crate::engine::{self, evaluate_main_module, evaluate_script, set_stack, update_stack};
use crate::event_loop::{self, End, Turn};
use crate::host::{self, Completion, Level};
use crate::modules::{self, Source};
use crate::realm::Realm;
use crate::render::render;
use crate::session::Session;
use crate::source::{self, Has, LINES_BEFORE, Lasting, Prepared, Running, Wanted};
use crate::stack;
use crate::thrown;
use crate::unawaited;
use crate::web::absent;
use crate::{check, exit, json, lasting, other_modes, packages, shown};

/// How a program ended.
pub type Outcome = std::result::Result<Option<String>, Thrown>;

/// What a program that has not ended waits for, and what comes then.
pub(crate) struct Awaited<'js> {
    /// What settles.
    value: Value<'js>,
    then: Then,
}

/// What comes when a value has settled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// It is what the program returned, and may be a list of promises.
    Look,
    /// It is rendered.
    Render,
}

/// Begins a program, and runs it until nothing in it can go on. A realm serves one program, or those
/// of one session.
pub fn start(realm: &mut Realm, program: Program) -> Progress {
    let progress = started(realm, program);
    packages::settle(realm, &progress);
    progress
}

fn started(realm: &mut Realm, mut program: Program) -> Progress {
    let Realm {
        context, allocator, ..
    } = realm;
    context.with(|ctx| {
        set_stack(&ctx, stack::limit(program.stack_bytes));
        exit::begin();
        if program.name == packages::PROGRAM {
            match packages::take_in(&ctx, std::mem::take(&mut program.modules)) {
                Ok(source) => program.source = source,
                Err(refused) => return Progress::Ended(Ok(refused)),
            }
        }
        let name = program.name;
        Session::of(&ctx).modules.borrow_mut().give(program.modules);
        let origin = |specifier: &str| modules::origin(&ctx, &name, specifier);
        let has = |module: &str, wanted: &Wanted| modules::has(&ctx, module, wanted);
        let running = Running {
            lasting: lasting::lasts(&ctx).then_some(&has as Has<'_>),
            is_checked: program.checking != Checking::Off,
        };
        let prepared = source::prepare_program(allocator, &program.source, &origin, running);
        let prepared = prepared
            .and_then(|prepared| modules::check(&ctx, &name, &prepared.imports).map(|()| prepared));
        let mut prepared = match prepared {
            Ok(prepared) => prepared,
            Err(fault) => {
                let error = thrown::syntax_error(&name, &program.source, &fault);
                return Progress::Ended(Err(error));
            }
        };
        if program.checking != Checking::Off
            && let Some(mistakes) = check::mistakes(&ctx, &name, &program.source, &mut prepared)
        {
            return Progress::Ended(Err(mistakes));
        }
        if program.checking == Checking::Alone {
            return Progress::Ended(Ok(None));
        }
        let begun = set_env(&ctx, &program.env)
            .and_then(|()| set_strings(&ctx, program.strings))
            .and_then(|()| evaluate(&ctx, name, program.source, prepared))
            .and_then(|returned| event_loop::awaited(&ctx, returned))
            .and_then(|value| {
                let then = Then::Look;
                go_on(&ctx, Awaited { value, then }, None)
            });
        progress(&ctx, begun)
    })
}

/// Goes on with calls that have ended.
pub fn step(realm: &mut Realm, ended: Vec<Completion>) -> Progress {
    let progress = realm.context.with(|ctx| {
        update_stack(&ctx);
        let awaited = Session::of(&ctx).awaited.take();
        let awaited = awaited.expect("the host steps a program that waits");
        let stepped = go_on(&ctx, awaited, Some(ended));
        progress(&ctx, stepped)
    });
    packages::settle(realm, &progress);
    progress
}

/// Runs a program to its end, waiting where it waits.
#[cfg(not(target_family = "wasm"))]
pub fn run(realm: &mut Realm, program: Program) -> Outcome {
    let mut progress = start(realm, program);
    loop {
        match progress {
            Progress::Ended(outcome) => return outcome,
            Progress::Waits(timeout) => progress = step(realm, host::calls::wait(timeout)),
        }
    }
}

fn progress(ctx: &Ctx<'_>, stepped: Result<Progress>) -> Progress {
    if exit::is_over() {
        // The error that brought it here.
        ctx.catch();
        let ended = exited(ctx);
        return ended.unwrap_or_else(|error| Progress::Ended(Err(thrown::uncaught(ctx, error))));
    }
    stepped.unwrap_or_else(|error| Progress::Ended(Err(thrown::uncaught(ctx, error))))
}

/// The end of a program that has called `exit()`: what it showed is its result.
fn exited(ctx: &Ctx<'_>) -> Result<Progress> {
    unawaited::tell(ctx)?;
    engine::forget_jobs(ctx);
    let nothing = Value::new_undefined(ctx.clone());
    let shown = shown::instead_of(ctx, nothing)?;
    let result = match shown.is_undefined() {
        true => None,
        false => Some(render(ctx, &shown)?.json),
    };
    Ok(Progress::Ended(Ok(result)))
}

fn set_env(ctx: &Ctx<'_>, env: &str) -> Result<()> {
    if env.is_empty() {
        return Ok(());
    }
    ctx.globals().set("env", json::parse(ctx, env.to_owned())?)
}

/// Defines the texts that came with the program. They are the program's alone: in a session, the next
/// one does not have them.
fn set_strings(ctx: &Ctx<'_>, strings: String) -> Result<()> {
    const STRINGS: &str = "strings";
    let globals = ctx.globals();
    let session = Session::of(ctx);
    let had_strings = session.has_strings.replace(!strings.is_empty());
    if strings.is_empty() {
        return match had_strings {
            true => globals.remove(STRINGS),
            false => Ok(()),
        };
    }
    let strings = json::parse(ctx, strings)?;
    let strings = Property::from(strings).writable().configurable();
    globals.prop(STRINGS, strings)
}

/// Defines what a source names without more and does not declare: servers, `github.createIssue()`;
/// what Node has as a global and a module here, `Buffer`; and what other code modes have, `text(…)`.
pub(crate) fn define_globals(ctx: &Ctx<'_>, prepared: &Prepared) -> Result<()> {
    let globals = ctx.globals();
    if prepared.shows {
        shown::gather(ctx);
    }
    for name in &prepared.free {
        // What an earlier program of the session declared.
        let declared = Session::of(ctx)
            .lasting
            .borrow()
            .as_ref()
            .is_some_and(|lasting| lasting.declares(name));
        if declared {
            continue;
        }
        if globals.contains_key(name.as_str())? && !absent::is_stand_in(name) {
            continue;
        }
        let meant = match host::tools::server_name(name) {
            Ok(server) => Some(server_object(ctx, server)?),
            Err(_) => match modules::global(ctx, name)? {
                Some(global) => Some(global),
                None => other_modes::global(ctx, name, prepared.called.contains(name))?,
            },
        };
        if let Some(meant) = meant {
            globals.prop(
                name.as_str(),
                Property::from(meant).writable().configurable(),
            )?;
        }
    }
    Ok(())
}

fn server_object<'js>(ctx: &Ctx<'js>, server: String) -> Result<Value<'js>> {
    let session = Session::of(ctx);
    let tools = session.tools.borrow();
    let tools = tools
        .as_ref()
        .expect("the prelude is installed before a script runs");
    tools.server.call((server,))
}

/// Whether the program finds something else by a name than this server, where that is one.
pub(crate) fn is_defined(ctx: &Ctx<'_>, name: &str, server: Option<&str>) -> bool {
    let globals = ctx.globals();
    let there = globals.contains_key(name).unwrap_or(true);
    match server {
        Some(_) if absent::is_stand_in(name) => false,
        // An earlier program of the session may have named it.
        Some(server) if there => {
            let named = globals.get::<_, Value<'_>>(name);
            let server = server_object(ctx, server.to_owned());
            !matches!((named, server), (Ok(named), Ok(server)) if named == server)
        }
        Some(_) => false,
        None => there || matches!(name, "env" | "strings" | "Buffer") || other_modes::is_name(name),
    }
}

/// Starts the program. Gives what its function returns: a promise, if it awaits anything.
fn evaluate<'js>(
    ctx: &Ctx<'js>,
    name: String,
    written: String,
    prepared: Prepared,
) -> Result<Value<'js>> {
    const FIRST_LINE: i32 = 1 - LINES_BEFORE as i32;
    warn_of_idle(&prepared.idle);
    define_globals(ctx, &prepared)?;
    let mut text = prepared.text.clone();
    let source = Source {
        name: name.clone(),
        written,
        text: prepared.text,
        map: prepared.map,
        lines_before: LINES_BEFORE,
        found: OnceCell::new(),
    };
    warn_of_rounded(&source, &prepared.free);
    Session::of(ctx)
        .modules
        .borrow_mut()
        .add(source, prepared.imports);
    if let Some(Lasting { declared, awaits }) = prepared.lasting {
        return lasting::evaluate(ctx, &mut text, (&name, FIRST_LINE), awaits, declared);
    }
    if !prepared.module {
        let main: Function<'js> = evaluate_script(ctx, &mut text, &name, FIRST_LINE)?.get()?;
        return main.call(());
    }
    let (namespace, evaluated) = evaluate_main_module(ctx, &mut text, &name, FIRST_LINE)?;
    // Modules that are imported may await something first.
    let session = Session::of(ctx);
    session.intrinsics().start.call((evaluated, namespace))
}

/// A program that only declares functions was written for someone to call them.
fn warn_of_idle(functions: &[String]) {
    if let Some(first) = functions.first() {
        let names: Vec<_> = functions.iter().map(|name| format!("`{name}`")).collect();
        host::write(
            Level::Warn,
            &format!(
                "Warning: the script declares {} and calls nothing. End it with a call, such as `return await {first}();`.",
                names.join(", ")
            ),
        );
    }
}

/// What goes to tools has to be exact, and was written so.
fn warn_of_rounded(source: &Source, free: &[String]) {
    let calls = |name: &String| name == "tools" || host::tools::server_name(name).is_ok();
    let rounded = thrown::rounded(source);
    if !rounded.is_empty() && free.iter().any(calls) {
        for told in rounded {
            host::write(Level::Warn, &format!("Warning: {told}."));
        }
    }
}

/// Runs what the program awaits, until it has ended or waits.
fn go_on<'js>(
    ctx: &Ctx<'js>,
    mut awaited: Awaited<'js>,
    mut arrived: Option<Vec<Completion>>,
) -> Result<Progress> {
    loop {
        let ended = match event_loop::run(ctx, &awaited.value, arrived.take())? {
            Turn::Ended(ended) => ended,
            Turn::Waits(timeout) => {
                Session::of(ctx).awaited.replace(Some(awaited));
                return Ok(Progress::Waits(timeout));
            }
        };
        // Which the loop listens to itself.
        Session::of(ctx).calls.borrow_mut().heard(&awaited.value);
        let value = match (awaited.then, ended) {
            (Then::Look, ended) => match returned(ctx, ended)? {
                Ok(value) => shown::instead_of(ctx, value)?,
                Err(Ok(None)) => {
                    let nothing = Value::new_undefined(ctx.clone());
                    let shown = shown::instead_of(ctx, nothing)?;
                    if shown.is_undefined() {
                        return Ok(Progress::Ended(Ok(None)));
                    }
                    shown
                }
                Err(outcome) => return Ok(Progress::Ended(outcome)),
            },
            (Then::Render, End::Returned(value)) => value,
            (Then::Render, End::Finished | End::Stuck) => Value::new_undefined(ctx.clone()),
        };
        match (awaited.then, is_list_of_promises(&value)) {
            (Then::Look, true) => {
                let value = Session::of(ctx).intrinsics().all.call((value,))?;
                let then = Then::Render;
                awaited = Awaited { value, then };
            }
            _ => {
                let result = render(ctx, &value)?;
                if result.lacks {
                    warn_of_reads_in_vain(ctx);
                }
                unawaited::tell(ctx)?;
                return Ok(Progress::Ended(Ok(Some(result.json))));
            }
        }
    }
}

/// What the program returned; or its end, where that is nothing. Rejections that nobody heard are
/// told.
fn returned<'js>(
    ctx: &Ctx<'js>,
    ended: End<'js>,
) -> Result<std::result::Result<Value<'js>, Outcome>> {
    let unheard = Session::of(ctx).rejections.borrow_mut().take();
    let mut unheard = unheard.into_iter();
    match ended {
        End::Stuck | End::Finished => {
            let first = unheard.next();
            warn_of(ctx, unheard);
            match (first, ended) {
                (Some(reason), _) => Err(ctx.throw(reason)),
                (None, End::Stuck) => Ok(Err(Err(thrown::stuck(ctx)))),
                (None, _) => {
                    if Session::of(ctx).modules.borrow().returns() {
                        warn_of_reads_in_vain(ctx);
                    }
                    unawaited::tell(ctx)?;
                    Ok(Err(Ok(None)))
                }
            }
        }
        End::Returned(value) => {
            warn_of(ctx, unheard);
            Ok(Ok(value))
        }
    }
}

/// Writes rejections that nobody heard and that don't end the program.
fn warn_of<'js>(ctx: &Ctx<'js>, unheard: impl Iterator<Item = Value<'js>>) {
    for reason in unheard {
        let text = thrown::summary(ctx, &reason);
        host::write(
            Level::Warn,
            &format!("Warning: a promise was rejected, and nothing awaited it: {text}"),
        );
    }
}

/// Where a result lacks something, the script may have read what its answers have not.
fn warn_of_reads_in_vain(ctx: &Ctx<'_>) {
    for told in thrown::reads_in_vain(ctx) {
        host::write(Level::Warn, &format!("Warning: {told}"));
    }
}

/// Whether it is what `map` with an async function gives. The value of such a list is the list of
/// what they settle to.
fn is_list_of_promises(value: &Value<'_>) -> bool {
    value.as_array().is_some_and(|list| {
        list.get::<Value<'_>>(0)
            .is_ok_and(|first| first.is_promise())
    })
}

#[cfg(test)]
mod tests;

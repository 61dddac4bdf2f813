//! One program from its source to its end.

use std::cell::OnceCell;

use rquickjs::object::Property;
use rquickjs::{Ctx, Function, Result, Value};

use crate::bindings::exports::ampoule::guest::script::{Program, Thrown};
use crate::engine::{evaluate_main_module, evaluate_script, set_stack};
use crate::event_loop::{self, End};
use crate::host::{self, Level};
use crate::modules::{self, Source};
use crate::realm::Realm;
use crate::render::render;
use crate::session::Session;
use crate::source::{self, LINES_BEFORE, Prepared, Role};
use crate::stack;
use crate::thrown;
use crate::web::absent;

/// How a program ended.
pub type Outcome = std::result::Result<Option<String>, Thrown>;

/// Runs a program to its end. A realm serves one program.
pub fn run(realm: &mut Realm, program: Program) -> Outcome {
    let Realm {
        context, allocator, ..
    } = realm;
    context.with(|ctx| {
        set_stack(&ctx, stack::limit(program.stack_bytes));
        let name = program.name;
        Session::of(&ctx).modules.borrow_mut().give(program.modules);
        let origin = |specifier: &str| modules::origin(&ctx, &name, specifier);
        let prepared = source::prepare(allocator, &program.source, Role::Main, &origin)
            .and_then(|prepared| modules::check(&ctx, &name, &prepared.imports).map(|()| prepared));
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(fault) => return Err(thrown::syntax_error(&name, &program.source, &fault)),
        };
        let ended = set_env(&ctx, &program.env)
            .and_then(|()| evaluate(&ctx, name, program.source, prepared))
            .and_then(|returned| end(&ctx, returned));
        match ended {
            Ok(outcome) => outcome,
            Err(error) => Err(thrown::uncaught(&ctx, error)),
        }
    })
}

fn set_env(ctx: &Ctx<'_>, env: &str) -> Result<()> {
    if env.is_empty() {
        return Ok(());
    }
    ctx.globals().set("env", ctx.json_parse(env)?)
}

/// Defines the servers that a source names without more: `github.createIssue()`.
pub(crate) fn define_servers(ctx: &Ctx<'_>, free: &[String]) -> Result<()> {
    let globals = ctx.globals();
    for name in free {
        if globals.contains_key(name.as_str())? && absent::stand_in(name).is_none() {
            continue;
        }
        if let Ok(server) = host::tools::server_name(name) {
            let session = Session::of(ctx);
            let tools = session.tools.borrow();
            let tools = tools
                .as_ref()
                .expect("the prelude is installed before a script runs");
            let object: Value<'_> = tools.server.call((server,))?;
            globals.prop(
                name.as_str(),
                Property::from(object).writable().configurable(),
            )?;
        }
    }
    Ok(())
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
    define_servers(ctx, &prepared.free)?;
    let mut text = prepared.text.clone();
    let source = Source {
        name: name.clone(),
        written,
        text: prepared.text,
        map: prepared.map,
        lines_before: LINES_BEFORE,
        sites: OnceCell::new(),
    };
    Session::of(ctx)
        .modules
        .borrow_mut()
        .add(source, prepared.imports);
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

/// Waits for the program's end.
fn end<'js>(ctx: &Ctx<'js>, returned: Value<'js>) -> Result<Outcome> {
    let ended = event_loop::run(ctx, returned)?;
    let unheard = Session::of(ctx).rejections.borrow_mut().take();
    let mut unheard = unheard.into_iter();
    match ended {
        End::Stuck | End::Finished => {
            let first = unheard.next();
            warn_of(ctx, unheard);
            match (first, ended) {
                (Some(reason), _) => Err(ctx.throw(reason)),
                (None, End::Stuck) => Ok(Err(thrown::stuck())),
                (None, _) => Ok(Ok(None)),
            }
        }
        End::Returned(value) => {
            warn_of(ctx, unheard);
            let value = settled(ctx, value)?;
            Ok(Ok(Some(render(ctx, &value)?)))
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

/// The value of a list of promises, which `map` with an async function gives, is the list of what they settle to.
fn settled<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let promises = value.as_array().is_some_and(|list| {
        list.get::<Value<'js>>(0)
            .is_ok_and(|first| first.is_promise())
    });
    if !promises {
        return Ok(value);
    }
    let promise: Value<'js> = Session::of(ctx).intrinsics().all.call((value,))?;
    match event_loop::run(ctx, promise)? {
        End::Returned(value) => Ok(value),
        End::Finished | End::Stuck => Ok(Value::new_undefined(ctx.clone())),
    }
}

#[cfg(test)]
mod tests;

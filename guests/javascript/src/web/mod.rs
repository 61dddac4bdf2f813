//! What scripts expect of a web-like runtime besides the language: console, URL, encodings, timers
//! and the like.
//!
//! Most of it is JavaScript, in `prelude/web`, evaluated once before the snapshot; the modules here
//! are what JavaScript can't do or does too slowly. A prelude file is a module whose default export
//! is a function: it is called with everything that the files before it gave (`native` to begin
//! with), and what it returns is added.

pub(crate) mod absent;
mod crypto;
mod decimals;
mod encoding;
pub(crate) mod files;
mod languages;
mod locales;
mod objects;
mod output;
pub(crate) mod timers;
mod url;
pub(crate) mod zones;

#[cfg(test)]
mod tests;

use rquickjs::module::WriteOptions;
use rquickjs::{Context, Ctx, Function, Module, Object, Result, Runtime, Value};

use crate::temporal;

/// What prelude files are called in stacks, before their own name.
pub(crate) const ORIGIN: &str = "ampoule:web/";

macro_rules! prelude {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../prelude/web/", $name, ".js")))),+]
    };
}

/// The prelude's files, in an order in which each finds what it needs.
const PRELUDE: &[(&str, &str)] = prelude![
    "primordials",
    "kinds",
    "errors",
    "inspect-text",
    "inspect-layout",
    "inspect-names",
    "inspect-entries",
    "inspect-errors",
    "inspect",
    "format",
    "table",
    "console",
    "arguments",
    "dom-exception",
    "timers",
    "events",
    "abort",
    "encoding",
    "clone",
    "url-search-params",
    "url",
    "crypto",
    "buffer-numbers",
    "buffer",
    "path",
    "files",
    "fs-sync",
    "fs",
    "date",
    "intl-options",
    "intl-digits",
    "intl-patterns",
    "intl-number-options",
    "intl-number-parts",
    "intl-number",
    "intl-zones",
    "intl-date-patterns",
    "intl-date-fields",
    "intl-date-options",
    "intl-date-ranges",
    "intl-temporal",
    "intl-date",
    "intl-lists",
    "intl-names",
    "intl",
    "temporal-options",
    "temporal-fields",
    "temporal-values",
    "temporal-classes",
    "temporal-dates",
    "temporal-months",
    "temporal-times",
    "temporal-zoned",
    "temporal-duration",
    "temporal",
    "headers",
    "fetch",
    "absent",
];

/// Defines the globals, once, before the snapshot, and gives what the prelude's files gave each
/// other. Draws neither time nor random numbers.
pub(crate) fn install<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    objects::register(&native)?;
    output::register(&native)?;
    timers::register(&native)?;
    encoding::register(&native)?;
    files::register(&native)?;
    url::register(&native)?;
    crypto::register(&native)?;
    decimals::register(&native)?;
    languages::register(&native)?;
    locales::register(&native)?;
    zones::register(&native)?;
    absent::register(&native)?;
    temporal::register(&native)?;

    let shared = Object::new(ctx.clone())?;
    shared.set("native", native)?;
    for (name, bytecode) in compile()? {
        let (setup, namespace) = load(ctx, &bytecode)?;
        if name == PRELUDE[0].0 {
            // An example of a module's namespace, to tell one when it sees one.
            shared.set("namespace", namespace)?;
        }
        let added: Object = setup.call((shared.clone(),))?;
        for property in added.props::<String, Value>() {
            let (key, value) = property?;
            shared.set(key, value)?;
        }
    }
    Ok(shared)
}

/// The prelude as bytecode without source text, which would otherwise stay in every isolate's
/// memory. Compiled in an engine of its own, for the same reason.
fn compile() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let runtime = Runtime::new()?;
    // The default is more than the guest's whole stack.
    runtime.set_max_stack_size(0);
    let context = Context::full(&runtime)?;
    let compiled = |(name, source): &(&'static str, &'static str)| {
        let options = WriteOptions {
            strip_source: true,
            ..WriteOptions::default()
        };
        let write =
            |ctx: Ctx<'_>| Module::declare(ctx, format!("{ORIGIN}{name}"), *source)?.write(options);
        Ok((*name, context.with(write)?))
    };
    PRELUDE.iter().map(compiled).collect()
}

/// Evaluates a file of the prelude. Gives its default export, and its namespace.
fn load<'js>(ctx: &Ctx<'js>, bytecode: &[u8]) -> Result<(Function<'js>, Object<'js>)> {
    // SAFETY: this very engine wrote the bytecode a moment ago.
    let module = unsafe { Module::load(ctx.clone(), bytecode)? };
    let (module, evaluated) = module.eval()?;
    evaluated.finish::<()>()?;
    Ok((module.get("default")?, module.namespace()?))
}

//! Files of packages as modules: ES modules, CommonJS, JSON.

use rquickjs::function::This;
use rquickjs::module::Declared;
use rquickjs::object::Filter;
use rquickjs::{Ctx, Error, Function, Module, Object, Result, Value};

use super::files::Format;
use super::{How, Resolved, found, there};
use crate::engine::{evaluate_sloppy_script, throw_without_stack};
use crate::json;
use crate::modules::{made_of, node_object};
use crate::session::Session;
use crate::source::quoted;

/// What stands around a CommonJS module. What it finds as globals of Node's, it may declare itself.
const BEFORE: &str = "(function(process,global,Buffer){return function(exports,require,module,__filename,__dirname){";
const AFTER: &str = "\n}})";
/// What the name of a module ends in that stands for one that was required.
const REQUIRED: char = '\u{2}';

/// The module of a file, for what imports it.
///
/// # Errors
///
/// It is not there, does not compile, or throws, if it is CommonJS.
pub(crate) fn load<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Module<'js, Declared>> {
    let File { format, text } = file(ctx, path)?;
    match format {
        Format::Module => module(ctx, path, text),
        Format::Json => {
            let value = json::parse(ctx, text)?;
            made_of(ctx, path, vec![("default".to_owned(), value)])
        }
        Format::CommonJs => {
            let exports = common(ctx, path, text)?;
            made_of(ctx, path, names_of(ctx, exports))
        }
        Format::Unsaid => match compiled(ctx, path, &text) {
            Ok(function) => {
                let exports = run(ctx, path, &function)?;
                made_of(ctx, path, names_of(ctx, exports))
            }
            Err(_) => {
                ctx.catch();
                module(ctx, path, text)
            }
        },
    }
}

/// What `require` gives for a file.
///
/// # Errors
///
/// As for [`load`]; or it is an ES module that awaits something.
pub(super) fn require<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Value<'js>> {
    if let Some(known) = known(ctx, path) {
        return known.get("exports");
    }
    let File { format, text } = file(ctx, path)?;
    match format {
        Format::Module => namespace(ctx, path),
        Format::Json => {
            let value = json::parse(ctx, text)?;
            keep(ctx, path)?.set("exports", value.clone())?;
            Ok(value)
        }
        Format::CommonJs => common(ctx, path, text),
        Format::Unsaid => match compiled(ctx, path, &text) {
            Ok(function) => run(ctx, path, &function),
            Err(_) => {
                ctx.catch();
                namespace(ctx, path)
            }
        },
    }
}

struct File {
    format: Format,
    text: String,
}

fn file(ctx: &Ctx<'_>, path: &str) -> Result<File> {
    let packages = there(ctx).ok_or_else(|| Error::new_loading(path))?;
    let text = packages.text(path);
    let mut text = text.ok_or_else(|| Error::new_loading(path))?;
    if text.starts_with("#!") {
        text.insert_str(0, "//");
    }
    let format = packages.format(path);
    Ok(File { format, text })
}

fn module<'js>(ctx: &Ctx<'js>, path: &str, text: String) -> Result<Module<'js, Declared>> {
    let module = Module::declare(ctx.clone(), path, text)?;
    module.meta()?.set("url", format!("file://{path}"))?;
    Ok(module)
}

/// The object `module` of a file that was required before.
fn known<'js>(ctx: &Ctx<'js>, path: &str) -> Option<Object<'js>> {
    Session::of(ctx).required.borrow().get(path).cloned()
}

/// Makes the object `module` of a file.
fn keep<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Object<'js>> {
    let module = Object::new(ctx.clone())?;
    module.set("id", path)?;
    module.set("filename", path)?;
    let session = Session::of(ctx);
    let mut required = session.required.borrow_mut();
    required.insert(path.to_owned(), module.clone());
    Ok(module)
}

fn common<'js>(ctx: &Ctx<'js>, path: &str, text: String) -> Result<Value<'js>> {
    if let Some(known) = known(ctx, path) {
        return known.get("exports");
    }
    let function = compiled(ctx, path, &text)?;
    run(ctx, path, &function)
}

/// The function of a CommonJS module.
fn compiled<'js>(ctx: &Ctx<'js>, path: &str, text: &str) -> Result<Function<'js>> {
    let mut wrapped = [BEFORE, text, AFTER].concat();
    let wrapper: Function<'js> = evaluate_sloppy_script(ctx, &mut wrapped, path)?.get()?;
    let process = Object::new(ctx.clone())?;
    let env = Object::new(ctx.clone())?;
    env.set("NODE_ENV", "production")?;
    process.set("env", env)?;
    process.set("versions", Object::new(ctx.clone())?)?;
    let buffer: Value<'js> = node_object(ctx, "buffer")?.get("Buffer")?;
    wrapper.call((process, ctx.globals(), buffer))
}

/// Runs a CommonJS module, and gives what it exports.
fn run<'js>(ctx: &Ctx<'js>, path: &str, function: &Function<'js>) -> Result<Value<'js>> {
    if let Some(known) = known(ctx, path) {
        return known.get("exports");
    }
    let module = keep(ctx, path)?;
    let exports = Object::new(ctx.clone())?;
    module.set("exports", exports.clone())?;
    let importer = path.to_owned();
    let require = Function::new(ctx.clone(), move |ctx: Ctx<'js>, specifier: String| {
        required_by(&ctx, &importer, &specifier)
    })?;
    let (folder, _) = path.rsplit_once('/').unwrap_or_default();
    let this = This(exports.clone());
    let ran = function.call::<_, ()>((this, exports, require, module.clone(), path, folder));
    if let Err(error) = ran {
        Session::of(ctx).required.borrow_mut().remove(path);
        return Err(error);
    }
    module.get("exports")
}

fn required_by<'js>(ctx: &Ctx<'js>, importer: &str, specifier: &str) -> Result<Value<'js>> {
    match found(ctx, importer, specifier, How::Require)? {
        Resolved::File(path) => require(ctx, &path),
        Resolved::Node(module) => node_object(ctx, module).map(Object::into_value),
    }
}

/// What an ES module exports, for `require`.
fn namespace<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Value<'js>> {
    let text = format!("export*as it from{};", quoted(path));
    let module = Module::declare(ctx.clone(), format!("{path}{REQUIRED}"), text)?;
    let (module, promise) = module.eval()?;
    match promise.result::<Value<'js>>() {
        Some(Ok(_)) => {}
        Some(Err(error)) => return Err(error),
        None => {
            let session = Session::of(ctx);
            return Err(throw_without_stack(
                ctx,
                &session.intrinsics().error,
                &format!("{path} awaits something: `await import` it instead of `require`."),
            ));
        }
    }
    let exports: Value<'js> = module.get("it")?;
    keep(ctx, path)?.set("exports", exports.clone())?;
    Ok(exports)
}

/// What a CommonJS module exports, as exports of a module: all of it by default, and what it has by
/// its names.
fn names_of<'js>(ctx: &Ctx<'js>, exports: Value<'js>) -> Vec<(String, Value<'js>)> {
    let mut names = Vec::new();
    if let Some(object) = exports.as_object() {
        let keys = object.own_keys::<String>(Filter::new().string().enum_only());
        for key in keys.flatten().filter(|key| key != "default") {
            match object.get::<_, Value<'js>>(key.as_str()) {
                Ok(value) => names.push((key, value)),
                // What throws when it is read is not there by its name.
                Err(_) => drop(ctx.catch()),
            }
        }
    }
    names.push(("default".to_owned(), exports));
    names
}

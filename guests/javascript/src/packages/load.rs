//! Files of packages as modules: ES modules, CommonJS, JSON.

use std::rc::Rc;

use rquickjs::function::This;
use rquickjs::module::Declared;
use rquickjs::object::Filter;
use rquickjs::{Ctx, Error, Function, Module, Object, Result, Value};

use super::files::Format;
use super::{RequestKind, Resolution, found, there};
use crate::engine::{evaluate_sloppy_script, throw_without_stack};
use crate::json;
use crate::modules::{made_of, node_object};
use crate::session::Session;
use crate::source::{ModuleSurvey, Wanted, quoted};

/// What stands around a CommonJS module. What it finds as globals of Node's, it may declare itself.
const BEFORE: &str = "(function(process,global,Buffer){return function(exports,require,module,__filename,__dirname){";
const AFTER: &str = "\n}})";
/// What the name of a module ends in that stands for one that was required.
const REQUIRED: char = '\u{2}';
/// In the name of a module that stands for a CommonJS module: before each name that is wanted of it.
const WANTED: char = '\u{1}';
/// The module with the `process` that ES modules of packages have. No file can have this name.
pub(super) const PROCESS: &str = "/packages/:process";

/// A file as a module.
enum Form<'js> {
    /// The text of an ES module.
    Module(String),
    /// The text of JSON.
    Json(String),
    /// The function of a CommonJS module; none once it has been called.
    Common(Option<Function<'js>>),
}

/// What is known of a file whose package does not say what it is, or that is CommonJS.
pub(crate) enum CommonForm<'js> {
    /// It is an ES module, by its syntax.
    Module,
    /// It is CommonJS, and will be called.
    Compiled(Function<'js>),
    /// It is CommonJS, and was called.
    Called,
}

/// The name of the module that an importer has of a file. `wanted` tells what it wants of it.
///
/// A CommonJS module runs after what is imported before it, as in Node, where a module that runs it
/// when it is evaluated itself can stand for it. So that module has the names that are wanted. Where
/// all names are, they are known only once it has run: it runs as soon as it is loaded.
pub(super) fn module_name(ctx: &Ctx<'_>, path: String, wanted: impl FnOnce() -> Wanted) -> String {
    if !is_common(ctx, &path) {
        return path;
    }
    let is_plain = |name: &String| !name.is_empty() && !name.contains(['\0', WANTED]);
    match wanted() {
        Wanted::Names(mut names) if names.iter().all(is_plain) => {
            names.sort();
            names.dedup();
            format!("{path}{WANTED}{}", names.join("\u{1}"))
        }
        _ => path,
    }
}

/// The module of a file by the name that [`module_name`] gave, for what imports it.
///
/// # Errors
///
/// It is not there, does not compile, or throws where it runs already.
pub(crate) fn load<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>> {
    if name == PROCESS {
        let process = process(ctx)?.into_value();
        return made_of(ctx, name, vec![("default".to_owned(), process)]);
    }
    if let Some((path, names)) = name.split_once(WANTED) {
        return standing_for(ctx, name, path, names);
    }
    match form(ctx, name)? {
        Form::Module(text) => module(ctx, name, text),
        Form::Json(text) => {
            let value = json::parse(ctx, text)?;
            made_of(ctx, name, vec![("default".to_owned(), value)])
        }
        Form::Common(function) => {
            let exports = run(ctx, name, function)?;
            made_of(ctx, name, names_of(ctx, exports))
        }
    }
}

/// What `require` gives for a file.
///
/// # Errors
///
/// As for [`load`]; or it is an ES module that awaits something, or that is being loaded.
pub(super) fn require<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Value<'js>> {
    if let Some(known) = known(ctx, path) {
        return known.get("exports");
    }
    match form(ctx, path)? {
        Form::Module(_) => namespace(ctx, path),
        Form::Json(text) => {
            let value = json::parse(ctx, text)?;
            keep(ctx, path)?.set("exports", value.clone())?;
            Ok(value)
        }
        Form::Common(function) => run(ctx, path, function),
    }
}

/// A module that runs a CommonJS module when it is evaluated, and has the names that are wanted of
/// it.
fn standing_for<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    path: &str,
    names: &str,
) -> Result<Module<'js, Declared>> {
    // What does not compile is an error already now.
    form(ctx, path)?;
    let names = names.split(WANTED).filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(str::to_owned).collect();
    let locals: Vec<_> = (0..names.len()).map(|at| format!("e{at}")).collect();
    let pairs = names.iter().zip(&locals);
    let pairs: Vec<_> = pairs
        .map(|(name, local)| format!("{local} as {}", quoted(name)))
        .collect();
    let text = format!(
        "var[{}]=import.meta.run();export{{{}}};",
        locals.join(","),
        pairs.join(",")
    );
    let module = Module::declare(ctx.clone(), name, text)?;
    let path = path.to_owned();
    let run = Function::new(ctx.clone(), move |ctx: Ctx<'js>| {
        exported(&ctx, &path, &names)
    })?;
    module.meta()?.set("run", run)?;
    Ok(module)
}

/// Runs a CommonJS module, if it has not run, and gives what it exports by names.
fn exported<'js>(ctx: &Ctx<'js>, path: &str, names: &[String]) -> Result<Vec<Value<'js>>> {
    let all = names_of(ctx, require(ctx, path)?);
    let value = |name: &String| {
        let mut found = all.iter().filter(|(known, _)| known == name);
        let found = found.next().map(|(_, value)| value.clone());
        // As the engine says it of an ES module.
        let message = || format!("Could not find export '{name}' in module '{path}'");
        found.ok_or_else(|| {
            let session = Session::of(ctx);
            throw_without_stack(ctx, &session.intrinsics().syntax_error, &message())
        })
    };
    names.iter().map(value).collect()
}

/// A file as a module. What is compiled is kept until it is called.
fn form<'js>(ctx: &Ctx<'js>, path: &str) -> Result<Form<'js>> {
    let session = Session::of(ctx);
    let (is_module, known) = match session.common.borrow().get(path) {
        Some(CommonForm::Compiled(function)) => (false, Some(Some(function.clone()))),
        Some(CommonForm::Called) => (false, Some(None)),
        Some(CommonForm::Module) => (true, None),
        None => (false, None),
    };
    if let Some(function) = known {
        return Ok(Form::Common(function));
    }
    let File { format, text } = file(ctx, path)?;
    let learn = |form| session.common.borrow_mut().insert(path.to_owned(), form);
    match format {
        Format::Json => Ok(Form::Json(text)),
        Format::Module => Ok(Form::Module(text)),
        Format::Unsaid if is_module => Ok(Form::Module(text)),
        Format::CommonJs | Format::Unsaid => match compiled(ctx, path, &text) {
            Ok(function) => {
                drop(learn(CommonForm::Compiled(function.clone())));
                Ok(Form::Common(Some(function)))
            }
            Err(_) if format == Format::Unsaid => {
                ctx.catch();
                drop(learn(CommonForm::Module));
                Ok(Form::Module(text))
            }
            Err(error) => Err(error),
        },
    }
}

/// Whether a file is CommonJS.
fn is_common(ctx: &Ctx<'_>, path: &str) -> bool {
    // Its text is not read again.
    if let Some(known) = Session::of(ctx).common.borrow().get(path) {
        return !matches!(known, CommonForm::Module);
    }
    match there(ctx).map(|packages| packages.format(path)) {
        Some(Format::CommonJs) => true,
        Some(Format::Unsaid) => match form(ctx, path) {
            Ok(form) => matches!(form, Form::Common(_)),
            // Loading it fails, too.
            Err(_) => {
                ctx.catch();
                false
            }
        },
        Some(Format::Module | Format::Json) | None => false,
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

fn module<'js>(ctx: &Ctx<'js>, path: &str, mut text: String) -> Result<Module<'js, Declared>> {
    if text.contains("process") && survey(ctx, path, &text).uses("process") {
        // Behind all of it, so that every place in it stays where it is.
        text += &format!("\nimport process from{};", quoted(PROCESS));
    }
    let module = Module::declare(ctx.clone(), path, text)?;
    module.meta()?.set("url", format!("file://{path}"))?;
    Ok(module)
}

/// What an ES module of a package wants of what it imports by a specifier.
pub(super) fn wanted(ctx: &Ctx<'_>, importer: &str, specifier: &str) -> Wanted {
    let known = Session::of(ctx).surveys.borrow().get(importer).cloned();
    if let Some(known) = known {
        return known.wanted(specifier);
    }
    match file(ctx, importer) {
        Ok(File { text, .. }) => survey(ctx, importer, &text).wanted(specifier),
        Err(_) => Wanted::Later,
    }
}

/// What an ES module imports and uses.
fn survey(ctx: &Ctx<'_>, path: &str, text: &str) -> Rc<ModuleSurvey> {
    let session = Session::of(ctx);
    if let Some(known) = session.surveys.borrow().get(path) {
        return Rc::clone(known);
    }
    let survey = Rc::new(ModuleSurvey::of(text));
    let mut surveys = session.surveys.borrow_mut();
    surveys.insert(path.to_owned(), Rc::clone(&survey));
    survey
}

/// What packages have as `process`.
fn process<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let session = Session::of(ctx);
    if let Some(known) = session.process.get() {
        return Ok(known.clone());
    }
    let process = Object::new(ctx.clone())?;
    let env = Object::new(ctx.clone())?;
    env.set("NODE_ENV", "production")?;
    process.set("env", env)?;
    process.set("versions", Object::new(ctx.clone())?)?;
    // Set once: it was not there.
    let _ = session.process.set(process.clone());
    Ok(process)
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

/// The function of a CommonJS module.
fn compiled<'js>(ctx: &Ctx<'js>, path: &str, text: &str) -> Result<Function<'js>> {
    let mut wrapped = [BEFORE, text, AFTER].concat();
    let wrapper: Function<'js> = evaluate_sloppy_script(ctx, &mut wrapped, path)?.get()?;
    let buffer: Value<'js> = node_object(ctx, "buffer")?.get("Buffer")?;
    wrapper.call((process(ctx)?, ctx.globals(), buffer))
}

/// Runs a CommonJS module, if it has not run, and gives what it exports.
fn run<'js>(ctx: &Ctx<'js>, path: &str, function: Option<Function<'js>>) -> Result<Value<'js>> {
    if let Some(known) = known(ctx, path) {
        return known.get("exports");
    }
    let function = function.ok_or_else(|| Error::new_loading(path))?;
    let session = Session::of(ctx);
    let module = keep(ctx, path)?;
    let called = CommonForm::Called;
    session.common.borrow_mut().insert(path.to_owned(), called);
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
        session.required.borrow_mut().remove(path);
        session.common.borrow_mut().remove(path);
        return Err(error);
    }
    module.get("exports")
}

fn required_by<'js>(ctx: &Ctx<'js>, importer: &str, specifier: &str) -> Result<Value<'js>> {
    match found(ctx, importer, specifier, RequestKind::Require)? {
        Resolution::File(path) => require(ctx, &path),
        Resolution::Node(module) => node_object(ctx, module).map(Object::into_value),
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

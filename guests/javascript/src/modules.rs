//! Modules: those of the program, and those that stand for servers and their tools in scripts
//! written for files.

mod node;
mod paths;
mod server;

use std::cell::OnceCell;
use std::rc::Rc;

use oxc_allocator::Allocator;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, IntoJs, Module, Result, TypedArray, Value};
use rustc_hash::FxHashMap;

use crate::bindings::exports::ampoule::guest::script::{Content, Module as Given};
use crate::engine::throw_without_stack;
use crate::json;
use crate::session::Session;
use crate::source::{self, Fault, Import, Origin, PositionMap, Role, Wanted, quoted};
use crate::thrown::Found;
use crate::web::absent;

pub(crate) use server::Target;

/// What a run has of modules.
#[derive(Default)]
pub(crate) struct Modules {
    given: Vec<Given>,
    /// The sources that were evaluated, for the places in errors.
    sources: Vec<Source>,
    /// What each module imports.
    imports: Vec<(String, Import)>,
    /// What specifiers mean that are none of its modules, as far as it was asked.
    targets: FxHashMap<String, Option<Rc<Target>>>,
}

/// A source that was evaluated.
pub(crate) struct Source {
    pub(crate) name: String,
    /// As it was written.
    pub(crate) written: String,
    /// As it was evaluated.
    pub(crate) text: String,
    pub(crate) map: PositionMap,
    /// How many lines of the text have numbers below 1.
    pub(crate) lines_before: u32,
    /// What can fail in it, once something has failed.
    pub(crate) found: OnceCell<Found>,
}

impl Modules {
    pub(crate) fn give(&mut self, modules: Vec<Given>) {
        self.given = modules;
    }

    /// Forgets what was one run's: what the grant has.
    pub(crate) fn end(&mut self) {
        self.targets.clear();
    }

    /// What a specifier means that is no module of the program.
    fn target(&mut self, specifier: &str) -> Option<Rc<Target>> {
        if let Some(known) = self.targets.get(specifier) {
            return known.clone();
        }
        let target = Target::of(specifier).map(Rc::new);
        self.targets.insert(specifier.to_owned(), target.clone());
        target
    }

    /// Keeps a source that is about to be evaluated.
    pub(crate) fn add(&mut self, source: Source, imports: Vec<Import>) {
        self.imports.extend(
            imports
                .into_iter()
                .map(|import| (source.name.clone(), import)),
        );
        self.sources.push(source);
    }

    pub(crate) fn source(&self, name: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.name == name)
    }

    /// The sources that were evaluated.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Whether the program was written with a `return`, of its own or of a function.
    pub(crate) fn returns(&self) -> bool {
        let program = self.sources.first();
        program.is_some_and(|program| program.written.contains("return"))
    }

    /// The program's module that an import means.
    fn find(&self, importer: &str, specifier: &str) -> Option<&Given> {
        if self.given.is_empty() {
            return None;
        }
        let candidates = paths::candidates(importer, specifier);
        candidates.iter().find_map(|path| {
            self.given
                .iter()
                .find(|module| paths::clean(&module.name) == *path)
        })
    }

    /// Who imports a name of a module, and where.
    pub(crate) fn importer_of_name(&self, module: &str, name: &str) -> Option<(&Source, usize)> {
        self.importer(|importer, import| {
            matches!(&import.wanted, Wanted::Names(names) if names.iter().any(|wanted| wanted == name))
                && self.find(importer, &import.specifier).is_some_and(|found| found.name == module)
        })
    }

    /// Who imports what a specifier names, and where.
    pub(crate) fn importer_of(&self, specifier: &str) -> Option<(&Source, usize)> {
        self.importer(|_, import| import.specifier == specifier)
    }

    fn importer(&self, is_it: impl Fn(&str, &Import) -> bool) -> Option<(&Source, usize)> {
        let (importer, import) = self
            .imports
            .iter()
            .find(|(importer, import)| is_it(importer, import))?;
        Some((self.source(importer)?, import.offset))
    }

    fn given(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|module| module.name == name)
    }

    fn wanted(&self, importer: &str, specifier: &str) -> Wanted {
        let mut of = self
            .imports
            .iter()
            .filter(|(name, import)| name == importer && import.specifier == specifier);
        let Some((_, first)) = of.next() else {
            return Wanted::Later;
        };
        let mut wanted = first.wanted.clone();
        for (_, import) in of {
            wanted = wanted.and(&import.wanted);
        }
        wanted
    }
}

/// Whose module an import means.
pub(crate) fn origin(ctx: &Ctx<'_>, importer: &str, specifier: &str) -> Origin {
    let session = Session::of(ctx);
    let mut modules = session.modules.borrow_mut();
    if modules.find(importer, specifier).is_some() {
        return Origin::Program;
    }
    match modules.target(specifier) {
        Some(target) if target.is_object() => Origin::Object,
        _ => Origin::Other,
    }
}

/// What an import means that is not of a module of the program.
pub(crate) fn target(ctx: &Ctx<'_>, importer: &str, specifier: &str) -> Option<Rc<Target>> {
    let session = Session::of(ctx);
    let mut modules = session.modules.borrow_mut();
    match modules.find(importer, specifier) {
        Some(_) => None,
        None => modules.target(specifier),
    }
}

/// Whether a module of the grant has what is wanted of it.
pub(crate) fn has(ctx: &Ctx<'_>, specifier: &str, wanted: &Wanted) -> bool {
    let session = Session::of(ctx);
    let target = session.modules.borrow_mut().target(specifier);
    target.is_some_and(|target| {
        target.is_there(wanted)
            && match wanted {
                Wanted::Names(names) => target.check(ctx, names).is_ok(),
                Wanted::All | Wanted::Later => true,
            }
    })
}

/// Checks what a source imports, so that an error says where: the modules exist, and servers have
/// the tools that are named.
pub(crate) fn check(
    ctx: &Ctx<'_>,
    importer: &str,
    imports: &[Import],
) -> std::result::Result<(), Fault> {
    for import in imports
        .iter()
        .filter(|import| import.wanted != Wanted::Later)
    {
        let fault = |message| Fault {
            message,
            offset: import.offset,
        };
        let session = Session::of(ctx);
        let target = {
            let mut modules = session.modules.borrow_mut();
            if modules.find(importer, &import.specifier).is_some() {
                continue;
            }
            modules.target(&import.specifier)
        };
        let Some(target) = target.filter(|target| target.is_there(&import.wanted)) else {
            return Err(fault(not_found(ctx, &import.specifier)));
        };
        if let Wanted::Names(names) = &import.wanted {
            target.check(ctx, names).map_err(fault)?;
        }
    }
    Ok(())
}

/// The message for a module that does not exist.
fn not_found(ctx: &Ctx<'_>, specifier: &str) -> String {
    if let Some(advice) = absent::module_advice(specifier) {
        return format!("There is no module \"{specifier}\". {advice}");
    }
    let session = Session::of(ctx);
    let modules = session.modules.borrow();
    let own: Vec<_> = modules
        .given
        .iter()
        .map(|module| format!("\"{}\"", module.name))
        .collect();
    let own = if own.is_empty() {
        String::new()
    } else {
        format!(" The program's modules are {}.", own.join(", "))
    };
    format!(
        "There is no module \"{specifier}\".{own} {}",
        server::advice(specifier)
    )
}

/// What Node has as a global, if a module here exports it.
pub(crate) fn global<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Option<Value<'js>>> {
    match name {
        "Buffer" => node::exported(ctx, "buffer", name).map(Some),
        _ => Ok(None),
    }
}

/// What `require` gives: one of Node's modules, or the object of a server.
///
/// # Errors
///
/// There is no such module, or it has to be imported.
pub(crate) fn required<'js>(ctx: &Ctx<'js>, specifier: &str) -> Result<Value<'js>> {
    let session = Session::of(ctx);
    let (is_own, target) = {
        let mut modules = session.modules.borrow_mut();
        let main = modules.sources.first();
        let main = main.map_or_else(String::new, |main| main.name.clone());
        let is_own = modules.find(&main, specifier).is_some();
        (is_own, modules.target(specifier))
    };
    let message = match target {
        Some(target) if target.is_object() && !is_own => {
            let wanted = Wanted::Names(vec!["default".to_owned()]);
            let object = target.exports(ctx, &wanted)?.pop();
            return Ok(object.map_or_else(|| Value::new_undefined(ctx.clone()), |(_, it)| it));
        }
        None if !is_own => not_found(ctx, specifier),
        _ => format!(
            "\"{specifier}\" is an ES module: write `import` or `await import(\"{specifier}\")` instead of `require`."
        ),
    };
    Err(throw_without_stack(
        ctx,
        &session.intrinsics().error,
        &message,
    ))
}

/// Finds and loads modules for QuickJS.
pub(crate) struct ModuleLoader;

/// Between the name of what is imported and that of the importer: each importer has its own view of
/// a server.
const VIEW: char = '\u{1}';

impl Resolver for ModuleLoader {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        let session = Session::of(ctx);
        let target = {
            let mut modules = session.modules.borrow_mut();
            if let Some(module) = modules.find(base, name) {
                return Ok(module.name.clone());
            }
            let wanted = modules.wanted(base, name);
            modules
                .target(name)
                .filter(|target| target.is_there(&wanted))
        };
        if target.is_none() {
            return Err(throw_without_stack(
                ctx,
                &session.intrinsics().error,
                &not_found(ctx, name),
            ));
        }
        Ok(format!("{name}{VIEW}{base}"))
    }
}

impl Loader for ModuleLoader {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        if let Some((specifier, importer)) = name.split_once(VIEW) {
            let (wanted, target) = {
                let session = Session::of(ctx);
                let mut modules = session.modules.borrow_mut();
                (
                    modules.wanted(importer, specifier),
                    modules.target(specifier),
                )
            };
            let target = target.ok_or_else(|| Error::new_loading(specifier))?;
            let exports = target.exports(ctx, &wanted)?;
            return made_of(ctx, name, exports);
        }
        let content = {
            let session = Session::of(ctx);
            let modules = session.modules.borrow();
            modules
                .given(name)
                .map(|module| module.content.clone())
                .ok_or_else(|| Error::new_loading(name))?
        };
        let value = match content {
            Content::Source(written) => return source_module(ctx, name, written),
            Content::Text(text) => text.into_js(ctx)?,
            Content::Json(json) => json::parse(ctx, json)?,
            Content::Bytes(bytes) => TypedArray::new(ctx.clone(), bytes)?.into_value(),
        };
        made_of(ctx, name, vec![("default".to_owned(), value)])
    }
}

/// A module of the program that is source text.
fn source_module<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    written: String,
) -> Result<Module<'js, Declared>> {
    let origin = |specifier: &str| origin(ctx, name, specifier);
    let prepared = source::prepare(&Allocator::default(), &written, Role::Module, &origin)
        .and_then(|prepared| check(ctx, name, &prepared.imports).map(|()| prepared));
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(fault) => return Err(throw_fault(ctx, name, written, fault)),
    };
    crate::program::define_globals(ctx, &prepared)?;
    let text = prepared.text.clone();
    let source = Source {
        name: name.to_owned(),
        written,
        text: prepared.text,
        map: prepared.map,
        lines_before: 0,
        found: OnceCell::new(),
    };
    Session::of(ctx)
        .modules
        .borrow_mut()
        .add(source, prepared.imports);
    Module::declare(ctx.clone(), name, text)
}

/// Throws a fault as a syntax error with the place where it is, and keeps the source so that the
/// place can be shown.
fn throw_fault(ctx: &Ctx<'_>, name: &str, written: String, fault: Fault) -> Error {
    let (line, column) = source::line_and_byte_column(&written, fault.offset);
    let source = Source {
        name: name.to_owned(),
        text: written.clone(),
        written,
        map: PositionMap::identity(),
        lines_before: 0,
        found: OnceCell::new(),
    };
    let session = Session::of(ctx);
    session.modules.borrow_mut().add(source, Vec::new());
    let prototype = &session.intrinsics().syntax_error;
    let thrown = throw_without_stack(ctx, prototype, &fault.message);
    let error = ctx.catch();
    if let Some(object) = error.as_object() {
        // Without it, nothing is lost but the place.
        let _ = object.set("stack", format!("    at {name}:{line}:{column}\n"));
    }
    ctx.throw(error);
    thrown
}

/// A module whose exports are values.
fn made_of<'js>(
    ctx: &Ctx<'js>,
    name: &str,
    exports: Vec<(String, Value<'js>)>,
) -> Result<Module<'js, Declared>> {
    let constants: Vec<_> = (0..exports.len()).map(|at| format!("e{at}")).collect();
    let pairs = exports
        .iter()
        .zip(&constants)
        .map(|((name, _), constant)| format!("{constant} as {}", quoted(name)));
    let text = format!(
        "const [{}]=import.meta.exports;export{{{}}};",
        constants.join(","),
        pairs.collect::<Vec<_>>().join(",")
    );
    let module = Module::declare(ctx.clone(), name, text)?;
    let values: Vec<_> = exports.into_iter().map(|(_, value)| value).collect();
    module.meta()?.set("exports", values)?;
    Ok(module)
}

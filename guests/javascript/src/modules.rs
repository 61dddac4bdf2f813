//! Modules: those of the program, and those that stand for servers and their tools in scripts
//! written for files.

mod loader;
mod missing;
mod node;
mod paths;
mod server;

use std::cell::OnceCell;
use std::rc::Rc;

use oxc_allocator::Allocator;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Module, Result, Value};
use rustc_hash::FxHashMap;

use crate::bindings::exports::ampoule::guest::script::Module as Given;
use crate::engine::throw_without_stack;
use crate::packages::{self, RequestKind};
use crate::session::Session;
use crate::source::{self, Fault, Import, Origin, PositionMap, Role, Wanted, quoted};
use crate::thrown::Found;

pub(crate) use loader::ModuleLoader;
use missing::not_found;
pub(crate) use node::{module as node_module, object as node_object};
pub(crate) use paths::clean as clean_path;
pub(crate) use server::{Target, is_own_name};

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
    if packages::meant(ctx, specifier, RequestKind::Import).is_some() {
        return Origin::Other;
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
        None if packages::meant(ctx, specifier, RequestKind::Import).is_some() => None,
        None => modules.target(specifier),
    }
}

/// Whether a module of the grant has what is wanted of it.
pub(crate) fn has(ctx: &Ctx<'_>, specifier: &str, wanted: &Wanted) -> bool {
    if let Some(meant) = packages::meant(ctx, specifier, RequestKind::Import) {
        return meant.is_ok();
    }
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
            match packages::meant(ctx, &import.specifier, RequestKind::Import) {
                Some(Ok(_)) => continue,
                Some(Err(why)) => return Err(fault(why)),
                None => modules.target(&import.specifier),
            }
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
    let is_own = {
        let modules = session.modules.borrow();
        let main = modules.sources.first();
        let main = main.map_or("", |main| main.name.as_str());
        modules.find(main, specifier).is_some()
    };
    // Code of the package runs, and may import in turn: nothing is borrowed meanwhile.
    if !is_own && let Some(required) = packages::required(ctx, specifier) {
        return required;
    }
    let target = session.modules.borrow_mut().target(specifier);
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
pub(crate) fn made_of<'js>(
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

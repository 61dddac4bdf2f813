//! What QuickJS asks to find and load modules.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, IntoJs, Module, Result, TypedArray};

use super::{made_of, not_found, source_module};
use crate::bindings::exports::ampoule::guest::script::Content;
use crate::engine::throw_without_stack;
use crate::json;
use crate::packages::{self, RequestKind, Resolution};
use crate::session::Session;
use crate::source::Wanted;

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
        if packages::owns(base) {
            return Ok(match packages::imported(ctx, base, name)? {
                Resolution::File(path) => path,
                Resolution::Node(module) => format!("node:{module}{VIEW}{base}"),
            });
        }
        let session = Session::of(ctx);
        if let Some(module) = session.modules.borrow().find(base, name) {
            return Ok(module.name.clone());
        }
        let target = {
            match packages::meant(ctx, name, RequestKind::Import) {
                Some(Ok(path)) => {
                    // What a session's program imports becomes constants, from all that is there.
                    let modules = session.modules.borrow();
                    let is_constants =
                        session.lasting.borrow().is_some() && modules.given(base).is_none();
                    let wanted = match is_constants {
                        true => Wanted::All,
                        false => modules.wanted(base, name),
                    };
                    drop(modules);
                    return Ok(packages::imported_by_script(ctx, path, wanted));
                }
                Some(Err(why)) => {
                    let error = &session.intrinsics().error;
                    return Err(throw_without_stack(ctx, error, &why));
                }
                None => {}
            }
            let mut modules = session.modules.borrow_mut();
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
        if packages::owns(name) {
            return packages::load(ctx, name);
        }
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

//! npm packages that the operator added.
//!
//! A run of its own takes their tarballs in: it unpacks them and imports their modules, and other runs
//! begin with the memory that is left then. So text of packages is read in an isolate alone.
//!
//! - `tarball`: the files of a package, out of its archive
//! - `files`: the files that are kept, and what each package says of itself
//! - `resolve`: which file a specifier means, by Node's rules; `exports`: what `exports` and `imports`
//!   of a package.json say
//! - `load`: files as modules: ES modules, CommonJS, JSON
//! - `take_in`: the run that takes packages in, and what it leaves

mod exports;
mod files;
mod load;
mod resolve;
mod take_in;
mod tarball;

use std::rc::Rc;

use rquickjs::{Ctx, Result, Value};

use crate::engine::throw_without_stack;
use crate::session::Session;
use crate::source::Wanted;

pub(crate) use files::Packages;
pub(crate) use load::{CommonForm, load};
pub(crate) use resolve::{RequestKind, Resolution};
pub(crate) use take_in::{PROGRAM, settle, take_in};

/// Where the files of packages seem to be: what the names of their modules begin with.
pub(crate) const ROOT: &str = "/packages/";

/// Whether a module is a package's.
pub(crate) fn owns(module: &str) -> bool {
    module.starts_with(ROOT)
}

/// The name of the package that a specifier may mean: that of a package alone, or of something in it.
pub(crate) fn name_in(specifier: &str) -> Option<&str> {
    let (name, _) = resolve::split(specifier)?;
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"-._@/".contains(&byte);
    let is_whole = specifier.starts_with('@') || name == specifier;
    (is_whole && !specifier.starts_with('.') && name.bytes().all(is_sign)).then_some(name)
}

fn there(ctx: &Ctx<'_>) -> Option<Rc<Packages>> {
    Session::of(ctx).packages.get().cloned()
}

/// What a specifier of a script means, if it names a package: a module, or why there is none.
pub(crate) fn meant(
    ctx: &Ctx<'_>,
    specifier: &str,
    kind: RequestKind,
) -> Option<std::result::Result<String, String>> {
    let packages = there(ctx)?;
    if !packages.has(specifier) {
        return None;
    }
    Some(match packages.find(None, specifier, kind) {
        Ok(Resolution::File(path)) => Ok(path),
        Ok(Resolution::Node(_)) => Err(format!("\"{specifier}\" is not a package.")),
        Err(why) => Err(why),
    })
}

/// The module that a package's module has for what it imports.
///
/// # Errors
///
/// The module is missing.
pub(crate) fn imported(ctx: &Ctx<'_>, importer: &str, specifier: &str) -> Result<Resolution> {
    if specifier == load::PROCESS {
        return Ok(Resolution::File(specifier.to_owned()));
    }
    let found = found(ctx, importer, specifier, RequestKind::Import)?;
    Ok(match found {
        Resolution::File(path) => {
            let wanted = || load::wanted(ctx, importer, specifier);
            Resolution::File(load::module_name(ctx, path, wanted))
        }
        node @ Resolution::Node(_) => node,
    })
}

/// The module that a script has for a file of a package, of which it wants something.
pub(crate) fn imported_by_script(ctx: &Ctx<'_>, path: String, wanted: Wanted) -> String {
    load::module_name(ctx, path, || wanted)
}

fn found(ctx: &Ctx<'_>, importer: &str, specifier: &str, kind: RequestKind) -> Result<Resolution> {
    let found = match there(ctx) {
        Some(packages) => packages.find(Some(importer), specifier, kind),
        None => Err(format!("There is no module \"{specifier}\".")),
    };
    found.map_err(|why| {
        let session = Session::of(ctx);
        throw_without_stack(ctx, &session.intrinsics().error, &why)
    })
}

/// What `require` gives a script, if the specifier names a package.
pub(crate) fn required<'js>(ctx: &Ctx<'js>, specifier: &str) -> Option<Result<Value<'js>>> {
    let meant = meant(ctx, specifier, RequestKind::Require)?;
    Some(match meant {
        Ok(path) => load::require(ctx, &path),
        Err(why) => {
            let session = Session::of(ctx);
            let error = &session.intrinsics().error;
            Err(throw_without_stack(ctx, error, &why))
        }
    })
}

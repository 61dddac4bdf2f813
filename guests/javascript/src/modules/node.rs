//! Modules of Node's that scripts import out of habit: those that the prelude has.

use rquickjs::{Ctx, Object, Result, Value};

use crate::host;
use crate::session::Session;
use crate::source::Wanted;

/// The modules, and whether each is of use to a run that has files alone.
const MODULES: [(&str, bool); 8] = [
    ("fs", true),
    ("fs/promises", true),
    ("path", false),
    ("path/posix", false),
    ("buffer", false),
    ("readline", true),
    ("readline/promises", true),
    ("os", true),
];

/// The module that is meant, by its name without `node:`; none if there is none of that name, or
/// the run has no use for it. A server of the same name is meant instead, but for `node:` before it.
pub(crate) fn module(specifier: &str) -> Option<&'static str> {
    let plain = specifier.strip_prefix("node:");
    let name = plain.unwrap_or(specifier);
    let (name, of_files) = MODULES.into_iter().find(|(module, _)| *module == name)?;
    let is_server = plain.is_none() && host::tools::server_name(name).is_ok();
    (!is_server && (!of_files || host::files_granted().is_none())).then_some(name)
}

/// Whether it is the name of a module, whatever the run has a use for.
pub(super) fn is_name(name: &str) -> bool {
    MODULES.iter().any(|(module, _)| *module == name)
}

/// What a module has.
pub(crate) fn object<'js>(ctx: &Ctx<'js>, module: &str) -> Result<Object<'js>> {
    let session = Session::of(ctx);
    let modules = session.node.get();
    let modules = modules.expect("the prelude is installed before a script runs");
    modules.get(module)
}

/// What a module has by a name.
pub(super) fn exported<'js>(ctx: &Ctx<'js>, module: &str, name: &str) -> Result<Value<'js>> {
    object(ctx, module)?.get(name)
}

/// Whether a module has a name.
pub(super) fn has(ctx: &Ctx<'_>, module: &str, name: &str) -> bool {
    let object = object(ctx, module);
    name == "default" || object.is_ok_and(|object| object.contains_key(name).unwrap_or(false))
}

/// What an importer wants of a module.
pub(super) fn exports<'js>(
    ctx: &Ctx<'js>,
    module: &str,
    wanted: &Wanted,
) -> Result<Vec<(String, Value<'js>)>> {
    let object = object(ctx, module)?;
    let names = match wanted {
        Wanted::Names(names) => names.clone(),
        Wanted::All | Wanted::Later => {
            let mut names = object.keys().collect::<Result<Vec<String>>>()?;
            names.push("default".to_owned());
            names
        }
    };
    let mut exports: Vec<(String, Value<'js>)> = Vec::new();
    for name in names {
        if exports.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let value = match name.as_str() {
            "default" => object.clone().into_value(),
            name => object.get(name)?,
        };
        exports.push((name, value));
    }
    Ok(exports)
}

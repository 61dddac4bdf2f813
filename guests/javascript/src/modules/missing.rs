//! What is said of a module that does not exist.

use rquickjs::Ctx;

use super::server;
use crate::packages;
use crate::session::Session;
use crate::web::absent;

/// The message for a module that does not exist.
pub(super) fn not_found(ctx: &Ctx<'_>, specifier: &str) -> String {
    let add = packages::name_in(specifier).filter(|name| absent::can_be_added(name));
    let add = add.map_or_else(String::new, |name| {
        format!(" The operator can add packages of npm: `ampoule javascript add {name}`.")
    });
    if let Some(advice) = absent::module_advice(specifier) {
        return format!("There is no module \"{specifier}\". {advice}{add}");
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
    let mut advice = server::advice(specifier);
    if !add.is_empty() && !advice.is_empty() && !advice.ends_with(['.', '?']) {
        advice.push('.');
    }
    format!("There is no module \"{specifier}\".{own} {advice}{add}")
}

//! The run that takes packages in, and what it leaves.
//!
//! It is a program by the name of [`PROGRAM`], whose modules are tarballs, each by its package's
//! name and version. It returns what could not be imported, or which package is refused, and why.

use std::rc::Rc;

use oxc_allocator::Allocator;
use rquickjs::object::Property;
use rquickjs::{Ctx, Result, Value};
use serde_json::json;

use super::files::Packages;
use super::tarball::Room;
use crate::bindings::exports::ampoule::guest::script::{Content, Module as Given, Progress};
use crate::modules::node_object;
use crate::realm::Realm;
use crate::session::Session;
use crate::{engine, event_loop, exit, shown};

/// The name of the program that takes packages in.
pub(crate) const PROGRAM: &str = "ampoule:packages";
const SOURCE: &str = include_str!("../../prelude/packages.js");

#[cfg(target_family = "wasm")]
thread_local! {
    /// What runs allocate from: packages have taken what was kept for that before.
    static ASIDE: std::cell::Cell<Option<crate::allocator::Aside>> = const { std::cell::Cell::new(None) };
}

/// Unpacks packages, and gives the source of the program that imports them.
///
/// # Errors
///
/// The result of the run: which package is refused, and why.
pub(crate) fn take_in(
    ctx: &Ctx<'_>,
    given: Vec<Given>,
) -> std::result::Result<String, Option<String>> {
    Session::of(ctx).takes_packages_in.set(true);
    #[cfg(target_family = "wasm")]
    ASIDE.set(Some(crate::allocator::set_aside()));
    let (mut packages, mut room) = (Packages::default(), Room::default());
    for module in given {
        let Content::Bytes(tarball) = module.content else {
            return Err(None);
        };
        if let Err(why) = packages.add(&module.name, &tarball, &mut room) {
            let (name, _) = module.name.rsplit_once('@').unwrap_or_default();
            return Err(Some(json!({"refused": name, "why": why}).to_string()));
        }
    }
    let names = packages.names.iter();
    let beforehand = names.map(|name| {
        let of = packages.beforehand(name);
        json!([name, of.specifiers, of.is_all])
    });
    let beforehand: Vec<_> = beforehand.collect();
    // Set once: a realm takes packages in once.
    let _ = Session::of(ctx).packages.set(Rc::new(packages));
    if define_buffer(ctx).is_err() {
        ctx.catch();
    }
    let beforehand = serde_json::Value::from(beforehand);
    Ok(format!("const packages = {beforehand};\n{SOURCE}"))
}

/// Many packages find `Buffer` as a global.
fn define_buffer(ctx: &Ctx<'_>) -> Result<()> {
    let buffer: Value<'_> = node_object(ctx, "buffer")?.get("Buffer")?;
    let buffer = Property::from(buffer).writable().configurable();
    ctx.globals().prop("Buffer", buffer)
}

/// Leaves nothing of the program that took packages in but what they are, once it has ended.
pub(crate) fn settle(realm: &mut Realm, progress: &Progress) {
    let takes_in = (realm.context).with(|ctx| Session::of(&ctx).takes_packages_in.get());
    if !takes_in || !matches!(progress, Progress::Ended(_)) {
        return;
    }
    realm.allocator = Allocator::default();
    realm.context.with(|ctx| {
        engine::update_stack(&ctx);
        let session = Session::of(&ctx);
        exit::begin();
        while !exit::is_over() && event_loop::run_jobs(&ctx).is_err() {
            ctx.catch();
        }
        crate::web::timers::forget(&ctx);
        crate::web::files::forget();
        session.calls.take();
        session.rejections.borrow_mut().take();
        session.answers.take();
        session.awaited.take();
        shown::forget(&ctx);
        engine::forget_jobs(&ctx);
        exit::begin();
        session.modules.take();
        session.random.set(None);
        session.surveys.take();
        session.takes_packages_in.set(false);
    });
    realm.collect();
    #[cfg(target_family = "wasm")]
    if let Some(aside) = ASIDE.take() {
        realm.context.with(|ctx| aside.leave(&ctx));
    }
}

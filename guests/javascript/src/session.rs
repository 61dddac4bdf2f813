//! What one run knows: kept beside QuickJS's runtime, so that its callbacks reach it.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use rquickjs::runtime::UserDataGuard;
use rquickjs::{Ctx, JsLifetime, Object, Value};
use rustc_hash::FxHashMap;

use crate::answers::Answers;
use crate::event_loop::{Calls, Rejections};
use crate::intrinsics::Intrinsics;
use crate::lasting::{Generator, Lasting, Prelude};
use crate::modules::Modules;
use crate::packages::{CommonForm, Packages};
use crate::program::Awaited;
use crate::source::ModuleSurvey;
use crate::temporal::Prototypes;
use crate::tools::Tools;
use crate::unawaited::Unawaited;

/// The state of a run.
#[derive(Default)]
pub(crate) struct Session<'js> {
    pub(crate) awaited: RefCell<Option<Awaited<'js>>>,
    pub(crate) calls: RefCell<Calls<'js>>,
    pub(crate) rejections: RefCell<Rejections<'js>>,
    pub(crate) modules: RefCell<Modules>,
    pub(crate) tools: RefCell<Option<Tools<'js>>>,
    pub(crate) intrinsics: OnceCell<Intrinsics<'js>>,
    pub(crate) answers: RefCell<Answers<'js>>,
    /// Node's modules, by their names.
    pub(crate) node: OnceCell<Object<'js>>,
    /// npm packages, if there are any.
    pub(crate) packages: OnceCell<Rc<Packages>>,
    /// Whether the program that runs takes packages in.
    pub(crate) takes_packages_in: Cell<bool>,
    /// What was required of packages: the objects `module`, by their files.
    pub(crate) required: RefCell<FxHashMap<String, Object<'js>>>,
    /// What is known of files that are CommonJS, or may be.
    pub(crate) common: RefCell<FxHashMap<String, CommonForm<'js>>>,
    /// What ES modules of packages import and use, as far as it was asked.
    pub(crate) surveys: RefCell<FxHashMap<String, Rc<ModuleSurvey>>>,
    /// What packages have as `process`, once one has asked.
    pub(crate) process: OnceCell<Object<'js>>,
    pub(crate) unawaited: OnceCell<Unawaited<'js>>,
    /// What objects of `Temporal` are made with.
    pub(crate) temporal: OnceCell<Prototypes<'js>>,
    /// Content blocks that the program made, if it may mean to show them.
    pub(crate) shown: RefCell<Option<Vec<Value<'js>>>>,
    pub(crate) random: Generator,
    /// Whether the program has the global `strings`.
    pub(crate) has_strings: Cell<bool>,
    /// What the programs of a session have in common, if this is one.
    pub(crate) lasting: RefCell<Option<Lasting>>,
    pub(crate) lasting_prelude: OnceCell<Prelude<'js>>,
}

// SAFETY: The type is the same but for the lifetime of the values in it, which this replaces.
unsafe impl<'js> JsLifetime<'js> for Session<'js> {
    type Changed<'to> = Session<'to>;
}

impl<'js> Session<'js> {
    /// Puts an empty session beside the runtime.
    pub(crate) fn install(ctx: &Ctx<'js>) {
        // Fails only while the one before is borrowed, and there was none.
        let _ = ctx.store_userdata(Self::default());
    }

    /// The session of the context's runtime.
    pub(crate) fn of<'a>(ctx: &'a Ctx<'js>) -> UserDataGuard<'a, Self> {
        ctx.userdata()
            .expect("Realm::new puts a session beside each runtime")
    }

    /// What no script has changed.
    pub(crate) fn intrinsics(&self) -> &Intrinsics<'js> {
        self.intrinsics
            .get()
            .expect("Realm::new installs them before any script runs")
    }

    /// What promises have that nobody awaited.
    pub(crate) fn unawaited(&self) -> &Unawaited<'js> {
        self.unawaited
            .get()
            .expect("Realm::new installs it before any script runs")
    }
}

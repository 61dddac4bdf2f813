//! The component's exports, and its initialisation before the snapshot.

use std::cell::RefCell;

use crate::bindings::exports::ampoule::guest::script::{Completion, Guest, Program, Progress};
use crate::bindings::exports::ampoule::guest::session::{Guest as Lasting, Left};
use crate::realm::Realm;
use crate::{allocator, bindings, host, lasting, program};

thread_local! {
    static REALM: RefCell<Option<Realm>> = const { RefCell::new(None) };
}

struct JavaScript;

impl Guest for JavaScript {
    fn start(program: Program) -> Progress {
        in_realm(|realm| program::start(realm, program))
    }

    fn step(ended: Vec<Completion>) -> Progress {
        in_realm(|realm| program::step(realm, ended))
    }
}

impl Lasting for JavaScript {
    fn begin(name: String, back: u32) {
        in_realm(|realm| lasting::begin(realm, name, back));
    }

    fn leave() -> Left {
        in_realm(lasting::leave)
    }
}

fn in_realm<T>(go_on: impl FnOnce(&mut Realm) -> T) -> T {
    REALM.with_borrow_mut(|realm| go_on(realm.as_mut().expect("the snapshot holds a realm")))
}

bindings::export!(JavaScript with_types_in bindings);

/// Builds the realm. Called once, when the guest is built, and gone from the component.
#[unsafe(export_name = "wizer-initialize")]
extern "C" fn initialize() {
    let aside = allocator::set_aside();
    let realm = Realm::new().expect("the prelude runs");
    realm.context().with(|ctx| aside.leave(&ctx));
    REALM.set(Some(realm));
}

/// QuickJS's clock: microseconds since 1970. While the realm is built, QuickJS looks at it too, to
/// seed the generator that [`crate::random`] replaces; time stands still then.
#[unsafe(no_mangle)]
extern "C" fn __rquickjs_host_now_us() -> f64 {
    let built = REALM.with(|realm| realm.try_borrow().map_or(true, |realm| realm.is_some()));
    if built {
        (host::now_ns() / 1_000) as f64
    } else {
        0.0
    }
}

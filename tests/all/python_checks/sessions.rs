//! Scripts of a session: what an earlier one left may be what a name stands for.

use ampoule::{Ending, Grant, Isolate, Runtime, Script, SessionLimits};
use ampoule_tests::runtime_builder;
use tempfile::TempDir;

use super::NOTHING_CALLED;
use super::shop::Shop;

/// What an earlier script leaves, and a later one, in which nothing is proved then.
const RIGHT: [[&str; 2]; 13] = [
    [
        "limit = 5",
        "if len('a') > 2:\n    limit = 'many'\nawait shop.list_orders(limit=limit)",
    ],
    [
        "class shop:\n    @staticmethod\n    async def nothing(): return 1",
        "await shop.nothing()",
    ],
    [
        "def fix():\n    global limit\n    limit = 5",
        "limit = 'many'\nfix()\nawait shop.list_orders(limit=limit)",
    ],
    [
        "class Fix:\n    def __init__(self):\n        global limit\n        limit = 5",
        "limit = 'many'\nFix()\nawait shop.list_orders(limit=limit)",
    ],
    [
        "def mark(orders): orders['mark'] = 1",
        "orders = await shop.list_orders()\nmark(orders)\norders['mark']",
    ],
    [
        "async def safe(load):\n    try:\n        return await load()\n    except ToolError:\n        return None",
        "async def load():\n    return await shop.get_order()\n\nawait safe(load)",
    ],
    [
        "def need(found):\n    if not found: raise SystemExit",
        "orders = await shop.list_orders()\nneed('note' in orders)\nprint(orders['note'])\nawait shop.nothing()",
    ],
    [
        "from sys import exit as leave",
        "orders = await shop.list_orders()\nif 'note' not in orders: leave()\nprint(orders['note'])",
    ],
    [
        "def fix(): options['limit'] = 5",
        "options = {'limit': 'many'}\nfix()\nawait shop.list_orders(**options)",
    ],
    [
        "def mark(): orders['mark'] = 1",
        "orders = await shop.list_orders()\nmark()\norders['mark']",
    ],
    [
        "def fix(): options['limit'] = 5\n\nhooks = {'fix': fix}",
        "options = {'limit': 'many'}\nhooks['fix']()\nawait shop.list_orders(**options)",
    ],
    [
        "def print(order): order['note'] = 1",
        "order = await shop.get_order(id='a')\nprint(order)\norder['note']",
    ],
    [
        "import builtins\ndef mark(order): order['note'] = 1\nbuiltins.print = mark",
        "order = await shop.get_order(id='a')\nprint(order)\norder['note']",
    ],
];

/// The same, where a later one has a mistake.
const WRONG: [[&str; 2]; 5] = [
    ["a = 1", "await shop.list_orders(limits=5)"],
    [
        "await shop.list_orders()",
        "orders = await shop.list_orders()\norders['totals']",
    ],
    ["from servers import shop", "await shop.nothing()"],
    [
        "orders = await shop.list_orders()",
        "await shop.get_order(number=orders['items'][0]['id'])",
    ],
    [
        "def add(a, b): return a + b",
        "await shop.list_orders(limits=5)",
    ],
];

struct Sessions {
    runtime: Runtime,
    _folder: TempDir,
}

impl Sessions {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = folder.path().join("sessions");
        let builder = runtime_builder().sessions(sessions, SessionLimits::default());
        Self {
            runtime: builder.build().expect("a runtime"),
            _folder: folder,
        }
    }

    fn isolate(&self, name: &str, source: &str, shop: &Shop) -> Isolate {
        let isolate = self.runtime.isolate(Script::python(source));
        isolate
            .grant(Grant::all())
            .session(name)
            .binding(shop.stub())
    }

    /// How the later of two scripts ends.
    async fn ending(&self, name: &str, [earlier, later]: [&str; 2]) -> Ending {
        let shop = Shop::default();
        let earlier = self.isolate(name, earlier, &shop).run().await;
        let earlier = earlier.expect("no host fault");
        assert!(
            matches!(earlier.ending, Ending::Returned(_)),
            "{:?}",
            earlier.ending
        );
        let later = self.isolate(name, later, &shop).run().await;
        later.expect("no host fault").ending
    }
}

#[tokio::test]
async fn what_earlier_scripts_left_proves_nothing() {
    let sessions = Sessions::new();
    for (number, scripts) in RIGHT.into_iter().enumerate() {
        let ending = sessions.ending(&format!("right-{number}"), scripts).await;
        assert!(
            matches!(ending, Ending::Returned(_)),
            "{scripts:?}: {ending:?}"
        );
    }
}

#[tokio::test]
async fn later_scripts_are_checked_as_first_ones() {
    let sessions = Sessions::new();
    for (number, scripts) in WRONG.into_iter().enumerate() {
        let ending = sessions.ending(&format!("wrong-{number}"), scripts).await;
        let is_told =
            matches!(&ending, Ending::Threw(thrown) if thrown.message.contains(NOTHING_CALLED));
        assert!(is_told, "{scripts:?}: {ending:?}");
    }
}

//! Programs of several modules: what a module does is not in the script that is checked.

use ampoule::{Ending, Grant, Module, Script};

use super::shop::Shop;
use super::{NOTHING_CALLED, runtime};

/// A module, `helper`, and scripts that use it, in which nothing is proved then.
const RIGHT: [[&str; 2]; 3] = [
    [
        "def need(found):\n    if not found: raise SystemExit",
        "from helper import need\norders = await shop.list_orders()\nneed('note' in orders)\nprint(orders['note'])",
    ],
    [
        "import sys\ndef fix(): sys.modules['__main__'].limit = 5",
        "import helper\nlimit = 'many'\nhelper.fix()\nawait shop.list_orders(limit=limit)",
    ],
    [
        "async def safe(*calls):\n    for call in calls:\n        try: await call\n        except ToolError: pass\n\nimport asyncio\nasyncio.gather = safe",
        "import helper, asyncio\nawait asyncio.gather(shop.get_order(number=1))",
    ],
];

/// One that does not use it, and has a mistake.
const WRONG: [&str; 2] = ["limit = 5", "await shop.list_orders(limits=5)"];

async fn ending([helper, script]: [&str; 2]) -> Ending {
    let helper = Module::Source(helper.to_owned());
    let script = Script::python(script).module("helper.py", helper);
    let isolate = runtime().isolate(script).grant(Grant::all());
    let outcome = isolate.binding(Shop::default().stub()).run().await;
    outcome.expect("no host fault").ending
}

#[tokio::test]
async fn what_modules_do_proves_nothing() {
    for program in RIGHT {
        let ending = ending(program).await;
        assert!(
            matches!(ending, Ending::Returned(_)),
            "{program:?}: {ending:?}"
        );
    }
}

#[tokio::test]
async fn a_script_that_uses_no_module_is_checked() {
    let ending = ending(WRONG).await;
    let is_told =
        matches!(&ending, Ending::Threw(thrown) if thrown.message.contains(NOTHING_CALLED));
    assert!(is_told, "{ending:?}");
}

//! With the real guest, which takes a quarter of an hour to build. So these are asked for by name:
//! `AMPOULE_TEST_PYTHON_DATA=FILE cargo nextest run -p ampoule-tests --run-ignored only data::real`,
//! with the file that `cargo xtask python-data` makes.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ampoule::{
    DataGuest, Functions, Grant, Keep, RecordOptions, Runtime, Script, SessionLimits, Tool,
};
use ampoule_tests::runtime_builder;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(super) fn guest() -> DataGuest {
    let file = std::env::var_os("AMPOULE_TEST_PYTHON_DATA");
    let file = PathBuf::from(file.expect("AMPOULE_TEST_PYTHON_DATA names the guest's file"));
    DataGuest::open(&file).expect("the guest")
}

struct Place {
    runtime: Runtime,
    /// What the tool `sheet.keep` was given.
    kept: Arc<Mutex<Vec<Value>>>,
    _folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Arc::default();
        let mut options = RecordOptions::default();
        options.keep = Keep::All;
        let runtime = runtime_builder()
            .python_data(guest())
            .binding(sheet(&kept))
            .sessions(folder.path().join("sessions"), SessionLimits::default())
            .records(folder.path().join("records"), options)
            .build()
            .expect("a runtime");
        Self {
            runtime,
            kept,
            _folder: folder,
        }
    }

    async fn value(&self, source: &str) -> Value {
        let isolate = self.runtime.isolate(Script::python(source));
        let outcome = isolate.grant(Grant::all()).run().await.expect("it runs");
        outcome
            .value()
            .unwrap_or_else(|error| panic!("{error}: {}", outcome.ending))
    }
}

/// A server with rows, and a tool that keeps what it is given.
fn sheet(kept: &Arc<Mutex<Vec<Value>>>) -> Functions {
    let tool = |name: &str| -> Tool {
        let about = json!({ "name": name, "inputSchema": { "type": "object" } });
        serde_json::from_value(about).expect("a tool")
    };
    let kept = Arc::clone(kept);
    let rows = Arc::new(AtomicUsize::new(0));
    Functions::new("sheet")
        .raw(tool("rows"), move |_, _| {
            rows.fetch_add(1, Ordering::Relaxed);
            let rows = json!([
                { "city": "Rome", "sold": 3, "price": 1.5 },
                { "city": "Oslo", "sold": 4, "price": null },
                { "city": "Rome", "sold": 5, "price": 2.25 },
            ]);
            Box::pin(async move { Ok(ampoule_tests::binding::returned(rows.to_string())) })
        })
        .raw(tool("keep"), move |arguments, _| {
            kept.lock()
                .expect("no panic")
                .push(Value::Object(arguments));
            Box::pin(async move { Ok(ampoule_tests::binding::returned("null".to_owned())) })
        })
}

const NEEDS: &str = "it needs the guest with numpy and pandas: AMPOULE_TEST_PYTHON_DATA";

#[tokio::test]
#[ignore = "it needs the guest with numpy and pandas: AMPOULE_TEST_PYTHON_DATA"]
async fn answers_of_tools_become_tables_and_tables_become_values() {
    let place = Place::new();
    for (source, expected) in [
        (
            "import pandas as pd\nrows = await tools.sheet.rows()\nframe = pd.DataFrame(rows)\nreturn frame.groupby('city')['sold'].sum()",
            json!({ "Oslo": 4, "Rome": 8 }),
        ),
        (
            "import pandas as pd\nreturn pd.DataFrame(await tools.sheet.rows())",
            json!([
                { "city": "Rome", "sold": 3, "price": 1.5 },
                { "city": "Oslo", "sold": 4, "price": null },
                { "city": "Rome", "sold": 5, "price": 2.25 },
            ]),
        ),
        (
            "import numpy as np\nreturn {'a': np.int64(7), 'b': np.arange(3), 'c': np.float32(0.5), 'd': np.bool_(True), 'e': np.nan}",
            json!({ "a": 7, "b": [0, 1, 2], "c": 0.5, "d": true, "e": null }),
        ),
        (
            "import numpy as np\nm = np.ma.array([1.5, 2], mask=[0, 1])\nreturn [m, m[1], m[1:].mean(), np.ma.array(3)]",
            json!([[1.5, null], null, null, 3]),
        ),
        (
            "import pandas as pd\nreturn [pd.Timestamp('2026-01-31 10:00'), pd.NaT, pd.NA, pd.Timedelta(days=1)]",
            json!(["2026-01-31T10:00:00", null, null, "1 days 00:00:00"]),
        ),
    ] {
        assert_eq!(place.value(source).await, expected, "{source}");
    }
}

#[tokio::test]
#[ignore = "it needs the guest with numpy and pandas: AMPOULE_TEST_PYTHON_DATA"]
async fn numbers_and_tables_are_arguments_of_tools() {
    let place = Place::new();
    let source = "
import numpy as np, pandas as pd
frame = pd.DataFrame({'a': [1, 2], 'b': [0.5, None]})
await tools.sheet.keep(count=np.int64(2), mean=frame['a'].mean(), rows=frame, list=frame['a'], when=pd.Timestamp('2026-01-31'))
return None";
    place.value(source).await;
    let expected = json!({
        "count": 2,
        "mean": 1.5,
        "rows": [{ "a": 1, "b": 0.5 }, { "a": 2, "b": null }],
        "list": [1, 2],
        "when": "2026-01-31T00:00:00",
    });
    assert_eq!(place.kept.lock().expect("no panic").pop(), Some(expected));
}

#[tokio::test]
#[ignore = "it needs the guest with numpy and pandas: AMPOULE_TEST_PYTHON_DATA"]
async fn a_table_outlives_a_run_in_a_session_and_a_record_repeats_it() {
    let place = Place::new();
    let run = async |source: &str| {
        let isolate = place.runtime.isolate(Script::python(source));
        isolate.session("tables").run().await.expect("it runs")
    };
    run("import numpy as np, pandas as pd\nframe = pd.DataFrame({'a': np.arange(1000)})").await;
    let outcome = run("frame['b'] = frame['a'] * 2\nreturn int(frame['b'].sum())").await;
    assert_eq!(outcome.value::<u64>().expect(NEEDS), 999_000);

    let drawn = "import numpy as np\nreturn [float(np.random.rand()), float(np.random.default_rng().random())]";
    let outcome = place
        .runtime
        .isolate(Script::python(drawn))
        .run()
        .await
        .unwrap();
    let other = place
        .runtime
        .isolate(Script::python(drawn))
        .run()
        .await
        .unwrap();
    let value = |outcome: &ampoule::Outcome| outcome.value::<[f64; 2]>().expect(NEEDS);
    assert_ne!(value(&outcome)[0], value(&other)[0], "it is seeded anew");
    assert_ne!(value(&outcome)[1], value(&other)[1]);
    let id = outcome.record.expect("a record").to_string();
    let record = place.runtime.records(None).unwrap().record(&id).unwrap();
    let replayed = place.runtime.replay(record).run().await.unwrap();
    assert!(replayed.difference.is_none(), "{replayed:?}");
    assert_eq!(value(&replayed.outcome), value(&outcome));
}

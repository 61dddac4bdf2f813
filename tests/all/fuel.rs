//! The fuel of fixed scripts, held to a table: `tests/corpora/fuel.txt`. What makes runs dearer, or
//! cheaper, shows there. `BLESS=1` writes the table anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use ampoule::{Check, Ending, Grant, Language, Script};
use ampoule_tests::{repository, runtime};

/// By how much the fuel of a script may differ from the table's, in percent.
const TOLERANCE: u64 = 3;

/// What a script does, in TypeScript and in Python.
const SCRIPTS: [(&str, &str, &str); 20] = [
    ("nothing", "", ""),
    ("a number", "return 40 + 2", "return 40 + 2"),
    (
        "a loop",
        "let n = 0; for (let i = 0; i < 100_000; i++) n += i; return n",
        "n = 0\nfor i in range(100_000):\n    n += i\nreturn n",
    ),
    (
        "function calls",
        "const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); return f(18)",
        "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nreturn f(18)",
    ),
    (
        "objects",
        "const all = []; for (let i = 0; i < 5000; i++) all.push({ id: i, name: `n${i}` }); return all.length",
        "all = [{'id': i, 'name': f'n{i}'} for i in range(5000)]\nreturn len(all)",
    ),
    (
        "a sort",
        "return Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003).sort((a, b) => a - b)[17]",
        "return sorted((i * 7919) % 5003 for i in range(5000))[17]",
    ),
    (
        "a map",
        "const m = new Map(); for (let i = 0; i < 10_000; i++) m.set(i % 97, (m.get(i % 97) ?? 0) + i); return m.size",
        "m = {}\nfor i in range(10_000):\n    m[i % 97] = m.get(i % 97, 0) + i\nreturn len(m)",
    ),
    (
        "strings",
        "let s = ''; for (let i = 0; i < 5000; i++) s += i; return s.length",
        "s = ''\nfor i in range(5000):\n    s += str(i)\nreturn len(s)",
    ),
    (
        "splitting and joining",
        "return 'a,b,c,d'.repeat(2000).split(',').map((it) => it.toUpperCase()).join(';').length",
        "return len(';'.join(it.upper() for it in ('a,b,c,d' * 2000).split(',')))",
    ),
    (
        "a pattern",
        "return 'x1y22z333 '.repeat(500).match(/[a-z]\\d+/g).length",
        "import re\nreturn len(re.findall(r'[a-z]\\d+', 'x1y22z333 ' * 500))",
    ),
    (
        "JSON",
        "const text = JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i, s: 'text' }))); return JSON.parse(text).length",
        "import json\ntext = json.dumps([{'i': i, 's': 'text'} for i in range(1000)])\nreturn len(json.loads(text))",
    ),
    (
        "an error that is caught",
        "let n = 0; for (let i = 0; i < 500; i++) try { throw new Error('e') } catch { n++ } return n",
        "n = 0\nfor i in range(500):\n    try:\n        raise ValueError('e')\n    except ValueError:\n        n += 1\nreturn n",
    ),
    (
        "classes",
        "class A { constructor(n) { this.n = n } get twice() { return 2 * this.n } } let n = 0; for (let i = 0; i < 5000; i++) n += new A(i).twice; return n",
        "class A:\n    def __init__(self, n):\n        self.n = n\n    @property\n    def twice(self):\n        return 2 * self.n\nreturn sum(A(i).twice for i in range(5000))",
    ),
    (
        "generators",
        "function* g(n) { for (let i = 0; i < n; i++) yield i } let n = 0; for (const i of g(10_000)) n += i; return n",
        "def g(n):\n    for i in range(n):\n        yield i\nreturn sum(g(10_000))",
    ),
    (
        "dates",
        "let n = 0; for (let i = 0; i < 200; i++) n += new Date(2026, 0, i).toISOString().length; return n",
        "from datetime import date, timedelta\nreturn sum(len((date(2026, 1, 1) + timedelta(days=i)).isoformat()) for i in range(200))",
    ),
    (
        "large integers",
        "let n = 1n; for (let i = 1n; i < 300n; i++) n *= i; return n.toString().length",
        "n = 1\nfor i in range(1, 300):\n    n *= i\nreturn len(str(n))",
    ),
    (
        "output",
        "for (let i = 0; i < 200; i++) console.log('line', i)",
        "for i in range(200):\n    print('line', i)",
    ),
    (
        "calls, one after the other",
        "let n = 0; for (let i = 0; i < 50; i++) n += (await tools.testTools.add({ a: i, b: 1 })).sum; return n",
        "n = 0\nfor i in range(50):\n    n += (await tools.test_tools.add(a=i, b=1)).sum\nreturn n",
    ),
    (
        "calls at once",
        "const all = await Promise.all(Array.from({ length: 50 }, (_, i) => tools.testTools.add({ a: i, b: 1 }))); return all.length",
        "import asyncio\nall = await asyncio.gather(*(tools.test_tools.add(a=i, b=1) for i in range(50)))\nreturn len(all)",
    ),
    (
        "a large answer",
        "const text = await tools.testTools.text({ bytes: 200_000 }); return text.length",
        "text = await tools.test_tools.text(bytes=200_000)\nreturn len(text)",
    ),
];

fn table() -> PathBuf {
    repository().join("tests/corpora/fuel.txt")
}

async fn fuel(language: Language, source: &str, name: &str) -> u64 {
    let isolate = runtime().isolate(Script::new(language, source));
    let outcome = isolate.grant(Grant::all()).run().await.expect("no fault");
    let ended = outcome.ending.name();
    assert_eq!(ended, "returned", "{name}: {}", outcome.ending);
    outcome.usage.fuel
}

#[tokio::test]
async fn fixed_scripts_take_the_fuel_that_they_took() {
    let mut measured = BTreeMap::new();
    for (name, typescript, python) in SCRIPTS {
        for (language, source) in [
            (Language::TypeScript, typescript),
            (Language::Python, python),
        ] {
            let key = format!("{} {name}", language.name());
            let took = fuel(language, source, &key).await;
            measured.insert(key, took);
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let mut text = String::new();
        for (key, took) in &measured {
            writeln!(text, "{took:>12} {key}").expect("a string");
        }
        return std::fs::write(table(), text).expect("the table");
    }
    let text = std::fs::read_to_string(table()).expect("the table");
    let mut expected = BTreeMap::new();
    for line in text.lines() {
        let (took, key) = line.trim().split_once(' ').expect("a number and a name");
        expected.insert(key.to_owned(), took.parse::<u64>().expect("a number"));
    }
    let keys = |table: &BTreeMap<String, u64>| table.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&measured),
        keys(&expected),
        "BLESS=1 writes the table anew"
    );
    let differs = |key: &String, took: u64| {
        let was = expected[key];
        (was.abs_diff(took) * 100 > TOLERANCE * was)
            .then(|| format!("{key}: {took}, and was {was}"))
    };
    let differ: Vec<_> = measured
        .iter()
        .filter_map(|(key, took)| differs(key, *took))
        .collect();
    assert!(
        differ.is_empty(),
        "{}\nBLESS=1 takes what is said above as right",
        differ.join("\n")
    );
}

/// As most scripts are that make ten calls.
const TEN_CALLS: &str = "
interface Row { id: number; name: string; total: number }
const limit = 20;
const first = await tools.testTools.add({ a: 1, b: 2 });
const second = await tools.testTools.add({ a: first.sum, b: limit });
const rows: Row[] = [];
for (let id = 0; id < limit; id++) {
  rows.push({ id, name: `row ${id}`, total: id * second.sum });
}
const [third, fourth] = await Promise.all([
  tools.testTools.add({ a: 3, b: 4 }),
  tools.testTools.add({ a: second.sum, b: 5 }),
]);
const large = rows.filter((row) => row.total > third.sum).map((row) => row.name);
const echoed = await tools.testTools.echo({ value: { names: large, count: rows.length } });
const text = await tools.testTools.text({ bytes: 2_000 });
const byName = new Map(rows.map((row) => [row.name, row]));
const fifth = await tools.testTools.add({ a: byName.size, b: fourth.sum });
const sums = await Promise.all(rows.slice(0, 2).map((row) => tools.testTools.add({ a: row.total, b: 1 })));
try {
  await tools.testTools.fail({});
} catch (error) {
  console.log(String(error));
}
return { fifth: fifth.sum, words: text.split(' ').length, echoed, sums: sums.map((it) => it.sum) };
";

/// What a check takes, in percent of the script's fuel.
#[tokio::test]
async fn a_check_takes_little() {
    let runtime = runtime();
    let fuel = async |source: &str, check| {
        let isolate = runtime.isolate(Script::typescript(source).check(check));
        let outcome = isolate.grant(Grant::all()).run().await.expect("no fault");
        assert!(
            matches!(outcome.ending, Ending::Returned(Some(_))),
            "{}",
            outcome.ending
        );
        outcome.usage.fuel
    };
    for (source, percent) in [(TEN_CALLS, 5), ("return [1, 2].map((it) => it + 1)", 1)] {
        let (checked, unchecked) = (
            fuel(source, Check::First).await,
            fuel(source, Check::Off).await,
        );
        assert!(
            100 * checked <= (100 + percent) * unchecked,
            "{checked} of {unchecked}"
        );
    }
}

//! Random source: bytes, tokens, programs of a small grammar, and real scripts with something
//! changed.

use std::time::{Duration, Instant};

use ampoule::{Ending, Limits};
use ampoule_mutated::Random;
use ampoule_tests::{repository, run_limited};

use super::{Tried, check, from_environment, pick, try_all};

/// Pieces of both languages, whole and broken.
const TOKENS: [&str; 96] = [
    "const ",
    "let ",
    "var ",
    "function ",
    "function* ",
    "async ",
    "await ",
    "return ",
    "yield ",
    "class ",
    "extends ",
    "new ",
    "import ",
    "export ",
    "default ",
    "from ",
    "type ",
    "interface ",
    "enum ",
    "namespace ",
    "declare ",
    "abstract ",
    "readonly ",
    "private ",
    "satisfies ",
    "as ",
    "as const",
    "is ",
    "keyof ",
    "infer ",
    "typeof ",
    "void ",
    "delete ",
    "in ",
    "of ",
    "instanceof ",
    "if ",
    "else ",
    "for ",
    "while ",
    "do ",
    "switch ",
    "case ",
    "try ",
    "catch ",
    "finally ",
    "throw ",
    "break ",
    "with ",
    "this",
    "super",
    "null",
    "undefined",
    "x",
    "y",
    "Tools",
    "tools",
    "testTools",
    "codemode",
    "callMCPTool",
    "console.log",
    "Promise",
    "then",
    "\\u{61}",
    "#x",
    "@x ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "=>",
    "...",
    "?.",
    "??",
    "?",
    ":",
    ";",
    ",",
    ".",
    "=",
    "!",
    "+",
    "/",
    "*",
    "`",
    "${",
    "\"",
    "'",
    "\n",
    "0",
    "1n",
    "/x/g",
];

/// Texts that have broken parsers before.
const ODDITIES: [&str; 16] = [
    "\0",
    "\u{feff}",
    "\u{2028}",
    "\u{200d}",
    "\u{10ffff}",
    "\r",
    "```ts\n",
    "```",
    "<!--",
    "-->",
    "#!/x\n",
    "/*",
    "*/",
    "//",
    "\\",
    "\u{e9}",
];

fn bytes(random: &mut Random) -> String {
    let bytes: Vec<u8> = (0..random.below(200))
        .map(|_| random.draw().to_le_bytes()[0])
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tokens(random: &mut Random) -> String {
    (0..random.below(60))
        .map(|_| match random.below(20) {
            0 => pick(random, &ODDITIES),
            _ => pick(random, &TOKENS),
        })
        .collect()
}

/// A real script with some words exchanged, and sometimes a piece of it left out, doubled or
/// replaced.
fn mutated(random: &mut Random, scripts: &[String]) -> String {
    let script = &scripts[random.below(scripts.len())];
    let mut words: Vec<&str> = script
        .split_inclusive(|char: char| !char.is_alphanumeric())
        .collect();
    for _ in 0..=random.below(3) {
        let (from, to) = (random.below(words.len()), random.below(words.len()));
        match random.below(8) {
            0 => words[to] = pick(random, &TOKENS),
            1 => words[to] = pick(random, &ODDITIES),
            2 => drop(words.drain(to..(to + random.below(8)).min(words.len() - 1))),
            3 => words.extend_from_within(from..(from + random.below(200)).min(words.len())),
            _ => {
                // The same mark behind it, so that the script still has its shape.
                let same = |word: &&&str| word.chars().last() == words[to].chars().last();
                words[to] = words[from..].iter().find(same).unwrap_or(&"x");
            }
        }
    }
    words.concat()
}

/// An expression that the parser accepts, whatever it does.
fn expression(random: &mut Random, depth: usize) -> String {
    let leaves = [
        "0",
        "-1.5",
        "1n",
        "'a'",
        "`${1}`",
        "null",
        "undefined",
        "[]",
        "{}",
        "x",
        "y",
        "this",
        "/a+/g",
        "tools",
        "Symbol.iterator",
        "env",
    ];
    if depth == 0 {
        return match pick(random, &leaves) {
            "{}" => "({})".into(),
            leaf => leaf.into(),
        };
    }
    let mut inner = || expression(random, depth - 1);
    let (a, b) = (inner(), inner());
    let operators = [
        "+",
        "-",
        "*",
        "/",
        "%",
        "**",
        "<",
        "===",
        "in",
        "instanceof",
        "&&",
        "||",
        "??",
        ",",
        ">>>",
        "&",
    ];
    match random.below(16) {
        0..4 => format!("({a}) {} ({b})", pick(random, &operators)),
        4 => format!("[{a}, ...[{b}]]"),
        5 => format!("({{ a: {a}, [String({b})]: 1, get g() {{ return {b} }} }})"),
        6 => format!("((x: any, ...y: unknown[]): any => {a})({b})"),
        7 => format!("({a} as any)?.[{b}]"),
        8 => format!("await (async () => {a})()"),
        9 => format!("new (class<T> {{ constructor(private readonly x?: T) {{}} y = {a} }})({b})"),
        10 => format!("({a} satisfies unknown) ? {b} : x!"),
        11 => format!("structuredClone({a})"),
        12 => format!("await tools.testTools.echo({{ value: {a} }})"),
        13 => format!("JSON.stringify([{a}, {b}])"),
        14 => format!("await Promise.allSettled([{a}, {b}])"),
        _ => format!("String({a}).padEnd(9, String({b})).split('').map((x) => x.codePointAt(0))"),
    }
}

/// A few statements that the parser accepts.
fn statements(random: &mut Random, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(4) {
        let (deep, name) = (random.below(4), random.below(1000));
        let value = expression(random, deep);
        let body = if depth == 0 {
            String::new()
        } else {
            statements(random, depth - 1)
        };
        text += &match random.below(12) {
            0 => format!("for (let i = 0; i < 3; i++) {{ {body} }}\n"),
            1 => format!("try {{ {body} x = {value} }} catch (y) {{ console.log(y) }}\n"),
            2 => format!("if ({value}) {{ {body} }} else y = {value}\n"),
            3 => format!("switch ({value}) {{ case 1: {body} default: x = 2 }}\n"),
            4 => format!("setTimeout(async () => {{ {body} }}, {})\n", name % 5),
            5 => format!("interface I{name} {{ a?: string }}; enum E{name} {{ A, B = 'b' }}\n"),
            6 => format!("console.log({value}, [{value}])\n"),
            7 => format!("queueMicrotask(() => {{ x = ({value}) }})\n"),
            8 => format!("throw {value}\n"),
            _ => format!("x = ({value})\n"),
        };
    }
    text
}

fn program(random: &mut Random) -> String {
    let deep = random.below(4);
    let (body, last) = (statements(random, deep), expression(random, deep));
    format!("let x: any, y: any;\n{body}return ({last})")
}

/// The scripts that the project has.
fn real_scripts() -> Vec<String> {
    let folders = ["examples", "tests/corpora/web"];
    let files = folders.iter().flat_map(|folder| {
        std::fs::read_dir(repository().join(folder))
            .expect("a folder")
            .flatten()
    });
    let mut paths: Vec<_> = files
        .map(|file| file.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|kind| kind == "ts" || kind == "js")
        })
        .collect();
    paths.sort();
    assert!(paths.len() > 10, "{} scripts", paths.len());
    let read = |path| std::fs::read_to_string(path).expect("text");
    paths.into_iter().map(read).collect()
}

#[tokio::test]
async fn random_source_ends_as_it_must() {
    let limits = Limits {
        fuel: 50_000_000,
        wall_time: Duration::from_millis(300),
        memory_bytes: 32 << 20,
        ..Limits::default()
    };
    let scripts = real_scripts();
    let first = from_environment("AMPOULE_FUZZ_SEED", 0);
    let count = from_environment("AMPOULE_FUZZ_CASES", 5000);
    let one = |seed| {
        let scripts = &scripts;
        async move {
            let mut random = Random::new(seed);
            let source = match seed % 8 {
                0 => bytes(&mut random),
                1 => tokens(&mut random),
                2..5 => program(&mut random),
                _ => mutated(&mut random, scripts),
            };
            let started = Instant::now();
            let outcome = run_limited(&source, limits).await;
            let problem = check(&outcome, started.elapsed(), &limits).err();
            Tried {
                returned: matches!(outcome.ending, Ending::Returned(_)),
                problem: problem
                    .map(|problem| format!("AMPOULE_FUZZ_SEED={seed}: {problem}\n{source:.2000}")),
            }
        }
    };
    let returned = try_all((first..first + count).map(one)).await;
    // Otherwise only the parser was tried.
    assert!(returned > count / 20, "{returned} of {count} returned");
}

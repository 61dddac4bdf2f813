//! Short scripts as models write them, and the language of each.

use std::hint::black_box;

use ampoule_linear::assert_linear;

use super::super::Language;
use super::language_of;

const PYTHON: &[&str] = &[
    "print(1)",
    "result = 1 + 1",
    "x = 5\nx * 2",
    "import json",
    "import asyncio, json\nawait asyncio.sleep(1)",
    "from servers import github",
    "from mcp import runtime\nruntime.discovered_servers()",
    "orders = await tools.demo.list_orders(status=['pending'], limit=200)\norders.total",
    "[o.id for o in (await tools.demo.list_orders({})).items]",
    "sum(order.total for order in orders)",
    "for i in range(3):\n    print(i)",
    "while True:\n    pass",
    "if x:\n    y()",
    "async def main():\n    return 1\n\nasyncio.run(main())",
    "def add(a: int, b: int) -> int:\n    return a + b\n\nadd(1, 2)",
    "class Order:\n    pass",
    "@dataclass\nclass Order:\n    name: str\n    total: float = 0.0",
    "try:\n    await tools.demo.fail()\nexcept ToolError as error:\n    result = str(error)",
    "with open('a.txt') as f:\n    f.read()",
    "lambda x: x + 1",
    "f'{1 + 1} items'",
    "\"\"\"Counts things; const x = 1;\"\"\"\nresult = 1",
    "# const x = 1;\nawait mcp_github.create_issue(repo='a', title='b')",
    "a, b = await asyncio.gather(one(), two())\nreturn a + b",
    "issues = await mcp_github.list_issues(repo='a/b')\nreturn issues",
    "data = {'a': 1, 'b': [1, 2, 3]}\ndata['a']",
    "#!/usr/bin/env python3\n1 + 1",
    "import statistics\n\nvalues = [1, 2, 3]\nstatistics.mean(values)",
    "raise ValueError('no')",
    "True and not False",
    "x is None",
    "print('a => b; const c = {};')",
    "text = 'it''s { a: 1 }'\nprint(len(text))",
    "query = \"\"\"\nconst x = 1;\nlet y = () => 2;\n\"\"\"\nprint(query)",
    "import re\nre.findall(r'\\d+', 'a1b22')",
    "if (n := len(items)) > 3:\n    print(n)",
    "match command:\n    case 'go':\n        print('going')",
    "total = 0\nfor order in orders:\n    if order['status'] == 'open':\n        total += order['amount']\ntotal",
    "await asyncio.sleep(0.1)",
    "{k: v for k, v in pairs.items()}",
    "tools.describe('demo.create_ticket')",
    "[tool.name for tool in tools.search('orders')]",
];

const TYPESCRIPT: &[&str] = &[
    "",
    "1 + 1",
    "return 1 + 1",
    "return (await tools.demo.listProducts({})).total",
    "(await tools.demo.listProducts()).items.length",
    "console.log(1)",
    "const n: number = 41; return n + 1",
    "let sum = 0\nfor (const x of [1, 2]) sum += x\nreturn sum",
    "for (;;);",
    "for (let i = 0; i < 3; i++) {\n  console.log(i)\n}",
    "import { getDocument } from './servers/google-drive'",
    "import fs from 'fs'",
    "import 'x'",
    "import * as github from './servers/github';",
    "export default async () => 1",
    "async function main() {\n  return 1\n}\nawait main()",
    "(order) => order.id",
    "throw new TypeError('not today')",
    "\nthrow new TypeError('no')",
    "enum Size { small = 7 } return Size.small",
    "interface Item { name: string; price: number }",
    "type Id = string | number\nreturn 1 as Id",
    "class A { #x = 1; get() { return this.#x } }\nreturn new A().get()",
    "// print('from x import y')\nreturn 1",
    "/* def main(): */ return await tools.demo.getBusiness({})",
    "return [o.id for (const o of orders)]",
    "return JSON.stringify({ a: 1 })",
    "await tools.demo.createTicket({ customerId: 'CUS-0001', subject: 'print(1)' })",
    "codemode.getDocument({ id: 1 })",
    "callMCPTool('server__tool', {})",
    "const md = `\n```python\nprint(1)\n```\n`\nreturn md",
    "const sql = `\nselect * from x\nimport y\ndef z():\n`;\nreturn sql",
    "if (a === b) { return a } else { return b }",
    "switch (x) {\n  case 'a':\n    return 1\n  default:\n    return 2\n}",
    "items.map(x => x * 2)",
    "return items.filter((item) => item.status === 'pending').map(({ id }) => id);",
    "await new Promise((done) => setTimeout(done, 60_000))",
    "return typeof x",
    "#!/usr/bin/env node\n1 + 1",
    "const greeting = \"don't print(this) and not that\";\nreturn greeting",
    "return { a: 1, b: null }",
    "await tools.$describe('demo.createTicket')",
    "return await tools.$search('orders')",
];

#[test]
fn scripts_are_recognised_by_their_lines() {
    for code in PYTHON {
        assert_eq!(language_of(code), Language::Python, "{code}");
    }
    for code in TYPESCRIPT {
        assert_eq!(language_of(code), Language::TypeScript, "{code}");
    }
}

#[test]
fn a_fence_goes_before_everything() {
    for (info, language) in [
        ("python", Language::Python),
        ("Python3", Language::Python),
        ("py", Language::Python),
        (" python title=\"a.py\"", Language::Python),
        ("ts", Language::TypeScript),
        ("typescript", Language::TypeScript),
        ("tsx", Language::TypeScript),
        ("js", Language::JavaScript),
        ("javascript", Language::JavaScript),
    ] {
        for code in PYTHON.iter().chain(TYPESCRIPT) {
            assert_eq!(language_of(&format!("```{info}\n{code}\n```")), language);
        }
        let told = format!("Here is what lists orders and prints none:\n\n~~~{info}\n1\n~~~\n");
        assert_eq!(language_of(&told), language, "{told}");
    }
}

#[test]
fn a_fence_that_names_no_language_tells_nothing() {
    for fence in ["```", "```text", "~~~~"] {
        let fenced = |code: &str| language_of(&format!("{fence}\n{code}\n{fence}"));
        assert_eq!(fenced("print(1)"), Language::Python);
        assert_eq!(fenced("x = 1"), Language::Python);
        assert_eq!(fenced("console.log(1)"), Language::TypeScript);
    }
}

#[test]
fn any_text_is_looked_at_in_linear_time() {
    for piece in [
        " ",
        "\t",
        "\n",
        "'",
        "\"",
        "`",
        "'''",
        "\\",
        "=",
        "(a=",
        "{a:",
        "[ for ",
        " in ",
        "#",
        "/*",
        "x",
        "import ",
        "```",
        "é",
        "a,",
        "f'",
        "def x():\n",
    ] {
        // The largest of the sizes that are tried is eight times this.
        let size = super::LOOKED_AT_BYTES / piece.len() / 8;
        assert_linear(
            &format!("many times {piece:?}"),
            size,
            |size| piece.repeat(size),
            |text| {
                black_box(language_of(text));
            },
        );
    }
}

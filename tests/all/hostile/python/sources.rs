//! Python whose sources and syntax trees are deep.

use super::{Hostile, python};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python(
            "deep parentheses in a source",
            "compile('(' * 100000 + ')' * 100000, 'x', 'eval')",
            "threw:MemoryError",
        ),
        python(
            "deep unary operators in a source",
            "eval('-' * 100000 + '1')",
            "threw:MemoryError",
        ),
        python(
            "a long chain of operators in a source",
            "eval('1' + '+1' * 100000)",
            "limit:stack",
        ),
        python(
            "a long chain of calls in a source",
            "eval('f' + '()' * 100000)",
            "limit:stack",
        ),
        python(
            "a long chain of elif",
            r#"exec('if 0: pass\n' + 'elif 0: pass\n' * 100000)"#,
            "threw:MemoryError",
        ),
        python(
            "deep blocks in a source",
            r#"exec(''.join(' ' * n + 'if 1:\n' for n in range(2000)) + ' ' * 2000 + 'pass')"#,
            "threw:IndentationError",
        ),
        python(
            "a deep syntax tree",
            "
            import ast
            n = ast.Constant(1)
            for _ in range(10 ** 5):
                n = ast.UnaryOp(ast.USub(), n)
            compile(ast.fix_missing_locations(ast.Expression(n)), 'x', 'eval')
            ",
            "threw:RecursionError",
        ),
        python(
            "a syntax tree that holds itself",
            "
            import ast
            n = ast.UnaryOp(ast.USub(), None, lineno=1, col_offset=0)
            n.operand = n
            compile(ast.Expression(n), 'x', 'eval')
            ",
            "threw:RecursionError",
        ),
    ]
}

//! From a script to the code of a skill: a script that offers no function becomes one.

/// The function that a script becomes.
const FUNCTION: &str = "run";

/// The code of a skill, made of a script in a language. A module that offers functions stays as it
/// is.
///
/// # Errors
///
/// A sentence: the script can't be put into a function.
pub(super) fn module(code: &str, language: &str) -> Result<String, String> {
    match language {
        "python" => python(code),
        _ => Ok(javascript(code)),
    }
}

/// Imports stay where they are: they can't stand in a function.
fn javascript(code: &str) -> String {
    if code.lines().any(|line| line.starts_with("export ")) {
        return code.to_owned();
    }
    let (mut imports, mut body, mut within) = (String::new(), String::new(), false);
    for line in code.lines() {
        let begins = line.starts_with("import ") && !line.starts_with("import (");
        let target = match within || begins {
            true => &mut imports,
            false => &mut body,
        };
        target.push_str(line);
        target.push('\n');
        if within || begins {
            // An import over several lines ends where its module is named.
            within = !line.contains(['"', '\'']);
        }
    }
    format!("{imports}export async function {FUNCTION}() {{\n{body}}}\n")
}

fn python(code: &str) -> Result<String, String> {
    let offers = |line: &str| {
        let rest = line.strip_prefix("async ").unwrap_or(line);
        let name = rest.strip_prefix("def ").or(rest.strip_prefix("class "));
        name.is_some_and(|name| !name.starts_with('_'))
    };
    if code.lines().any(offers) {
        return Ok(code.to_owned());
    }
    if code.contains("\"\"\"") || code.contains("'''") {
        return Err(
            "a text in three quotes would change where the script is put into a function: write `async def run():` around the script yourself"
                .to_owned(),
        );
    }
    let mut module = format!("async def {FUNCTION}():\n");
    for line in code.lines() {
        match line.trim().is_empty() {
            true => module.push('\n'),
            false => module.push_str(&format!("    {line}\n")),
        }
    }
    if code.trim().is_empty() {
        module.push_str("    pass\n");
    }
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_becomes_a_function_and_a_module_stays() {
        let script = "import fs from 'node:fs';\nimport {\n  a,\n} from \"./b\";\nconst x = await tools.demo.echo({});\nreturn x";
        let wanted = "import fs from 'node:fs';\nimport {\n  a,\n} from \"./b\";\nexport async function run() {\nconst x = await tools.demo.echo({});\nreturn x\n}\n";
        assert_eq!(module(script, "typescript").unwrap(), wanted);
        let imports = "import d from \"dayjs\"; // dates\nimport t from \"./t.json\" with { type: \"json\" };\n";
        let wanted = format!("{imports}export async function run() {{\nreturn d\n}}\n");
        let script = format!("{imports}return d");
        assert_eq!(module(&script, "typescript").unwrap(), wanted);
        let made = "export function twice(n) { return 2 * n }";
        assert_eq!(module(made, "javascript").unwrap(), made);
        let python = "x = await tools.demo.echo()\n\nif x:\n    return 1";
        let wanted =
            "async def run():\n    x = await tools.demo.echo()\n\n    if x:\n        return 1\n";
        assert_eq!(module(python, "python").unwrap(), wanted);
        let made = "def twice(n):\n    return 2 * n\n";
        assert_eq!(module(made, "python").unwrap(), made);
        assert!(module("x = '''a\nb'''", "python").is_err());
    }
}

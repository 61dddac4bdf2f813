//! A module of Ampoule's own that scripts import: `ampoule/pages`, in Python `ampoule.pages`. Its code
//! runs in the script's isolate, and can do what the script can.

use ampoule_isolate::{Language, Module, Script};

/// One of these stands in each script that imports it.
const MENTIONS: [&str; 3] = ["ampoule/pages", "ampoule.pages", "from ampoule import"];

/// The script with that module, if it imports the module, and has none of its own by the same name.
pub(crate) fn given(script: &Script) -> Option<Script> {
    let (name, text) = match script.language() {
        Language::Python => ("ampoule/pages.py", include_str!("pages.py")),
        _ => ("ampoule/pages.js", include_str!("pages.js")),
    };
    let is_own = |(known, _): &(String, Module)| known.trim_start_matches("./") == name;
    let is_wanted = is_mentioned(script) && !script.modules().iter().any(is_own);
    is_wanted.then(|| script.clone().module(name, Module::Source(text.to_owned())))
}

fn is_mentioned(script: &Script) -> bool {
    let modules = script.modules().iter();
    let modules = modules.filter_map(|(_, module)| match module {
        Module::Source(source) => Some(source.as_str()),
        _ => None,
    });
    let mut sources = modules.chain([script.source()]);
    sources.any(|source| MENTIONS.iter().any(|mention| source.contains(mention)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(script: Script) -> Vec<String> {
        let script = given(&script).unwrap_or(script);
        let names = script.modules().iter().map(|(name, _)| name.clone());
        names.collect()
    }

    #[test]
    fn scripts_that_import_it_have_it_in_their_language() {
        let import = "import { pages } from \"ampoule/pages\"";
        assert_eq!(names(Script::typescript(import)), ["ampoule/pages.js"]);
        for python in [
            "from ampoule.pages import pages",
            "from ampoule import pages",
        ] {
            assert_eq!(names(Script::python(python)), ["ampoule/pages.py"]);
        }
        assert_eq!(names(Script::typescript("return pages")), [""; 0]);
        // A module of the script's own may import it, or be it.
        let module = Module::Source(import.to_owned());
        let by_module = Script::typescript("return 1").module("a.ts", module.clone());
        assert_eq!(names(by_module), ["a.ts", "ampoule/pages.js"]);
        let own = Script::typescript(import).module("./ampoule/pages.js", module);
        assert_eq!(names(own), ["./ampoule/pages.js"]);
    }
}

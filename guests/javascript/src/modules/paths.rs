//! Names of modules as paths.

/// Endings that an import may leave out or write, whatever the module's own.
const EXTENSIONS: [&str; 7] = ["ts", "js", "mts", "mjs", "json", "tsx", "jsx"];

/// A path without `.`, `..` and empty parts.
pub(crate) fn clean(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// A path without its ending, if that is one of a module.
pub(super) fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, extension)) if EXTENSIONS.contains(&extension) => stem,
        _ => path,
    }
}

/// The paths that an import may mean, likeliest first: beside the importer or from the top, with
/// and without endings.
pub(super) fn candidates(importer: &str, specifier: &str) -> Vec<String> {
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let relative = specifier.starts_with("./") || specifier.starts_with("../");
    let base = if relative {
        clean(&format!("{folder}/{specifier}"))
    } else {
        clean(specifier)
    };
    let stem = without_extension(&base).to_owned();
    let endings = EXTENSIONS.iter();
    let mut paths = vec![base];
    paths.extend(endings.clone().map(|ending| format!("{stem}.{ending}")));
    paths.extend(endings.map(|ending| format!("{stem}/index.{ending}")));
    paths.push(stem);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_relative_to_the_importer() {
        assert_eq!(candidates("lib/a.ts", "./b")[0], "lib/b");
        assert_eq!(candidates("lib/a.ts", "../b.js")[0], "b.js");
        assert!(candidates("lib/a.ts", "../b.js").contains(&"b.ts".to_owned()));
        assert!(candidates("main.ts", "lib").contains(&"lib/index.ts".to_owned()));
        assert_eq!(clean("/./a//b/../c"), "a/c");
    }
}

//! `packages` of `[python]` and `[javascript]` in `ampoule.toml`, changed.

use std::path::Path;

use ampoule_persistence::packages::{Ecosystem, Package};
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::super::tree::Format;
use super::{Edit, entries};

/// The file with these packages of one language, in this order. What is said in comments of other keys stays, and of
/// packages that stay.
///
/// # Errors
///
/// A sentence about what is wrong with the file.
pub fn set_packages(file: &Path, of: Ecosystem, packages: &[Package]) -> Result<Edit, String> {
    let name = of.command();
    Edit::of(file, |text| {
        entries::parsed(Format::Toml, text)?;
        let mut document: DocumentMut = text.parse().map_err(|_| "it is not valid TOML")?;
        let table = document
            .entry(name)
            .or_insert_with(|| Item::Table(Table::new()))
            .as_table_like_mut()
            .ok_or_else(|| format!("`{name}` is not a table"))?;
        let before = table.get("packages").and_then(Item::as_array).cloned();
        match packages.is_empty() {
            true => drop(table.remove("packages")),
            false => {
                let list = listed(packages, &before.unwrap_or_default());
                table.insert("packages", Item::Value(Value::Array(list)));
            }
        }
        if table.is_empty() {
            document.remove(name);
        }
        Ok(document.to_string())
    })
}

/// A line for each.
fn listed(packages: &[Package], before: &Array) -> Array {
    let mut list = Array::new();
    for package in packages {
        let text = package.to_string();
        let same = before.iter().find(|value| value.as_str() == Some(&text));
        let mut value = same.cloned().unwrap_or_else(|| text.into());
        let said = value.decor().prefix().and_then(|prefix| prefix.as_str());
        let said = said.filter(|said| said.contains('#')).map(str::to_owned);
        value
            .decor_mut()
            .set_prefix(said.unwrap_or_else(|| "\n    ".to_owned()));
        value.decor_mut().set_suffix("");
        list.push_formatted(value);
    }
    list.set_trailing_comma(true);
    list.set_trailing("\n");
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, digit: &str) -> Package {
        Package::new(name, "1.0", &digit.repeat(64)).unwrap()
    }

    #[test]
    fn packages_are_put_in_and_taken_out_and_comments_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ampoule.toml");
        let set = |packages: &[Package]| {
            set_packages(&file, Ecosystem::Python, packages)
                .unwrap()
                .apply()
                .unwrap();
            std::fs::read_to_string(&file).unwrap()
        };
        let (one, two) = (package("one", "1"), package("two", "2"));
        std::fs::write(&file, "# mine\n[limits]\ncalls = 5 # few\n").unwrap();
        let both = set(&[one.clone(), two.clone()]);
        let expected = format!(
            "# mine\n[limits]\ncalls = 5 # few\n\n[python]\npackages = [\n    \"{one}\",\n    \"{two}\",\n]\n"
        );
        assert_eq!(both, expected);

        let said = both.replace("    \"two", "    # for reports\n    \"two");
        std::fs::write(&file, said).unwrap();
        let other = set(&[package("one", "3"), two.clone()]);
        assert!(
            other.contains("    # for reports\n    \"two==1.0"),
            "{other}"
        );
        assert!(!other.contains(&one.to_string()), "{other}");
        assert!(set(&[two]).contains("# for reports"));
        assert_eq!(set(&[]), "# mine\n[limits]\ncalls = 5 # few\n");
    }

    #[test]
    fn what_else_the_table_has_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ampoule.toml");
        std::fs::write(&file, "[python]\nfolder = \"wheels\" # here\n").unwrap();
        set_packages(&file, Ecosystem::Python, &[package("one", "1")])
            .unwrap()
            .apply()
            .unwrap();
        set_packages(&file, Ecosystem::Python, &[])
            .unwrap()
            .apply()
            .unwrap();
        let left = std::fs::read_to_string(&file).unwrap();
        assert_eq!(left, "[python]\nfolder = \"wheels\" # here\n");
    }

    #[test]
    fn packages_of_npm_have_a_table_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ampoule.toml");
        let package = Package::npm("@scope/one", "1.0.0", &"1".repeat(64)).unwrap();
        let edit = set_packages(&file, Ecosystem::Npm, std::slice::from_ref(&package));
        edit.unwrap().apply().unwrap();
        let written = std::fs::read_to_string(&file).unwrap();
        let expected = format!("[javascript]\npackages = [\n    \"{package}\",\n]\n");
        assert_eq!(written, expected);
    }
}

//! Whether the links of the site lead somewhere: to a file that is there, and to a place in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::api::FOLDER;

/// A page of the site: what it links to, and the places in it.
struct Page {
    links: Vec<String>,
    places: BTreeSet<String>,
}

/// # Errors
///
/// Names each link that leads nowhere.
pub(super) fn check(site: &Path) -> Result<()> {
    let mut pages = BTreeMap::new();
    read(site, &mut pages)?;
    let mut broken = Vec::new();
    let api = site.join(FOLDER);
    for (path, page) in &pages {
        // What other programs make is theirs to check.
        if path.starts_with(&api) {
            continue;
        }
        // They have all that the other pages have, from another folder.
        if path.ends_with("print.html") || path.ends_with("404.html") || path.ends_with("toc.html")
        {
            continue;
        }
        for link in &page.links {
            if !leads_somewhere(path, link, &pages) {
                let path = path.strip_prefix(site)?.display();
                broken.push(format!("{path}: {link}"));
            }
        }
    }
    ensure!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
    ensure!(pages.len() > 10, "the site has {} pages", pages.len());
    Ok(())
}

fn read(folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, pages)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let text = fs::read_to_string(&path)?;
            let links = values(&text, "href").chain(values(&text, "src"));
            let page = Page {
                links: links.collect(),
                places: values(&text, "id").collect(),
            };
            pages.insert(path, page);
        }
    }
    Ok(())
}

/// The values of an attribute, in the order of the text.
fn values<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = String> + 'a {
    let begin = format!(" {attribute}=\"");
    let parts: Vec<_> = text.split(&*begin).skip(1).collect();
    let values = parts.into_iter().filter_map(|part| part.split_once('"'));
    values.map(|(value, _)| value.replace("&amp;", "&"))
}

fn leads_somewhere(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> bool {
    if link.contains("://") || link.starts_with("mailto:") || link.starts_with("javascript:") {
        return true;
    }
    let (file, place) = link.split_once('#').unwrap_or((link, ""));
    let folder = from.parent().unwrap_or(Path::new(""));
    let target = match file {
        "" => from.to_owned(),
        file => folder.join(file),
    };
    let Ok(target) = fs::canonicalize(target) else {
        return false;
    };
    match pages.get(&target) {
        Some(page) => place.is_empty() || page.places.contains(place),
        None => target.is_file(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in a site whose first page has this body.
    fn checked(body: &str) -> Result<()> {
        let site = tempfile::tempdir()?;
        for number in 0..12 {
            let text = format!("<h1 id=\"top\">{number}</h1> <a href=\"0.html#top\">first</a>");
            fs::write(site.path().join(format!("{number}.html")), text)?;
        }
        fs::write(site.path().join("picture.svg"), "<svg/>")?;
        fs::write(
            site.path().join("0.html"),
            format!("<h1 id=\"top\">0</h1>{body}"),
        )?;
        // What other programs make, and pages that have what others have, are not looked at.
        fs::create_dir(site.path().join(FOLDER))?;
        for page in ["api/a.html", "print.html"] {
            fs::write(site.path().join(page), "<a href=\"nowhere.html\">")?;
        }
        let folder = fs::canonicalize(site.path())?;
        check(&folder)
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let good = "<a href=\"1.html#top\"> <a href=\"#top\"> <img src=\"picture.svg\"> \
            <a href=\"https://example.com/a#b\"> <a href=\"api/a.html\">";
        checked(good).expect("a good site");
        for bad in ["gone.html", "1.html#gone", "#gone", "gone.svg", "../gone"] {
            let error = checked(&format!("<a href=\"{bad}\">")).expect_err(bad);
            assert_eq!(error.to_string(), format!("broken links:\n0.html: {bad}"));
        }
    }
}

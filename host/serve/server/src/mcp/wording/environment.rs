//! What scripts have besides tools, as the description of `execute_code` says it.

use ampoule::{GrantedTools, Package};

/// What scripts have besides tools: the description follows from the grant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::mcp) struct Environment {
    /// They may send HTTP requests, to hosts that the operator allows.
    pub(in crate::mcp) requests: bool,
    /// Their files last.
    pub(in crate::mcp) files: bool,
    /// The names of the packages that Python has.
    pub(in crate::mcp) packages: Vec<String>,
    /// Python has numpy and pandas.
    pub(in crate::mcp) data: bool,
    /// The names of the packages of npm that JavaScript has.
    pub(in crate::mcp) npm: Vec<String>,
}

impl Environment {
    /// What these tools' runs have, where files last or do not.
    pub(in crate::mcp) fn of(granted: &GrantedTools, files: bool) -> Self {
        Self {
            requests: granted.server(ampoule::outbound::NAME).is_ok(),
            files,
            packages: Vec::new(),
            data: false,
            npm: Vec::new(),
        }
    }

    /// The same with packages of Python, and of npm.
    pub(in crate::mcp) fn with_packages(mut self, python: &[Package], npm: &[Package]) -> Self {
        let names = |packages: &[Package]| {
            let names = packages.iter().map(|package| package.name().to_owned());
            names.collect()
        };
        self.packages = names(python);
        self.npm = names(npm);
        self
    }

    /// The same, with numpy and pandas in Python or without.
    pub(in crate::mcp) fn with_data(mut self, data: bool) -> Self {
        self.data = data;
        self
    }

    pub(super) fn told(&self) -> String {
        let data = ["numpy", "pandas"].map(str::to_owned);
        let data = data.into_iter().filter(|_| self.data);
        let python: Vec<String> = data.chain(self.packages.iter().cloned()).collect();
        let lacks = [
            ("network", !self.requests),
            ("packages", python.is_empty() && self.npm.is_empty()),
        ];
        let lacks: Vec<&str> = (lacks.iter())
            .filter_map(|(what, lacks)| lacks.then_some(*what))
            .collect();
        let mut told = match &*lacks {
            [] => String::new(),
            lacks => format!("No {};", lacks.join(", ")),
        };
        if !python.is_empty() {
            told += &format!(" Python packages: {};", named_packages(&python));
        }
        if !self.npm.is_empty() {
            told += &format!(" npm packages: {};", named_packages(&self.npm));
        }
        if self.requests {
            told += " `fetch` (urllib) reaches allowed hosts alone;";
        }
        told += match self.files {
            true => {
                " files in the current folder (node:fs, open) last, and top-level names in a `session`."
            }
            false => " files last one run, top-level names a `session`.",
        };
        told.trim_start().to_owned()
    }
}

/// The names of packages, as many as there is room for.
fn named_packages(packages: &[String]) -> String {
    let mut named = packages[..packages.len().min(NAMED_PACKAGES)].join(", ");
    if packages.len() > NAMED_PACKAGES {
        named += &format!(" and {} others", packages.len() - NAMED_PACKAGES);
    }
    named
}

/// How many packages of a language are named.
const NAMED_PACKAGES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numpy_and_pandas_are_named_where_they_are_there() {
        let package = Package::new("tabulate", "1.0", &"0".repeat(64)).unwrap();
        let told = |data: bool, packages: &[Package]| {
            let has = Environment::default().with_packages(packages, &[]);
            has.with_data(data).told()
        };
        let alone = told(true, &[]);
        assert!(
            alone.starts_with("No network; Python packages: numpy, pandas; files"),
            "{alone}"
        );
        let beside = told(true, std::slice::from_ref(&package));
        assert!(
            beside.contains("Python packages: numpy, pandas, tabulate;"),
            "{beside}"
        );
        let without = told(false, &[package]);
        assert!(without.contains("Python packages: tabulate;"), "{without}");
    }

    #[test]
    fn packages_of_python_are_named_where_there_are_some_and_only_so_many() {
        let packages = |count: usize| {
            let digest = "0".repeat(64);
            let package = |number| Package::new(&format!("p{number}"), "1.0", &digest).unwrap();
            (1..=count).map(package).collect::<Vec<_>>()
        };
        let told = |requests, count| {
            let has = Environment {
                requests,
                ..Environment::default()
            };
            has.with_packages(&packages(count), &[]).told()
        };
        let few = told(false, 2);
        assert!(
            few.starts_with("No network; Python packages: p1, p2; files"),
            "{few}"
        );
        let online = told(true, 1);
        assert!(
            online.starts_with("Python packages: p1; `fetch`"),
            "{online}"
        );
        let many = told(false, 23);
        assert!(
            many.contains("p20 and 3 others;") && !many.contains("p21"),
            "{many}"
        );
        let dayjs = Package::npm("dayjs", "1.11.23", &"0".repeat(64)).unwrap();
        let npm = Environment::default().with_packages(&[], &[dayjs]).told();
        assert!(
            npm.starts_with("No network; npm packages: dayjs; files"),
            "{npm}"
        );
    }
}

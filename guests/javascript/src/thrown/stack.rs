//! The stack of an error, in the program's own sources as they were written.

use oxc_span::Span;

use crate::bindings::exports::ampoule::guest::script::Location;
use crate::modules::{Modules, Source};
use crate::source;

use super::failure::Failure;
use super::sites::{FEWEST_ROUNDED_DIGITS, Found, Kind, Site, Told, find};

/// What a stack tells.
pub(super) struct Stack<'m> {
    /// The frames in the program's own sources, innermost first.
    pub(super) frames: Vec<Frame>,
    /// What failed, where the source says more of it than the error's message.
    pub(super) message: Option<String>,
    /// What was done there, in the innermost of these.
    pub(super) failed: Option<Failed<'m>>,
}

/// What a script did as it failed.
pub(super) struct Failed<'m> {
    pub(super) source: &'m Source,
    pub(super) site: Site,
}

impl Failed<'_> {
    /// Whether it was a call of this.
    pub(super) fn calls(&self, callee: &str) -> bool {
        let Site { kind, subject, .. } = self.site;
        let subject = subject.map(|span| span.source_text(&self.source.text));
        kind == Kind::Call && subject == Some(callee)
    }
}

impl Stack<'_> {
    /// A line for each frame.
    pub(super) fn text(&self) -> String {
        let lines: Vec<_> = self.frames.iter().map(Frame::line).collect();
        lines.join("\n")
    }
}

impl Source {
    /// What is in it, looked for when that is first asked for.
    pub(super) fn found(&self) -> &Found {
        self.found.get_or_init(|| find(&self.text))
    }

    /// The integers in it that were rounded when it was read. Nearly all sources have none, and are
    /// not parsed for this.
    pub(super) fn rounded(&self) -> &[Span] {
        let mut digits = 0;
        let has_many_digits = self.text.bytes().any(|byte| {
            digits = match byte {
                b'0'..=b'9' => digits + 1,
                b'_' => digits,
                _ => 0,
            };
            digits >= FEWEST_ROUNDED_DIGITS
        });
        match has_many_digits {
            true => &self.found().rounded,
            false => &[],
        }
    }

    /// Its operations.
    pub(super) fn sites(&self) -> &[Site] {
        &self.found().sites
    }

    /// The operations for which QuickJS tells this.
    fn sites_told(&self, told: Told) -> Vec<Site> {
        let all = || self.sites().iter().copied();
        let exact: Vec<_> = all().filter(|site| site.told == told).collect();
        let Told::At(place) = told else {
            return exact;
        };
        if !exact.is_empty() {
            return exact;
        }
        let begins_there = |site: &Site| matches!(site.told, Told::Function(start) if same_line(&self.text, start, place));
        all().filter(begins_there).collect()
    }

    /// Where an offset of the text that was evaluated was written; none for what was put before it.
    pub(super) fn location(&self, at: u32) -> Option<Location> {
        let offset = self.map.original(at as usize)?;
        Some(self.location_as_written(offset))
    }

    /// The location of an offset of the text as it was written.
    pub(super) fn location_as_written(&self, offset: usize) -> Location {
        let place = source::place(&self.written, offset);
        Location {
            module: self.name.clone(),
            line: place.line,
            column: place.column,
            text: place.text,
        }
    }
}

/// A frame of the program's own.
pub(super) struct Frame {
    function: String,
    pub(super) location: Location,
}

impl Frame {
    fn line(&self) -> String {
        let Location {
            module,
            line,
            column,
            ..
        } = &self.location;
        match self.function.as_str() {
            "" | "<anonymous>" | "<eval>" | "default" => format!("    at {module}:{line}:{column}"),
            function => format!("    at {function} ({module}:{line}:{column})"),
        }
    }
}

/// Reads the stack that QuickJS gave an error with this name and message.
pub(super) fn read<'m>(modules: &'m Modules, stack: &str, name: &str, message: &str) -> Stack<'m> {
    // No stack and no memory are left to look at the source.
    let blind = name == "InternalError" || message.contains("call stack size");
    let failure = Failure::of(message);
    let mut frames = Vec::new();
    let mut described = None;
    let mut callee = None;
    let mut failed = None;
    for (function, place) in stack.lines().filter_map(split) {
        if let Some((source, told)) = place.and_then(|place| told(modules, place)) {
            let sites = if blind {
                Vec::new()
            } else {
                source.sites_told(told)
            };
            // The frames within it are the prelude's.
            if frames.is_empty() && matches!(failure, Some(Failure::Unawaited(_))) {
                callee = None;
            }
            let site = match (callee, failure) {
                (Some(callee), _) => call(source, &sites, callee),
                (None, Some(failure)) => {
                    let fitting = failure.fitting(&source.text, &sites);
                    described = failure.describe(&source.text, &fitting);
                    fitting.first().copied()
                }
                (None, None) => sites.iter().find(|site| site.kind.makes()).copied(),
            };
            // An error is made where its class is called, not where that calls the class it
            // extends.
            if frames.is_empty() {
                failed = site.map(|site| Failed { source, site });
            }
            let made_here = site.is_none_or(|site| site.kind != Kind::Super);
            if made_here || !frames.is_empty() {
                frames.extend(frame(source, function, told, site));
            }
        }
        callee = Some(function);
    }
    Stack {
        frames,
        message: described,
        failed,
    }
}

fn same_line(text: &str, one: u32, other: u32) -> bool {
    let between = text.get(one.min(other) as usize..one.max(other) as usize);
    between.is_some_and(|between| !between.contains('\n'))
}

/// The call that a frame is in: of the function of the frame within it, if that has a name that is
/// called here.
fn call(source: &Source, sites: &[Site], callee: &str) -> Option<Site> {
    let calls = || {
        sites
            .iter()
            .filter(|site| site.kind == Kind::Call || site.kind.makes())
    };
    let named = calls().find(|site| {
        let called = site.subject.map(|span| span.source_text(&source.text));
        called.is_some_and(|called| {
            let rest = called.strip_suffix(callee);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    });
    named.or_else(|| calls().next()).copied()
}

/// The frame at the site, or at the place that was told where no site is known.
fn frame(source: &Source, function: &str, told: Told, site: Option<Site>) -> Option<Frame> {
    let location = site
        .and_then(|site| source.location(site.at))
        .or_else(|| match told {
            Told::At(at) => source.location(at),
            Told::Function(_) | Told::Fields => None,
        })?;
    Some(Frame {
        function: function.to_owned(),
        location,
    })
}

/// Reads `at function (place)` or `at place`. Native functions have no place.
fn split(line: &str) -> Option<(&str, Option<&str>)> {
    let line = line.trim().strip_prefix("at ")?;
    Some(
        match line
            .strip_suffix(')')
            .and_then(|line| line.split_once(" ("))
        {
            Some((function, place)) => (function, Some(place)),
            None => ("", Some(line)),
        },
    )
}

/// Reads `module:line:column`. Line -1, which QuickJS leaves out, is that of the function that a
/// program became.
fn told<'m>(modules: &'m Modules, place: &str) -> Option<(&'m Source, Told)> {
    if let Some(source) = modules.source(place) {
        return Some((source, Told::At(0)));
    }
    let (place, column) = place.rsplit_once(':')?;
    let (module, line) = place.rsplit_once(':')?;
    let source = modules.source(module)?;
    if line == "0" {
        return Some((source, Told::Fields));
    }
    let line = line.parse::<i64>().ok()? + i64::from(source.lines_before);
    let at = source::offset(
        &source.text,
        u32::try_from(line).ok()?,
        column.parse().ok()?,
    )?;
    Some((source, Told::At(at as u32)))
}

//! What is noted of a script while its tree is there.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{Name, Names};

/// A module, function or class, whose names are its own; by its number.
pub(super) type Scope = u32;
/// What decides whether something runs; by its number.
pub(super) type Frame = u32;

/// The module's own scope and frame.
pub(super) const TOP: u32 = 0;

/// Where something stands.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) scope: Scope,
    pub(super) frame: Frame,
    /// Whether something around it may take its errors.
    pub(super) is_caught: bool,
}

/// A scope of names.
pub(super) struct ScopeFacts {
    pub(super) parent: Option<Scope>,
    /// What its name is bound in, if it is a function that calls tell all of: no decorator changes
    /// it, and its body runs when it is called.
    pub(super) function: Option<Name>,
    /// Whether its code runs only when its call is awaited.
    pub(super) is_async: bool,
    pub(super) is_class: bool,
}

/// What decides whether code runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// It runs where its scope's code does.
    Scope,
    /// A condition, or a statement before it that may leave.
    Condition,
    /// A loop, which may have nothing to go through.
    Loop,
}

/// How many properties are read one of the other, at most, in what is looked at.
const LONGEST: usize = 5;

/// What is read of a value, one of the other.
#[derive(Clone, Copy, Default)]
pub(super) struct Path {
    count: u8,
    tokens: [Name; LONGEST],
}

impl Path {
    pub(super) fn tokens(&self) -> &[Name] {
        &self.tokens[..usize::from(self.count)]
    }

    /// With another token behind it. None where it is too long.
    pub(super) fn then(mut self, token: Name) -> Option<Self> {
        *self.tokens.get_mut(usize::from(self.count))? = token;
        self.count += 1;
        Some(self)
    }

    /// With another token instead of its last. None where it has none.
    pub(super) fn with_last(mut self, token: Name) -> Option<Self> {
        let last = usize::from(self.count).checked_sub(1)?;
        *self.tokens.get_mut(last)? = token;
        Some(self)
    }

    /// With another path behind it.
    pub(super) fn join(self, other: &Self) -> Option<Self> {
        let mut tokens = other.tokens().iter();
        tokens.try_fold(self, |path, token| path.then(*token))
    }
}

/// Where a value comes from: a call or a name, and what is read of it.
#[derive(Clone, Copy)]
pub(super) struct Flow {
    pub(super) base: Base,
    pub(super) path: Path,
}

#[derive(Clone, Copy)]
pub(super) enum Base {
    /// The answer of a call, by its place.
    Call(u32),
    /// A name, as it is seen in a scope.
    Name(Name, Scope),
}

impl Flow {
    pub(super) fn of(base: Base) -> Self {
        let path = Path::default();
        Self { base, path }
    }

    /// What is read of it. None where that is too long a way.
    pub(super) fn then(self, token: Name) -> Option<Self> {
        let path = self.path.then(token)?;
        Some(Self { path, ..self })
    }
}

/// A value that is written in the script.
#[derive(Default)]
pub(super) enum Value {
    #[default]
    Unknown,
    Null,
    /// A text, number or truth value, as JSON.
    Plain(String),
    Name(Name, Scope),
    /// The first items of a list, and whether these are all.
    List(Vec<Value>, Whole),
    Object(Vec<Member>),
}

impl Value {
    /// Whether it holds what may be changed by itself.
    pub(super) fn has_others(&self) -> bool {
        let may_change = |value: &Self| !matches!(value, Self::Null | Self::Plain(_));
        match self {
            Self::List(items, _) => items.iter().any(may_change),
            Self::Object(members) => members.iter().any(|member| match member {
                Member::Pair(_, value) => may_change(value),
                Member::Spread(_) | Member::Unknown => true,
            }),
            _ => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Yes,
    No,
}

/// A part of an object.
pub(super) enum Member {
    Pair(String, Value),
    /// All members of another one.
    Spread(Value),
    /// Something whose name is not known.
    Unknown,
}

/// What a name is bound to.
pub(super) enum Bound {
    Value(Value),
    Flow(Flow),
    /// A module, if it is one that matters.
    Module(String),
    /// A member of such a module.
    Member(String, String),
    /// A function, by its scope.
    Function(Scope),
    Other,
}

/// A binding, and how many there are of the same name in its scope.
pub(super) struct Binding {
    pub(super) count: u32,
    pub(super) bound: Bound,
}

/// A name that is used, other than by a value's flow.
pub(super) struct NameUse {
    pub(super) name: Name,
    pub(super) site: Site,
    pub(super) role: Role,
}

/// What is done with a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Mentioned,
    /// It is called, and perhaps awaited at once.
    Called {
        is_awaited: bool,
    },
}

/// A value that goes where it may be changed.
pub(super) struct Escape {
    pub(super) flow: Flow,
    /// Unless this call is one of a tool.
    pub(super) through: Option<usize>,
}

/// A property that is read.
pub(super) struct Read {
    pub(super) flow: Flow,
    pub(super) site: Site,
    pub(super) place: Place,
    /// Where what it is read of ends.
    pub(super) end: Place,
    pub(super) kind: ReadKind,
}

/// How a property is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadKind {
    /// `value["name"]`
    Key,
    /// `value.name`
    Attribute,
    /// `value.name(...)`, which may be a method that each such value has.
    Method,
}

/// A line, from 1, and the byte in it, from 0.
pub(super) type Place = (u32, u32);

/// A call of what may be a tool.
pub(super) struct Call {
    /// What is called: the name, and the attributes and keys behind it.
    pub(super) root: Name,
    pub(super) parts: Path,
    pub(super) site: Site,
    /// Whether its failure is the failure of what makes it.
    pub(super) propagates: bool,
    /// Where it fails: at its `await`, if it has one.
    pub(super) place: Place,
    /// Where it is written.
    pub(super) at: Place,
    /// Arguments by position; none where they can't be told.
    pub(super) positional: Option<Vec<Value>>,
    pub(super) named: Vec<Member>,
}

/// How many calls, uses of names and reads are noted.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    calls: usize,
    uses: usize,
    reads: usize,
}

/// All of that.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) names: Names,
    pub(super) scopes: Vec<ScopeFacts>,
    pub(super) frames: Vec<(Option<Frame>, Decision)>,
    pub(super) bindings: BTreeMap<(Name, Scope), Binding>,
    /// Names that a function declares to be another scope's.
    pub(super) declared: BTreeSet<Name>,
    pub(super) uses: Vec<NameUse>,
    pub(super) escapes: Vec<Escape>,
    pub(super) reads: Vec<Read>,
    pub(super) calls: Vec<Call>,
    /// Whether names may be reached otherwise than by themselves, or the script is too much to look
    /// at.
    pub(super) is_opaque: bool,
    /// Whether something may end the script well at any place, so that nothing is certain behind
    /// it.
    pub(super) may_exit: bool,
    /// Names that were taken for Python's own, as long as nothing binds them.
    pub(super) built_in: Vec<Name>,
}

impl Facts {
    pub(super) fn new() -> Self {
        Self {
            names: Names::new(),
            scopes: vec![ScopeFacts {
                parent: None,
                function: None,
                is_async: false,
                is_class: false,
            }],
            frames: vec![(None, Decision::Scope)],
            ..Self::default()
        }
    }

    pub(super) fn text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    /// Binds a name. What several bindings of it hold may be changed by any of them, and what a
    /// class holds by way of the class.
    pub(super) fn bind(&mut self, name: Name, scope: Scope, bound: Bound) {
        if let Bound::Flow(flow) = bound
            && self.scopes[scope as usize].is_class
        {
            let through = None;
            self.escapes.push(Escape { flow, through });
        }
        let binding = Binding { count: 1, bound };
        let Some(before) = self.bindings.get_mut(&(name, scope)) else {
            self.bindings.insert((name, scope), binding);
            return;
        };
        before.count += 1;
        let before = std::mem::replace(&mut before.bound, Bound::Other);
        for bound in [before, binding.bound] {
            if let Bound::Flow(flow) = bound {
                let through = None;
                self.escapes.push(Escape { flow, through });
            }
        }
    }

    /// The scope that a name is bound in, as it is seen in another; none where nothing binds it.
    pub(super) fn home(&self, name: Name, seen_in: Scope) -> Option<Scope> {
        let mut scope = Some(seen_in);
        while let Some(at) = scope {
            let facts = &self.scopes[at as usize];
            // A class's names are its body's alone.
            if (!facts.is_class || at == seen_in) && self.bindings.contains_key(&(name, at)) {
                return Some(at);
            }
            scope = facts.parent;
        }
        None
    }

    /// What a name is bound to, if that is the same wherever it is seen.
    pub(super) fn bound(&self, name: Name, seen_in: Scope) -> Option<(Scope, &Bound)> {
        let home = self.home(name, seen_in)?;
        let binding = &self.bindings[&(name, home)];
        let is_one = binding.count == 1 && !self.declared.contains(&name);
        is_one.then_some((home, &binding.bound))
    }

    /// Whether a scope's own name is bound to what is not followed: then nothing else that it may
    /// be bound to later is. Of a name of a scope around, that can't be told before the end: one
    /// between may bind it.
    pub(super) fn is_other(&self, name: Name, scope: Scope) -> bool {
        self.bindings
            .get(&(name, scope))
            .is_some_and(|binding| binding.count > 1 || matches!(binding.bound, Bound::Other))
    }

    /// Whether a frame is around another one, or the same.
    pub(super) fn is_around(&self, outer: Frame, inner: Frame) -> bool {
        let mut frame = Some(inner);
        while let Some(at) = frame {
            if at == outer {
                return true;
            }
            frame = self.frames[at as usize].0;
        }
        false
    }

    /// Whether what is in a frame runs each time that its scope's code does.
    pub(super) fn is_certain(&self, frame: Frame) -> bool {
        self.frames[frame as usize].1 == Decision::Scope
    }

    /// Notes that a name was taken for Python's own.
    pub(super) fn take_for_built_in(&mut self, name: Name) {
        if !self.built_in.contains(&name) {
            self.built_in.push(name);
        }
    }

    /// How much is noted.
    pub(super) fn extent(&self) -> Extent {
        Extent {
            calls: self.calls.len(),
            uses: self.uses.len(),
            reads: self.reads.len(),
        }
    }

    /// Notes that something takes the errors of all that was noted between two extents.
    pub(super) fn catch(&mut self, from: Extent, to: Extent) {
        let calls = self.calls[from.calls..to.calls].iter_mut();
        let uses = self.uses[from.uses..to.uses].iter_mut();
        let reads = self.reads[from.reads..to.reads].iter_mut();
        let sites = calls.map(|call| &mut call.site);
        let sites = sites.chain(uses.map(|used| &mut used.site));
        let sites = sites.chain(reads.map(|read| &mut read.site));
        sites.for_each(|site| site.is_caught = true);
    }

    /// Whether the script binds a name that was taken for Python's own.
    pub(super) fn hides_built_in(&self) -> bool {
        self.built_in.iter().any(|name| {
            let mut bindings = self.bindings.range((*name, TOP)..=(*name, Scope::MAX));
            bindings.any(|(_, binding)| {
                !matches!(&binding.bound, Bound::Module(module) if *module == self.text(*name))
            })
        })
    }

    /// The names that calls begin with, and the script does not bind; those of imports are known.
    pub(super) fn free_roots(&self) -> Vec<String> {
        let mut roots = BTreeSet::new();
        for call in &self.calls {
            roots.insert(self.free_root(call.root, call.site.scope, 0));
        }
        let name =
            |root: Option<Name>| root.map_or_else(String::new, |root| self.text(root).to_owned());
        roots.into_iter().map(name).collect()
    }

    /// The name that a name stands for, if the script binds none of them otherwise.
    fn free_root(&self, name: Name, seen_in: Scope, depth: u32) -> Option<Name> {
        const DEPTH: u32 = 8;
        if self.home(name, seen_in).is_none() {
            return Some(name);
        }
        match self.bound(name, seen_in)?.1 {
            Bound::Flow(Flow {
                base: Base::Name(name, seen_in),
                ..
            }) if depth < DEPTH => self.free_root(*name, *seen_in, depth + 1),
            _ => None,
        }
    }
}

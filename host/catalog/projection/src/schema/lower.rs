//! A conjunction of schemas → its type.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::super::types::{Definition, DefinitionId, Docs, DocumentedType, MAX_DEPTH, Type};
use super::conjunction::{Conjunction, Part};
use super::document::Document;
use super::kind::{self, Kind};
use super::note::{Note, Problem};
use super::{MAX_VISITS, Schema, docs, kept, says_nullable, size, union};

/// How many notes of one schema are kept. One that is wrong everywhere need not say so a thousand
/// times.
const MAX_NOTES: usize = 32;

/// The reading of one document.
pub(super) struct Lowering<'d, 'a> {
    pub(super) document: Document<'a>,
    definitions: &'d mut Vec<Definition>,
    notes: &'d mut Vec<Note>,
    notes_left: usize,
    /// Definitions by the schemas that they stand for.
    known: HashMap<Key, DefinitionId>,
    /// What is being read, from the outermost in. Met again inside itself it needs a name, also
    /// where no reference leads back: a choice that depends on others repeats properties where it
    /// stands.
    inside: Vec<Key>,
    /// Definitions that are named already and not read yet. As a list and not by recursion, so that
    /// no chain of references overflows the stack.
    open: Vec<Unread<'a>>,
    at: String,
    visits_left: usize,
}

/// What tells the schemas that hold at one place from those at others.
type Key = Vec<(usize, bool)>;

fn key(parts: &[Part<'_>]) -> Key {
    let mut key: Key = parts.iter().map(Part::key).collect();
    key.sort_unstable();
    key.dedup();
    key
}

struct Unread<'a> {
    id: DefinitionId,
    parts: Vec<Part<'a>>,
    at: String,
}

impl<'d, 'a> Lowering<'d, 'a> {
    /// Prepares to read `root`; `at` is what notes call it.
    pub(super) fn of(
        root: Schema<'a>,
        at: &str,
        definitions: &'d mut Vec<Definition>,
        notes: &'d mut Vec<Note>,
    ) -> Self {
        Self {
            document: Document::new(root),
            definitions,
            notes,
            notes_left: MAX_NOTES,
            known: HashMap::new(),
            inside: Vec::new(),
            open: Vec::new(),
            at: format!("{at}#"),
            visits_left: MAX_VISITS,
        }
    }

    /// Reads the document. The root is a definition like others, as it may refer to itself.
    pub(super) fn root(self) -> DocumentedType {
        let root = self.document.root();
        self.part(root, "")
    }

    /// Reads a schema of the document alone, and what it refers to; `at` is its place.
    pub(super) fn part(mut self, schema: Schema<'a>, at: &str) -> DocumentedType {
        self.at.push_str(at);
        let part = match schema {
            Schema::Boolean(true) => DocumentedType::bare(Type::Any),
            Schema::Boolean(false) => DocumentedType::bare(Type::Never),
            Schema::Object(schema) => {
                let name = schema
                    .get("title")
                    .and_then(Value::as_str)
                    .map(|title| kept(title).to_owned());
                DocumentedType::bare(Type::Named(self.intern(vec![Part::whole(schema)], name)))
            }
        };
        while let Some(Unread { id, parts, at }) = self.open.pop() {
            self.at = at;
            self.definitions[id.0].value = self.lower(&parts, 0);
        }
        part
    }

    /// The type of what all of `seeds` say, `depth` types below a name.
    pub(super) fn lower(&mut self, seeds: &[Part<'a>], depth: usize) -> DocumentedType {
        if depth >= MAX_DEPTH {
            self.note(Problem::TooDeep);
            return DocumentedType::bare(Type::Any);
        }
        if self.visits_left == 0 {
            self.note(Problem::TooLarge);
            return DocumentedType::bare(Type::Any);
        }
        if let [seed] = seeds
            && let Some(target) = self.alias_target(seed.schema)
        {
            self.visit(seed.schema);
            let ty = match target.schema {
                Schema::Boolean(true) => Type::Any,
                Schema::Boolean(false) => Type::Never,
                Schema::Object(schema) => {
                    Type::Named(self.intern(vec![Part::whole(schema)], target.name))
                }
            };
            return DocumentedType {
                ty,
                docs: docs::of(seed.schema),
            };
        }
        let mut found = self.conjoin(seeds);
        if found.impossible {
            return DocumentedType {
                ty: Type::Never,
                docs: said(found.said),
            };
        }
        match found.reference.take() {
            Some(name) => {
                // What the named schemas say is said where they are defined.
                let named: HashSet<usize> = found.parts.iter().map(|part| part.key().0).collect();
                let own = seeds.iter().map(|seed| seed.schema);
                let beside = found
                    .said
                    .into_iter()
                    .filter(|schema| !named.contains(&std::ptr::from_ref(*schema).addr()));
                let mut docs = said(own);
                docs.or(said(beside));
                DocumentedType {
                    ty: Type::Named(self.intern(found.parts, name)),
                    docs,
                }
            }
            None => {
                let key = key(&found.parts);
                if !key.is_empty() && self.inside.contains(&key) {
                    return DocumentedType {
                        ty: Type::Named(self.intern(found.parts, None)),
                        docs: said(found.said),
                    };
                }
                self.inside.push(key);
                let built = self.build(found, depth);
                self.inside.pop();
                built
            }
        }
    }

    fn build(&mut self, found: Conjunction<'a>, depth: usize) -> DocumentedType {
        let mut docs = said(found.said);
        let nullable = found.parts.iter().any(|part| says_nullable(part.schema));
        let kinds = self.kinds(&found.parts);
        let ty = match self.values(&found.parts, kinds.as_deref()) {
            Some(values) => values,
            None => self.choose(&found.parts, kinds, &mut docs, depth),
        };
        DocumentedType {
            ty: if nullable { ty.or_null() } else { ty },
            docs,
        }
    }

    /// The type of the parts, their choices apart. `loose` are schemas that may hold or not: their
    /// properties may be there.
    pub(super) fn shape(
        &mut self,
        parts: &[Part<'a>],
        kinds: Option<Vec<Kind>>,
        loose: &[&'a Map<String, Value>],
        depth: usize,
    ) -> Type {
        let kinds = match kinds {
            Some(kinds) => kinds,
            None => match kind::inferred(parts, loose) {
                kinds if kinds.is_empty() => return Type::Any,
                kinds => kinds,
            },
        };
        let mut members = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let ty = match kind {
                Kind::Null => Type::Null,
                Kind::Boolean => Type::Boolean,
                Kind::Integer => Type::Integer(kind::bounds(parts)),
                Kind::Number => Type::Number,
                Kind::String => Type::String,
                Kind::Array => self.array(parts, depth),
                Kind::Object => self.object(parts, loose, depth),
            };
            members.push(DocumentedType::bare(ty));
        }
        union::of(members, hint(parts)).ty
    }

    /// The definition that stands for `parts`, new or known.
    fn intern(&mut self, parts: Vec<Part<'a>>, name: Option<String>) -> DefinitionId {
        let next = DefinitionId(self.definitions.len());
        let id = *self.known.entry(key(&parts)).or_insert(next);
        if id == next {
            // What several schemas say together belongs to none of them alone.
            let name = if parts.len() == 1 { name } else { None };
            let hint = name.unwrap_or_else(|| place(&self.at));
            self.definitions.push(Definition {
                hint,
                value: DocumentedType::bare(Type::Any),
            });
            self.open.push(Unread {
                id,
                parts,
                at: self.at.clone(),
            });
        }
        id
    }

    /// Does `read` one step further into the schema.
    pub(super) fn within<T>(
        &mut self,
        keyword: &str,
        name: Option<&str>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(keyword);
        if let Some(name) = name {
            self.at.push('/');
            self.at
                .push_str(&kept(name).replace('~', "~0").replace('/', "~1"));
        }
        let read = read(self);
        self.at.truncate(length);
        read
    }

    /// Counts a schema that is looked at. False if there was enough before.
    pub(super) fn visit(&mut self, schema: &Map<String, Value>) -> bool {
        if self.visits_left == 0 {
            self.note(Problem::TooLarge);
            return false;
        }
        self.visits_left = self.visits_left.saturating_sub(size::of(schema));
        true
    }

    /// Keeps what was not understood here.
    pub(super) fn note(&mut self, problem: Problem) {
        if self.notes_left == 0
            || self
                .notes
                .last()
                .is_some_and(|last| last.problem == problem && last.at == self.at)
        {
            return;
        }
        self.notes_left -= 1;
        self.notes.push(Note {
            at: self.at.clone(),
            problem,
        });
    }
}

/// The name that the first of the parts to have one gives to its type.
pub(super) fn hint(parts: &[Part<'_>]) -> Option<String> {
    parts
        .iter()
        .find_map(|part| part.get("title")?.as_str())
        .map(str::to_owned)
}

/// What all of the schemas say; the first to say something wins.
fn said<'a>(schemas: impl IntoIterator<Item = &'a Map<String, Value>>) -> Docs {
    let mut said = Docs::default();
    for schema in schemas {
        said.or(docs::of(schema));
    }
    said
}

/// A name for what is at a place: that of the nearest property, else what the schema is for.
fn place(at: &str) -> String {
    let (root, path) = at.split_once('#').unwrap_or((at, ""));
    let mut segments = path.rsplit('/').peekable();
    while let Some(segment) = segments.next() {
        if segments
            .peek()
            .is_some_and(|before| matches!(*before, "properties" | "$defs" | "definitions"))
        {
            return segment.replace("~1", "/").replace("~0", "~");
        }
    }
    if root == "input" {
        "arguments".to_owned()
    } else {
        "result".to_owned()
    }
}

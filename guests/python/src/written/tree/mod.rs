//! CPython's syntax tree as it lies in memory while a source is compiled: `pycore_ast.h` of the
//! version that the guest is built with. Nothing of it outlives the compilation.
//!
//! WebAssembly's addresses are 32-bit words, as C's `int` is: so each field of a node is a word,
//! and [`super::check`] finds out at the guest's build whether the nodes are as they are thought to
//! be.
//!
//! - [`statements`], [`expressions`], [`records`]: views of the nodes

mod expressions;
mod records;
mod statements;

use std::marker::PhantomData;
use std::slice;

use pyo3::ffi;

pub(super) use expressions::ExpressionKind;
pub(super) use statements::StatementKind;

/// A node's kind and fields, of whatever class it is.
#[repr(C)]
struct Words<const FIELDS: usize> {
    kind: i32,
    fields: [usize; FIELDS],
    line: i32,
    column: i32,
    end_line: i32,
    end_column: i32,
}

/// A list of CPython's: how many, and where.
#[repr(C)]
struct List {
    count: usize,
    elements: *const usize,
}

/// One of Python's objects that a node holds.
#[derive(Clone, Copy)]
pub(super) struct Object<'t>(usize, PhantomData<&'t ()>);

impl<'t> Object<'t> {
    fn of(word: usize) -> Self {
        Self(word, PhantomData)
    }

    /// The text of an identifier. Empty for a string that UTF-8 can't hold, which no name is.
    pub(super) fn text(self) -> &'t str {
        let mut bytes = 0;
        // SAFETY: it is a string; its text lives as long as it, and the tree holds it.
        unsafe {
            let text = ffi::PyUnicode_AsUTF8AndSize(self.pointer(), &raw mut bytes);
            if text.is_null() {
                ffi::PyErr_Clear();
                return "";
            }
            let text = slice::from_raw_parts(text.cast::<u8>(), bytes as usize);
            std::str::from_utf8_unchecked(text)
        }
    }

    /// The text of a constant, if it is one that UTF-8 can hold.
    pub(super) fn as_text(self) -> Option<&'t str> {
        // SAFETY: it is one of Python's objects.
        let is_text = unsafe { ffi::PyUnicode_CheckExact(self.pointer()) } != 0;
        let text = is_text.then(|| self.text())?;
        // SAFETY: it is a string.
        let is_empty = unsafe { ffi::PyUnicode_GetLength(self.pointer()) } == 0;
        (is_empty || !text.is_empty()).then_some(text)
    }

    /// The hash that Python has for it, and keeps.
    pub(super) fn hash(self) -> isize {
        // SAFETY: it is a string, which has one.
        unsafe { ffi::PyObject_Hash(self.pointer()) }
    }

    pub(super) fn pointer(self) -> *mut ffi::PyObject {
        self.0 as *mut ffi::PyObject
    }
}

/// The items of a list in the tree.
#[derive(Clone, Copy)]
pub(super) struct Items<'t, T>(&'t [usize], PhantomData<T>);

impl<'t, T: Node<'t>> Items<'t, T> {
    fn at(list: usize) -> Self {
        // SAFETY: it is null, or a list of the tree.
        let items = unsafe {
            match (list as *const List).as_ref() {
                Some(list) if list.count > 0 => slice::from_raw_parts(list.elements, list.count),
                _ => &[],
            }
        };
        Self(items, PhantomData)
    }

    pub(super) fn len(self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// An item; none where there is none, or the list has a gap there.
    pub(super) fn get(self, at: usize) -> Option<T> {
        self.0.get(at).and_then(|word| T::at(*word))
    }

    /// The items without gaps.
    pub(super) fn iter(self) -> impl Iterator<Item = T> {
        self.0.iter().filter_map(|word| T::at(*word))
    }

    /// The items, gaps included.
    pub(super) fn gaps(self) -> impl Iterator<Item = Option<T>> {
        self.0.iter().map(|word| T::at(*word))
    }
}

/// The first of a list of numbers.
fn first_number(list: usize) -> Option<usize> {
    // SAFETY: it is null, or a list of the tree, whose numbers are words.
    unsafe {
        let list = (list as *const List).as_ref()?;
        (list.count > 0).then(|| *list.elements)
    }
}

/// What a field or a list of the tree may refer to.
pub(super) trait Node<'t>: Copy {
    /// The node at an address; none at zero.
    fn at(word: usize) -> Option<Self>;
}

impl<'t> Node<'t> for Object<'t> {
    fn at(word: usize) -> Option<Self> {
        (word != 0).then_some(Self(word, PhantomData))
    }
}

/// Classes of nodes by their names, with how many fields the largest of each has.
macro_rules! nodes {
    ($($(#[$doc:meta])* $name:ident($fields:literal))*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name<'t>(&'t Words<$fields>);

        impl<'t> Node<'t> for $name<'t> {
            fn at(word: usize) -> Option<Self> {
                // SAFETY: it is null, or a node of this class, which lives as long as the tree.
                unsafe { (word as *const Words<$fields>).as_ref() }.map(Self)
            }
        }
    )*};
}

nodes! {
    /// A statement.
    Statement(7)
    /// An expression.
    Expression(4)
    /// What follows `except`.
    Handler(3)
}

/// Records of the tree, which have no kind: by their names and the count of their words.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident($words:literal))*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name<'t>(&'t [usize; $words]);

        impl<'t> Node<'t> for $name<'t> {
            fn at(word: usize) -> Option<Self> {
                // SAFETY: as above.
                unsafe { (word as *const [usize; $words]).as_ref() }.map(Self)
            }
        }
    )*};
}

records! {
    /// `for target in iterable if condition`.
    Comprehension(3)
    /// A function's parameters.
    Parameters(7)
    /// One of them.
    Parameter(2)
    /// `name=value` in a call.
    Keyword(2)
    /// `name as other` in an import.
    Alias(2)
    /// `context as target`.
    WithItem(2)
    /// One of the cases of a `match`.
    Case(3)
    /// A pattern. The first word is its kind.
    Pattern(5)
    /// A type's parameter. The first word is its kind.
    TypeParameter(2)
}

/// The statements of a module.
///
/// # Safety
///
/// The tree is CPython's, of a version with these nodes, and it lives as long as is said.
pub(super) unsafe fn module<'t>(tree: *const ()) -> Items<'t, Statement<'t>> {
    const MODULE: usize = 1;
    // SAFETY: as the caller says.
    let [kind, body] = unsafe { *tree.cast::<[usize; 2]>() };
    Items::at(if kind == MODULE { body } else { 0 })
}

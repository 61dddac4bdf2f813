//! What a source will do as far as its text proves it: the calls of tools that are written in it,
//! with their arguments, and what it reads of their answers.
//!
//! Nothing here is certain to be a tool: whether a name is a server's is asked of the host later.
//!
//! - [`names`]: how often each name is declared, and what the source changes, as a [`survey`] of it
//!   finds; [`words`]: what it looks for
//! - [`walk`]: what finds the calls, in one [`visit`] of the tree; [`reach`]: whether the source comes to
//!   them; [`callee`]: what an expression calls; [`flow`]: where answers go, and what is read of them
//! - [`value`]: what an expression's value is; [`json`]: such values as JSON

mod callee;
mod flow;
mod json;
mod names;
mod reach;
mod survey;
mod value;
mod visit;
mod walk;
mod words;

use oxc_ast::ast::Program;
use oxc_span::Span;

pub(crate) use callee::Callee;
pub(crate) use json::Arguments;

use crate::brief;
use names::Names;
use walk::Walk;

/// How many calls of a source are looked at.
const CALLS: usize = 1_000;

/// Globals that are not a server's: a source that names no other calls no tool.
const GLOBALS: [&str; 45] = [
    "Array",
    "BigInt",
    "Boolean",
    "Date",
    "Error",
    "Infinity",
    "Intl",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TextDecoder",
    "TextEncoder",
    "ToolError",
    "TypeError",
    "URL",
    "URLSearchParams",
    "Uint8Array",
    "WeakMap",
    "WeakSet",
    "clearTimeout",
    "console",
    "crypto",
    "decodeURIComponent",
    "encodeURIComponent",
    "env",
    "isNaN",
    "parseFloat",
    "parseInt",
    "performance",
    "setTimeout",
    "strings",
    "structuredClone",
    "undefined",
];

/// The calls that are written in a source.
#[derive(Debug, Default)]
pub(crate) struct WrittenCalls {
    pub(crate) calls: Vec<Call>,
    /// Something in the source may catch what a function of it throws.
    pub(crate) may_catch: bool,
}

/// A call that is written in a source.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    /// The offset of the tool's name.
    pub(crate) at: u32,
    /// None where nothing is known of them.
    pub(crate) arguments: Option<Arguments>,
    /// There is a name in them, or several: what that holds is written elsewhere.
    pub(crate) has_names: bool,
    /// The source may end without coming to it.
    pub(crate) conditional: bool,
    /// It is in a function, or something other than `await` takes its promise.
    pub(crate) indirect: bool,
    pub(crate) reads: Vec<Read>,
    /// What is read of its promise, as if that were the answer.
    pub(crate) of_promise: Vec<PromiseRead>,
    /// Where the source says what is called.
    pub(crate) written: Span,
}

/// A property that a source reads of a promise.
#[derive(Debug)]
pub(crate) struct PromiseRead {
    pub(crate) name: String,
    /// The offset of the name.
    pub(crate) at: u32,
}

/// A property that a source reads.
#[derive(Debug)]
pub(crate) struct Read {
    /// Its place in the answer, as a JSON Pointer, where `-` is any item of a list.
    pub(crate) pointer: String,
    /// What it is read of.
    pub(crate) subject: Span,
    /// The offset of its name.
    pub(crate) at: u32,
}

/// The calls that are written in a program, if it may call any tool. `free` are the names that it
/// uses without declaring them, or imports, and `main` is a function that its end calls, whatever is written.
pub(super) fn of<'a>(program: &Program<'a>, free: &[&'a str], main: Option<&str>) -> WrittenCalls {
    let imports = (program.body.iter()).any(|it| it.is_module_declaration());
    let is_other = |name: &&&str| GLOBALS.binary_search(*name).is_err();
    if !imports && !free.iter().any(|name| is_other(&name)) {
        return WrittenCalls::default();
    }
    let _brief = brief::begin();
    let names = Names::of(program, free);
    if names.hides {
        return WrittenCalls::default();
    }
    let mut walk = Walk::of(names);
    walk.program(program);
    walk.written(main)
}

#[cfg(test)]
mod tests;

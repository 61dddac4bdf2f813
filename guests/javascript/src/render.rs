//! Values as JSON: what JSON has as it is, and a readable text for what it has not.
//!
//! - `undefined` in lists, and holes: `null`; in objects: left out
//! - `NaN`, `Infinity`: `"NaN"`, `"Infinity"`; bigints: their digits, as text (in arguments a
//!   number)
//! - dates: ISO texts, and whatever has `toJSON`: what that gives
//! - maps: objects if all keys are texts, else lists of pairs; sets, typed arrays and buffers:
//!   lists
//! - errors: objects with `name`, `message`, `cause` and what else they have
//! - functions, symbols, regular expressions, promises: `"[Function: name]"`, `"Symbol(name)"`,
//!   `"/source/flags"`, `"[Promise]"`
//! - what holds itself: `"[Circular]"` in its place
//!
//! Tools' arguments are written the same way but for what a tool could not use: see
//! [`render_arguments`].

mod objects;
mod text;

use std::fmt::Write as _;
use std::ops::Range;

use rquickjs::{Ctx, Error, Exception, Result, Value, qjs};
use rustc_hash::FxHashMap;

use crate::host::{self, ToolId};
use crate::json;
use text::{push_number, push_quoted};

/// The numbers between those of the least `i64` and the largest `u64`.
const INTEGERS: Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;

/// How deep a result may nest.
const DEPTH_LIMIT: usize = 500;

/// A value as JSON.
pub(crate) struct Rendered {
    pub(crate) json: String,
    /// Whether there was an `undefined` in it, which JSON has not.
    pub(crate) lacks: bool,
}

/// A program's result as JSON.
///
/// # Errors
///
/// A getter or `toJSON` threw, or the value nests too deeply; the context has the exception.
pub(crate) fn render(ctx: &Ctx<'_>, value: &Value<'_>) -> Result<Rendered> {
    write(ctx, value, Purpose::Result)
}

/// A tool's arguments as JSON. A tool needs values, not texts for people: what a result tells of
/// and JSON has not is left out, as `JSON.stringify` does, or refused.
///
/// # Errors
///
/// Those of [`render`]; the arguments hold a promise or themselves, or are not JSON
/// object.
pub(crate) fn render_arguments(ctx: &Ctx<'_>, tool: ToolId, value: &Value<'_>) -> Result<String> {
    let Rendered { json, .. } = write(ctx, value, Purpose::Arguments(tool))?;
    if json.starts_with('{') {
        Ok(json)
    } else {
        Err(refuse(ctx, tool, "they are not an object then"))
    }
}

/// Throws that a tool's arguments can't be sent.
fn refuse(ctx: &Ctx<'_>, tool: ToolId, why: &str) -> Error {
    let name = host::tools::name_of(tool).tool;
    let message = format!("The arguments of {name} can't be written as JSON: {why}");
    Exception::throw_type(ctx, &message)
}

fn write(ctx: &Ctx<'_>, value: &Value<'_>, purpose: Purpose) -> Result<Rendered> {
    // Which is most of what is large.
    if value.is_object()
        && let Some(json) = json::of_plain(ctx, value.as_raw(), DEPTH_LIMIT)
    {
        return Ok(Rendered { json, lacks: false });
    }
    let mut renderer = Renderer {
        ctx,
        purpose,
        json: String::new(),
        lacks: false,
        around: Vec::new(),
        keys: FxHashMap::default(),
    };
    let rendered = renderer.value(value.as_raw());
    renderer.free_keys();
    let Renderer { json, lacks, .. } = renderer;
    rendered.map(|()| Rendered { json, lacks })
}

/// What the JSON is for.
#[derive(Clone, Copy)]
enum Purpose {
    Result,
    Arguments(ToolId),
}

struct Renderer<'a, 'js> {
    ctx: &'a Ctx<'js>,
    purpose: Purpose,
    json: String,
    lacks: bool,
    /// The objects that the one at hand is in.
    around: Vec<*mut std::ffi::c_void>,
    /// Property names as JSON texts with a colon, by their atoms.
    keys: FxHashMap<qjs::JSAtom, Box<str>>,
}

/// A value that this owns, and frees.
struct Owned {
    context: *mut qjs::JSContext,
    raw: qjs::JSValue,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: The value is owned, and freed once.
        unsafe { qjs::JS_FreeValue(self.context, self.raw) };
    }
}

impl Renderer<'_, '_> {
    fn context(&self) -> *mut qjs::JSContext {
        self.ctx.as_raw().as_ptr()
    }

    /// Owns what an engine function returned.
    fn own(&self, raw: qjs::JSValue) -> Result<Owned> {
        // SAFETY: Looks at the tag alone.
        if unsafe { qjs::JS_IsException(raw) } {
            return Err(Error::Exception);
        }
        Ok(Owned {
            context: self.context(),
            raw,
        })
    }

    /// Refuses what arguments may not hold. Results may.
    fn only_in_results(&self, why: &str) -> Result<()> {
        match self.purpose {
            Purpose::Result => Ok(()),
            Purpose::Arguments(tool) => Err(refuse(self.ctx, tool, why)),
        }
    }

    /// Whether objects don't have such a member in JSON, and lists have `null` in its place.
    fn is_left_out(&mut self, raw: qjs::JSValue) -> bool {
        // SAFETY: The value is alive; these look at tag and class alone.
        unsafe {
            let lacks = qjs::JS_IsUndefined(raw);
            self.lacks |= lacks;
            lacks
                || matches!(self.purpose, Purpose::Arguments(_))
                    && (qjs::JS_IsSymbol(raw) || qjs::JS_IsFunction(self.context(), raw))
        }
    }

    /// Writes a value that the caller keeps alive.
    fn value(&mut self, raw: qjs::JSValue) -> Result<()> {
        if self.is_left_out(raw) {
            self.json.push_str("null");
            return Ok(());
        }
        // SAFETY: Each accessor is used for the tag that it is for.
        unsafe {
            match qjs::JS_VALUE_GET_NORM_TAG(raw) {
                qjs::JS_TAG_INT => {
                    let _ = write!(self.json, "{}", qjs::JS_VALUE_GET_INT(raw));
                }
                qjs::JS_TAG_BOOL => self.json.push_str(if qjs::JS_VALUE_GET_BOOL(raw) {
                    "true"
                } else {
                    "false"
                }),
                qjs::JS_TAG_NULL => self.json.push_str("null"),
                qjs::JS_TAG_FLOAT64 => self.float(raw, qjs::JS_VALUE_GET_FLOAT64(raw))?,
                qjs::JS_TAG_STRING | qjs::JS_TAG_STRING_ROPE => self.string(raw)?,
                qjs::JS_TAG_OBJECT => self.nested(raw)?,
                qjs::JS_TAG_BIG_INT | qjs::JS_TAG_SHORT_BIG_INT => {
                    self.bigint(raw)?;
                }
                qjs::JS_TAG_SYMBOL => self.symbol(raw)?,
                _ => self.json.push_str("null"),
            }
        }
        Ok(())
    }

    fn float(&mut self, raw: qjs::JSValue, number: f64) -> Result<()> {
        match number {
            _ if !number.is_finite() && matches!(self.purpose, Purpose::Arguments(_)) => {
                self.json.push_str("null");
            }
            _ if number.is_nan() => self.json.push_str("\"NaN\""),
            f64::INFINITY => self.json.push_str("\"Infinity\""),
            f64::NEG_INFINITY => self.json.push_str("\"-Infinity\""),
            // Its digits would tell of an integer, whose last ones it does not have.
            _ if matches!(self.purpose, Purpose::Arguments(_)) && !INTEGERS.contains(&number) => {
                let _ = write!(self.json, "{number:e}");
            }
            _ if push_number(&mut self.json, number) => {}
            _ => {
                let context = self.context();
                let digits = text::Text::of(context, raw)?;
                self.json.push_str(&digits.lossy());
            }
        }
        Ok(())
    }

    /// Writes an integer of any size: to people as text, as they would read its digits; to tools,
    /// which may take more than a `Number` holds, as a number.
    fn bigint(&mut self, raw: qjs::JSValue) -> Result<()> {
        match self.purpose {
            Purpose::Result => self.string(raw),
            Purpose::Arguments(_) => {
                let digits = text::Text::of(self.context(), raw)?;
                self.json.push_str(&digits.lossy());
                Ok(())
            }
        }
    }

    /// Writes a value's text, quoted.
    fn string(&mut self, raw: qjs::JSValue) -> Result<()> {
        let text = text::Text::of(self.context(), raw)?;
        push_quoted(&mut self.json, &text.lossy());
        Ok(())
    }

    fn symbol(&mut self, raw: qjs::JSValue) -> Result<()> {
        // SAFETY: The value is alive; the copy is freed with the owned value.
        let symbol =
            unsafe { Value::from_raw(self.ctx.clone(), qjs::JS_DupValue(self.context(), raw)) };
        let description: Option<String> = symbol
            .as_symbol()
            .and_then(|symbol| symbol.description().ok()?.get().ok());
        push_quoted(
            &mut self.json,
            &format!("Symbol({})", description.unwrap_or_default()),
        );
        Ok(())
    }

    /// Writes an object, unless it is in itself.
    fn nested(&mut self, raw: qjs::JSValue) -> Result<()> {
        // SAFETY: The value is an object.
        let identity = unsafe { qjs::JS_VALUE_GET_PTR(raw) };
        if self.around.contains(&identity) {
            self.only_in_results("they hold themselves")?;
            self.json.push_str("\"[Circular]\"");
            return Ok(());
        }
        if self.around.len() >= DEPTH_LIMIT {
            let (what, advice) = match self.purpose {
                Purpose::Result => ("result nests", "return less of it"),
                Purpose::Arguments(_) => ("arguments nest", "send less of them"),
            };
            let message = format!("The {what} more than {DEPTH_LIMIT} levels deep; {advice}");
            return Err(Exception::throw_range(self.ctx, &message));
        }
        self.around.push(identity);
        let written = self.object(raw);
        self.around.pop();
        written
    }

    /// Writes a property's name and a colon.
    fn key(&mut self, atom: qjs::JSAtom) -> Result<()> {
        if let Some(key) = self.keys.get(&atom) {
            self.json.push_str(key);
            return Ok(());
        }
        let context = self.context();
        let mut key = String::new();
        push_quoted(&mut key, &text::Text::of_atom(context, atom)?.lossy());
        key.push(':');
        self.json.push_str(&key);
        // SAFETY: The atom is alive; the copy is freed with the others, and keeps its number from
        // being used anew.
        unsafe { qjs::JS_DupAtom(context, atom) };
        self.keys.insert(atom, key.into());
        Ok(())
    }

    fn free_keys(&mut self) {
        let context = self.context();
        for (atom, _) in self.keys.drain() {
            // SAFETY: Each was copied when it was put in.
            unsafe { qjs::JS_FreeAtom(context, atom) };
        }
    }
}

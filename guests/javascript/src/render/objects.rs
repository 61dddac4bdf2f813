//! Objects as JSON, by what they are.

use rquickjs::{Ctx, Object, Result, Value, qjs};

use super::{Owned, Purpose, Renderer};
use crate::engine;
use crate::session::Session;
use crate::unawaited;

impl<'js> Renderer<'_, 'js> {
    /// Writes an object. The caller keeps it alive, and guards against objects in themselves.
    pub(super) fn object(&mut self, raw: qjs::JSValue) -> Result<()> {
        let context = self.context();
        // SAFETY: The object is alive; these look at its class alone.
        unsafe {
            if qjs::JS_IsFunction(context, raw) {
                return self.function(raw);
            }
            let to_json = self.property(raw, c"toJSON")?;
            if qjs::JS_IsFunction(context, to_json.raw) && !self.refuses(&to_json) {
                return self.own_json(&to_json, raw);
            }
            if qjs::JS_IsArray(raw) {
                return self.array(raw);
            }
            if qjs::JS_IsError(raw) {
                return self.error(raw);
            }
            if qjs::JS_IsMap(raw) {
                return self.map(raw);
            }
            if qjs::JS_IsSet(raw) {
                return self.set(raw);
            }
            if qjs::JS_GetTypedArrayType(raw) >= 0 {
                return self.array(raw);
            }
            if qjs::JS_IsArrayBuffer(raw) {
                return self.buffer(raw);
            }
            if qjs::JS_IsRegExp(raw) {
                return self.string(raw);
            }
        }
        self.other(raw)
    }

    /// Whether it is what promises have for scripts that take them for values.
    fn refuses(&self, to_json: &Owned) -> bool {
        let session = Session::of(self.ctx);
        // SAFETY: Looks at the address alone.
        let address = unsafe { qjs::JS_VALUE_GET_PTR(to_json.raw) as usize };
        address == engine::address(&session.unawaited().to_json)
    }

    fn property(&self, raw: qjs::JSValue, name: &std::ffi::CStr) -> Result<Owned> {
        // SAFETY: The object is alive.
        self.own(unsafe { qjs::JS_GetPropertyStr(self.context(), raw, name.as_ptr()) })
    }

    /// A handle to the object, for the few kinds where speed does not matter.
    fn handle(&self, raw: qjs::JSValue) -> Value<'js> {
        // SAFETY: The object is alive; the copy is freed with the handle.
        unsafe { Value::from_raw(self.ctx.clone(), qjs::JS_DupValue(self.context(), raw)) }
    }

    /// Writes what an object's `toJSON` gives.
    fn own_json(&mut self, function: &Owned, raw: qjs::JSValue) -> Result<()> {
        // SAFETY: Function and object are alive.
        let value = self.own(unsafe {
            qjs::JS_Call(self.context(), function.raw, raw, 0, std::ptr::null_mut())
        })?;
        // What gives itself would do so for ever.
        // SAFETY: Compares tags and addresses alone.
        let itself = unsafe {
            qjs::JS_VALUE_GET_NORM_TAG(value.raw) == qjs::JS_TAG_OBJECT
                && qjs::JS_VALUE_GET_PTR(value.raw) == qjs::JS_VALUE_GET_PTR(raw)
        };
        if itself {
            self.properties(raw)
        } else {
            self.value(value.raw)
        }
    }

    fn function(&mut self, raw: qjs::JSValue) -> Result<()> {
        let name = self
            .handle(raw)
            .as_object()
            .and_then(|function| function.get::<_, String>("name").ok());
        let text = match name.as_deref() {
            None | Some("") => "[Function]".to_owned(),
            Some(name) => format!("[Function: {name}]"),
        };
        super::push_quoted(&mut self.json, &text);
        Ok(())
    }

    fn array(&mut self, raw: qjs::JSValue) -> Result<()> {
        let context = self.context();
        let mut length = 0;
        // SAFETY: The object is alive.
        if unsafe { qjs::JS_GetLength(context, raw, &raw mut length) } < 0 {
            return Err(rquickjs::Error::Exception);
        }
        self.json.push('[');
        for at in 0..length {
            if at > 0 {
                self.json.push(',');
            }
            // SAFETY: The object is alive.
            let item = self.own(unsafe { qjs::JS_GetPropertyInt64(context, raw, at) })?;
            self.value(item.raw)?;
        }
        self.json.push(']');
        Ok(())
    }

    fn properties(&mut self, raw: qjs::JSValue) -> Result<()> {
        self.json.push('{');
        self.members(raw, &[])?;
        self.json.push('}');
        Ok(())
    }

    /// Writes the members of an object that are not among `but`, after those that are written
    /// already.
    fn members(&mut self, raw: qjs::JSValue, but: &[&str]) -> Result<()> {
        let names = Names::of(self.context(), raw)?;
        for &atom in names.atoms() {
            // SAFETY: Object and atom are alive.
            let value = self.own(unsafe { qjs::JS_GetProperty(self.context(), raw, atom) })?;
            if self.is_left_out(value.raw) {
                continue;
            }
            let before = self.json.len();
            if !self.json.ends_with('{') {
                self.json.push(',');
            }
            let start = self.json.len();
            self.key(atom)?;
            if but
                .iter()
                .any(|name| self.json[start..] == format!("\"{name}\":"))
            {
                self.json.truncate(before);
                continue;
            }
            self.value(value.raw)?;
        }
        Ok(())
    }

    fn error(&mut self, raw: qjs::JSValue) -> Result<()> {
        self.json.push('{');
        for (name, c_name) in [
            ("name", c"name"),
            ("message", c"message"),
            ("cause", c"cause"),
            ("errors", c"errors"),
        ] {
            let value = self.property(raw, c_name)?;
            // SAFETY: Looks at the tag alone.
            if unsafe { qjs::JS_IsUndefined(value.raw) } {
                continue;
            }
            if name != "name" {
                self.json.push(',');
            }
            super::push_quoted(&mut self.json, name);
            self.json.push(':');
            self.value(value.raw)?;
        }
        self.members(raw, &["name", "message", "cause", "errors", "stack"])?;
        self.json.push('}');
        Ok(())
    }

    fn map(&mut self, raw: qjs::JSValue) -> Result<()> {
        let map = self.handle(raw);
        let pairs: Vec<Value<'js>> = Session::of(self.ctx).intrinsics().entries.call((map,))?;
        let mut entries = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            let pair: Object<'js> = pair.get()?;
            entries.push((pair.get::<_, Value<'js>>(0)?, pair.get::<_, Value<'js>>(1)?));
        }
        if !entries.iter().all(|(key, _)| key.is_string()) {
            return self.list(pairs.iter());
        }
        self.json.push('{');
        for (at, (key, value)) in entries.iter().enumerate() {
            if at > 0 {
                self.json.push(',');
            }
            self.string(key.as_raw())?;
            self.json.push(':');
            self.value(value.as_raw())?;
        }
        self.json.push('}');
        Ok(())
    }

    fn set(&mut self, raw: qjs::JSValue) -> Result<()> {
        let set = self.handle(raw);
        let items: Vec<Value<'js>> = Session::of(self.ctx).intrinsics().items.call((set,))?;
        self.list(items.iter())
    }

    fn list<'v>(&mut self, items: impl Iterator<Item = &'v Value<'js>>) -> Result<()>
    where
        'js: 'v,
    {
        self.json.push('[');
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.json.push(',');
            }
            self.value(item.as_raw())?;
        }
        self.json.push(']');
        Ok(())
    }

    fn buffer(&mut self, raw: qjs::JSValue) -> Result<()> {
        use std::fmt::Write as _;
        let mut length = 0;
        // SAFETY: The object is alive, and nothing of the script runs while its bytes are read.
        let bytes = unsafe {
            let start = qjs::JS_GetArrayBuffer(self.context(), &raw mut length, raw);
            if start.is_null() {
                return Err(rquickjs::Error::Exception);
            }
            std::slice::from_raw_parts(start, length as usize)
        };
        self.json.push('[');
        for (at, byte) in bytes.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(self.json, "{comma}{byte}");
        }
        self.json.push(']');
        Ok(())
    }

    /// What is nothing special: boxed values, promises, and plain objects.
    fn other(&mut self, raw: qjs::JSValue) -> Result<()> {
        if self.plain(raw) {
            return self.properties(raw);
        }
        if self.is_proxied_array(raw)? {
            return self.array(raw);
        }
        let handle = self.handle(raw);
        if handle.is_promise() {
            if matches!(self.purpose, Purpose::Arguments(_)) {
                self.only_in_results(&promise_held(self.ctx, &handle))?;
            }
            super::push_quoted(&mut self.json, "[Promise]");
            return Ok(());
        }
        let unboxed: Value<'js> = Session::of(self.ctx).intrinsics().unboxed.call((handle,))?;
        if unboxed.is_undefined() {
            self.properties(raw)
        } else {
            self.value(unboxed.as_raw())
        }
    }

    /// Whether an object is a proxy of an array, perhaps through others.
    fn is_proxied_array(&self, raw: qjs::JSValue) -> Result<bool> {
        // SAFETY: The object is alive; the target is owned before it is looked at.
        unsafe {
            if !qjs::JS_IsProxy(raw) {
                return Ok(qjs::JS_IsArray(raw));
            }
            let target = self.own(qjs::JS_GetProxyTarget(self.context(), raw))?;
            self.is_proxied_array(target.raw)
        }
    }

    /// Whether an object is of the class of object literals.
    fn plain(&self, raw: qjs::JSValue) -> bool {
        const JS_CLASS_OBJECT: u32 = 1;
        // SAFETY: The object is alive; this looks at its class alone.
        unsafe { qjs::JS_GetClassID(raw) == JS_CLASS_OBJECT }
    }
}

/// Why arguments can't hold a promise.
fn promise_held<'js>(ctx: &Ctx<'js>, promise: &Value<'js>) -> String {
    match unawaited::call_of(ctx, promise) {
        Some(call) => format!(
            "they hold {}, which was not awaited: write {}",
            call.name(1),
            call.awaited()
        ),
        None => "they hold a promise; await it first".to_owned(),
    }
}

/// The names of an object's own enumerable properties.
struct Names {
    context: *mut qjs::JSContext,
    table: *mut qjs::JSPropertyEnum,
    atoms: Vec<qjs::JSAtom>,
}

impl Names {
    fn of(context: *mut qjs::JSContext, raw: qjs::JSValue) -> Result<Self> {
        let (mut table, mut length) = (std::ptr::null_mut(), 0);
        let flags = (qjs::JS_GPN_STRING_MASK | qjs::JS_GPN_ENUM_ONLY) as i32;
        // SAFETY: The object is alive; the table is freed with this.
        unsafe {
            if qjs::JS_GetOwnPropertyNames(context, &raw mut table, &raw mut length, raw, flags) < 0
            {
                return Err(rquickjs::Error::Exception);
            }
            let atoms = (0..length as usize)
                .map(|at| (*table.add(at)).atom)
                .collect();
            Ok(Self {
                context,
                table,
                atoms,
            })
        }
    }

    fn atoms(&self) -> &[qjs::JSAtom] {
        &self.atoms
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        // SAFETY: The table came from the engine with so many entries, and is freed once.
        unsafe { qjs::JS_FreePropertyEnum(self.context, self.table, self.atoms.len() as u32) };
    }
}

//! Keys of objects as their attributes: `issue.title` is `issue["title"]`. The class says so in
//! Python; here it is done without a call of Python's, where the class has no such attribute and
//! the object has such a key. All else is as the class has it.

use std::cell::OnceCell;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

type Object = *mut ffi::PyObject;

unsafe extern "C" {
    fn _PyType_Lookup(of: *mut ffi::PyTypeObject, name: Object) -> Object;
}

/// What is bound to an object, and nothing else, when it is read.
const METHOD: std::ffi::c_ulong = ffi::Py_TPFLAGS_METHOD_DESCRIPTOR;

thread_local! {
    /// What CPython calls for a class with `__getattr__`.
    static BY_CLASS: OnceCell<ffi::getattrofunc> = const { OnceCell::new() };
}

/// Makes it so for a class that is derived from `dict`, adds nothing to an instance, and has a
/// `__getattr__` that does the same.
pub(crate) fn from_keys(of: &Bound<'_, PyType>) {
    let of = of.as_type_ptr();
    // SAFETY: it is a class, which nothing else changes meanwhile; CPython is told of it.
    unsafe {
        let dict = &raw const ffi::PyDict_Type;
        if ffi::PyType_FastSubclass(of, ffi::Py_TPFLAGS_DICT_SUBCLASS) == 0
            || (*of).tp_basicsize != (*dict).tp_basicsize
            || ffi::PyType_HasFeature(of, ffi::Py_TPFLAGS_MANAGED_DICT) != 0
        {
            return;
        }
        let Some(by_class) = (*of).tp_getattro.replace(attribute) else {
            return;
        };
        // It is the same for every such class.
        BY_CLASS.with(|kept| kept.set(by_class).ok());
        ffi::PyType_Modified(of);
    }
}

/// An attribute of an object of such a class.
unsafe extern "C" fn attribute(object: Object, name: Object) -> Object {
    // SAFETY: CPython calls it with an object of the class and a string.
    unsafe {
        let of = ffi::Py_TYPE(object);
        let by_name = _PyType_Lookup(of, name);
        if by_name.is_null() {
            let value = ffi::PyDict_GetItemWithError(object, name);
            if !value.is_null() {
                ffi::Py_INCREF(value);
                return value;
            }
            ffi::PyErr_Clear();
        } else if ffi::PyType_HasFeature(ffi::Py_TYPE(by_name), METHOD) != 0 {
            // The object has no attributes of its own that might come first.
            let bind = (*ffi::Py_TYPE(by_name)).tp_descr_get;
            let bind = bind.expect("methods can be bound");
            ffi::Py_INCREF(by_name);
            let bound = bind(by_name, object, of.cast());
            ffi::Py_DECREF(by_name);
            return bound;
        }
    }
    let by_class = BY_CLASS.with(|kept| *kept.get().expect("there is such a class"));
    // SAFETY: as above.
    unsafe { by_class(object, name) }
}

//! From a module's source to its code. Only the guest's builder calls this, in an instance of its
//! own.

use std::slice;

use pyo3::ffi;

use crate::interpreter;

/// The newest format of `marshal`.
const MARSHAL_VERSION: i32 = 5;

/// A module to be compiled, at an address that the builder got from [`memory`].
#[repr(C)]
struct Request {
    /// Its file's name, with a zero at its end.
    name: *const std::ffi::c_char,
    /// Its source, with a zero at its end.
    source: *const std::ffi::c_char,
    /// Where its code is afterwards: `marshal`'s format.
    code: *const u8,
    code_bytes: usize,
}

/// Makes so much of CPython ready that it can compile.
#[unsafe(export_name = "build:start-compiler")]
extern "C" fn start() {
    interpreter::start_core();
}

/// Memory for the builder to write to.
#[unsafe(export_name = "build:memory")]
extern "C" fn memory(bytes: usize) -> *mut u8 {
    Vec::leak(vec![0; bytes]).as_mut_ptr()
}

/// Compiles a module. Zero where it is not valid Python.
///
/// # Safety
///
/// The request is one that was written as its type says.
#[unsafe(export_name = "build:compile")]
unsafe extern "C" fn compile(request: *mut Request) -> i32 {
    // SAFETY: the builder wrote the request; CPython was started, and there is one thread. What is
    // made is never freed: the instance is used once.
    unsafe {
        let request = &mut *request;
        let code = ffi::Py_CompileStringExFlags(
            request.source,
            request.name,
            ffi::Py_file_input,
            std::ptr::null_mut(),
            0,
        );
        if code.is_null() {
            ffi::PyErr_Clear();
            return 0;
        }
        let marshalled = ffi::PyMarshal_WriteObjectToString(code, MARSHAL_VERSION);
        let (mut data, mut bytes) = (std::ptr::null_mut(), 0);
        if ffi::PyBytes_AsStringAndSize(marshalled, &raw mut data, &raw mut bytes) != 0 {
            return 0;
        }
        let code = slice::from_raw_parts(data.cast::<u8>(), bytes as usize);
        request.code = code.as_ptr();
        request.code_bytes = code.len();
        1
    }
}

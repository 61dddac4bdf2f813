//! The output streams of WASI 0.2. Wasmtime's own hands over as many bytes as a guest shows at
//! once, whatever it was told that it may write: a file's stream keeps them until they are written.

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, Resource, WasmList};
use wasmtime_wasi_io::bindings::wasi::io::streams::{
    Host as _, HostOutputStream as _, StreamError,
};
use wasmtime_wasi_io::streams::DynOutputStream;

use super::link;
use super::output::{WRITE_BYTES, too_much};
use super::price::STREAM;
use crate::state::RunState;

const INTERFACE: &str = "wasi:io/streams@0.2.12";

pub(super) fn replace(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    link::replace(linker, INTERFACE, |streams| {
        streams.func_wrap(
            "[method]output-stream.write",
            |store: StoreContextMut<'_, RunState>,
             (stream, bytes): (Resource<DynOutputStream>, WasmList<u8>)| {
                Ok((write(store, stream, &bytes)?,))
            },
        )
    })
}

fn write(
    mut store: StoreContextMut<'_, RunState>,
    stream: Resource<DynOutputStream>,
    bytes: &WasmList<u8>,
) -> wasmtime::Result<Result<(), StreamError>> {
    if bytes.len() > WRITE_BYTES {
        return Err(too_much(bytes.len()));
    }
    store.data().spend(STREAM + bytes.len() as u64)?;
    let bytes = bytes.as_le_slice(&store).to_vec();
    let table = &mut store.data_mut().wasi().table;
    Ok(match table.write(stream, bytes) {
        Ok(()) => Ok(()),
        Err(error) => Err(table.convert_stream_error(error)?),
    })
}

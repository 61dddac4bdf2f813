//! The functions of WASI 0.3 that ask the system for one thing. A guest may call thousands at once:
//! they wait for their turn. The paths that one keeps meanwhile are short, and the host holds them
//! for the run.

use std::sync::Arc;

use wasmtime::AsContext as _;
use wasmtime::component::{Accessor, Linker, Resource, WasmStr};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystem};
use wasmtime_wasi::p3::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, ErrorCode, HostDescriptorWithStore,
    MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p3::filesystem::FilesystemResult;

use super::{NEW, turn};
use crate::host_memory::Hold;
use crate::state::RunState;
use crate::wasi::link;
use crate::wasi::price::files;

/// How long a path may be, in bytes: as long as on Linux.
const PATH_BYTES: usize = 4 << 10;

/// Replaces functions of a descriptor by themselves, each when it is its turn. Those among their
/// parameters that are paths are named behind them.
macro_rules! replace_calls {
    ($linker:expr; $(
        $name:literal $function:ident($($parameter:ident: $type:ty),*) [$($path:ident),*] -> $result:ty;
    )*) => {
        $(
            link::replace($linker, NEW, |types| {
                types.func_wrap_concurrent(
                    concat!("[method]descriptor.", $name),
                    |store: &Accessor<RunState>,
                     (descriptor, $($parameter,)*): (Resource<Descriptor>, $($type,)*)| {
                        Box::pin(async move {
                            $(
                                let Some(($path, _held)) = short(store, &$path)? else {
                                    return Ok((Err(ErrorCode::NameTooLong),));
                                };
                            )*
                            let _turn = turn(turns(store)).await;
                            let files = store.with_getter::<WasiFilesystem>(files);
                            let done: FilesystemResult<$result> =
                                <WasiFilesystem as HostDescriptorWithStore<RunState>>::$function(
                                    &files, descriptor, $($parameter),*
                                ).await;
                            Ok((match done {
                                Ok(given) => Ok(given),
                                Err(error) => Err(error.downcast()?),
                            },))
                        })
                    },
                )
            })?;
        )*
    };
}

pub(super) fn replace(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    replace_calls! { linker;
        "advise" advise(offset: u64, length: u64, advice: Advice) [] -> ();
        "sync-data" sync_data() [] -> ();
        "get-flags" get_flags() [] -> DescriptorFlags;
        "get-type" get_type() [] -> DescriptorType;
        "set-size" set_size(size: u64) [] -> ();
        "set-times" set_times(accessed: NewTimestamp, modified: NewTimestamp) [] -> ();
        "sync" sync() [] -> ();
        "create-directory-at" create_directory_at(path: WasmStr) [path] -> ();
        "stat" stat() [] -> DescriptorStat;
        "stat-at" stat_at(flags: PathFlags, path: WasmStr) [path] -> DescriptorStat;
        "set-times-at" set_times_at(
            flags: PathFlags, path: WasmStr, accessed: NewTimestamp, modified: NewTimestamp
        ) [path] -> ();
        "link-at" link_at(
            flags: PathFlags, old: WasmStr, folder: Resource<Descriptor>, new: WasmStr
        ) [old, new] -> ();
        "open-at" open_at(
            flags: PathFlags, path: WasmStr, open: OpenFlags, access: DescriptorFlags
        ) [path] -> Resource<Descriptor>;
        "readlink-at" readlink_at(path: WasmStr) [path] -> String;
        "remove-directory-at" remove_directory_at(path: WasmStr) [path] -> ();
        "rename-at" rename_at(
            old: WasmStr, folder: Resource<Descriptor>, new: WasmStr
        ) [old, new] -> ();
        "symlink-at" symlink_at(old: WasmStr, new: WasmStr) [old, new] -> ();
        "unlink-file-at" unlink_file_at(path: WasmStr) [path] -> ();
        "metadata-hash" metadata_hash() [] -> MetadataHashValue;
        "metadata-hash-at" metadata_hash_at(flags: PathFlags, path: WasmStr) [path] -> MetadataHashValue;
    }
    link::replace(linker, NEW, |types| {
        types.func_wrap_concurrent(
            "[method]descriptor.is-same-object",
            |store: &Accessor<RunState>,
             (one, other): (Resource<Descriptor>, Resource<Descriptor>)| {
                Box::pin(async move {
                    let _turn = turn(turns(store)).await;
                    let files = store.with_getter::<WasiFilesystem>(files);
                    let same =
                        <WasiFilesystem as HostDescriptorWithStore<RunState>>::is_same_object(
                            &files, one, other,
                        );
                    Ok((same.await?,))
                })
            },
        )
    })
}

fn turns(store: &Accessor<RunState>) -> Arc<tokio::sync::Semaphore> {
    store.with(|mut access| Arc::clone(&access.data_mut().wasi().file_turns))
}

/// A path, copied if it is short enough. It counts as long as the hold lives.
fn short(store: &Accessor<RunState>, path: &WasmStr) -> wasmtime::Result<Option<(String, Hold)>> {
    store.with(|access| {
        let store = access.as_context();
        let text = path.to_str(&store)?;
        store.data().owe(text.len() as u64);
        if text.len() > PATH_BYTES {
            return Ok(None);
        }
        let hold = store.data().held.hold(text.len() as u64)?;
        Ok(Some((text.into_owned(), hold)))
    })
}

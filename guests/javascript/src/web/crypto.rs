//! Digests, and random bytes from the host.

use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Result, TypedArray};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::host;

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("digest", Function::new(ctx.clone(), digest)?)?;
    native.set("randomBytes", Function::new(ctx.clone(), random_bytes)?)?;
    Ok(())
}

fn digest<'js>(
    ctx: Ctx<'js>,
    algorithm: String,
    bytes: TypedArray<'js, u8>,
) -> Result<ArrayBuffer<'js>> {
    // SAFETY: nothing runs or is allocated in the engine while the slice is in use.
    let bytes = unsafe { bytes.as_bytes() }.unwrap_or_default();
    let digest = match algorithm.as_str() {
        "SHA-1" => Sha1::digest(bytes).to_vec(),
        "SHA-256" => Sha256::digest(bytes).to_vec(),
        "SHA-384" => Sha384::digest(bytes).to_vec(),
        "SHA-512" => Sha512::digest(bytes).to_vec(),
        _ => return Err(Exception::throw_type(&ctx, "no such algorithm")),
    };
    ArrayBuffer::new(ctx, digest)
}

/// At most [`host::MAX_RANDOM_BYTES`]; the prelude checks this with the message that the
/// specification asks for.
fn random_bytes(ctx: Ctx<'_>, count: u32) -> Result<TypedArray<'_, u8>> {
    TypedArray::new(ctx, host::random_bytes(count.min(host::MAX_RANDOM_BYTES)))
}

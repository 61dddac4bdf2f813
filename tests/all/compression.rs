//! Python's `bz2`, `lzma` and `compression.zstd`, against other programs that read and write these
//! formats. What a script sees of the modules is in `guests/python/tests/cases/compression.toml`.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ampoule::{Limits, Script};
use ampoule_tests::{installed, runtime, value_of};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ruzstd::decoding::StreamingDecoder;
use serde_json::{Value, json};

/// What is compressed: text, and bytes that can't be made smaller.
const CONTENT: &str = "
import random
content = b''.join(b'%d bottles of beer\\n' % n for n in range(5_000)) + random.Random(7).randbytes(10_000)
";

/// The ways in which CPython's own `bz2` and `lzma` compress it.
const NATIVE_WAYS: &str = "
import bz2, lzma
chain = [{'id': lzma.FILTER_DELTA, 'dist': 4}, {'id': lzma.FILTER_LZMA2, 'preset': 3, 'dict_size': 1 << 16}]
branches = [{'id': lzma.FILTER_X86}, {'id': lzma.FILTER_LZMA2}]
single = [{'id': lzma.FILTER_LZMA1, 'lc': 1, 'lp': 2, 'pb': 0}]
ways = {
    'bz2 1': lambda: bz2.compress(content, 1),
    'bz2 9': lambda: bz2.compress(content),
    'bz2 of several streams': lambda: bz2.compress(content[:100]) + bz2.compress(content[100:]),
    'xz': lambda: lzma.compress(content),
    'xz 0': lambda: lzma.compress(content, preset=0),
    'xz 4e': lambda: lzma.compress(content, preset=4 | lzma.PRESET_EXTREME),
    'xz without a check': lambda: lzma.compress(content, check=lzma.CHECK_NONE),
    'xz with CRC32': lambda: lzma.compress(content, check=lzma.CHECK_CRC32),
    'xz with SHA256': lambda: lzma.compress(content, check=lzma.CHECK_SHA256),
    'xz with filters': lambda: lzma.compress(content, filters=chain),
    'xz with branches': lambda: lzma.compress(content, filters=branches),
    'xz of several streams': lambda: lzma.compress(content[:100]) + lzma.compress(content[100:]),
    'alone': lambda: lzma.compress(content, format=lzma.FORMAT_ALONE),
    'alone with a filter': lambda: lzma.compress(content, format=lzma.FORMAT_ALONE, filters=single),
    'raw': lambda: lzma.compress(content, format=lzma.FORMAT_RAW, filters=chain),
    'raw with LZMA1': lambda: lzma.compress(content, format=lzma.FORMAT_RAW, filters=single),
}
def unpacked(way, data):
    if way.startswith('bz2'):
        return bz2.decompress(data)
    if way.startswith('raw'):
        return lzma.decompress(data, lzma.FORMAT_RAW, filters=single if 'LZMA1' in way else chain)
    return lzma.decompress(data)
";

/// What makes of all ways JSON.
const COMPRESS: &str = "
import base64
compressed = {way: base64.b64encode(make()).decode() for way, make in ways.items()}
";

/// What is wrong with what another made.
const UNPACK: &str = "
import base64
wrong = [way for way, data in others.items() if unpacked(way, base64.b64decode(data)) != content]
wrong += [way for way in ways if way not in others]
";

fn script(parts: &[&str]) -> Script {
    Script::python(parts.concat())
}

async fn value(script: Script) -> Value {
    value_of(script, *runtime().limits()).await
}

/// What a program prints under the machine's own Python, as JSON.
fn natively(python: &Path, program: &str, input: &Value) -> Value {
    let mut child = Command::new(python)
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let stdin = child.stdin.take().expect("its input");
    serde_json::to_writer(stdin, input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{:?}", output.status);
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[tokio::test]
async fn scripts_and_the_machines_python_read_each_others_data() {
    let test = "compression::scripts_and_the_machines_python_read_each_others_data";
    let Some(python) = installed(test, "python3") else {
        return;
    };
    let native = [
        CONTENT,
        NATIVE_WAYS,
        COMPRESS,
        "import json\nprint(json.dumps(compressed))",
    ];
    let theirs = natively(&python, &native.concat(), &Value::Null);
    let reading = [
        "others = env.others\n",
        CONTENT,
        NATIVE_WAYS,
        UNPACK,
        "return wrong",
    ];
    let wrong = value(script(&reading).env("others", theirs)).await;
    assert_eq!(wrong, json!([]));
    let writing = [CONTENT, NATIVE_WAYS, COMPRESS, "return compressed"];
    let ours = value(script(&writing)).await;
    let native = [
        "import json, sys\nothers = json.load(sys.stdin)\n",
        CONTENT,
        NATIVE_WAYS,
        UNPACK,
        "print(json.dumps(wrong))",
    ];
    let wrong = natively(&python, &native.concat(), &ours);
    assert_eq!(wrong, json!([]));
}

/// Frames that the command `zstd` 1.5 made, at level 1, level 19 with a checksum, and level 22 with
/// long distances.
const ZSTD_FRAMES: [&str; 3] = [
    "\
     KLUv/QRIhR0A1vJmFbBpOUBhagoSYChOSplkSskXO1F3AnEAVwBiACIil8vICAlJSUnsO8/3ve/L5f8/n9Pp9XpsNh\
     xOp+PxyMh8PjMzNDQ1NTEakUilkskkJHQ6DQ0RERUVRfGw4oHFQ4sHFw9SPLx4mOKBiocqHgACDg4EGgAIDBgAEBIA\
     FAgIBgAKEgAWCA4YGBIGACIah8ViwWA0Gg6HhMTjMTFBQVFREdvGcV3neTLZ981mNFqtFuNIkmVpmkLheQ6HRGKxGO\
     vKsm3rulLp+06nVGq1GvNM03Vt22LxfY/HZHK5HJMJhVKpWCwBUhKP7zvP973vy+X/P5/T6fV6TMxmw5mZmZmZmRki\
     IiIiIiIiIiI6HA6Hw+FwOBwiIiIiIrZt2zaSJEmybdu2tW3btkVERERE/v///5mZmZkZIiIiIqIddthhhx122GGHHR\
     Yb2doi/wwdYrFt47iu8zyZ7PtmMxqtVgsGR7IsTVMoPM/hkEgsFqPRdWXZtnVdqfR9p1NqNRyeZ5qua9sWi+97PCaT\
     y+WQkMmEQqlULBaRy8gICUkFgsWo0up2rf8bYo+iJKUDEvgbRIYIVYUfpg/2RJL3X0H7I7hSPmhl9N4h0GBmHAueIF\
     LiQJFDlX0Q4oIyjz0Rs478KUc8CnKosg9CHFDmUZCDhDxU7oBCxKyzQd0zD8o9FuyBkAeVOxDkoGIPhDygEDHr9FBx\
     7IAwjzU5IOQhZQeEOaDYYyEHKERmnV9UHDDdnkH1IRkoH5KB+iAZqA/JgEIQwDGQAl+kFPM1pfQwKoXyqtT7Y6UyoC\
     vV52Dp9JelvhAt0Q409xaVFJ/Htr00ii4GbhjdKh+Y9K53NYonH6wYUi0EOsVu620KPj+uGtJKHlqFUe5gG0Y+1DYy\
     eh5bh9PmbSuMOFSwVEoechcT/utXjnjQbmWKGGKSK+bLap4Y3Olli3jgnjPGlSvYNKBraZcQ7N2zhrNp3nhAyUnUKe\
     CdVpuD73zxQNloqzHArE7Yh+m88kHB0+1xwFwUtoK3JTn8b0mN85buqVsqhG5JX+eW1tC31Dy+JSXXLe3Sbok2QfCw\
     pJ7h074hQZbS4kVIoMX8MvAjsvAdCTBFMV8G/IgUekcCZlHMl4E/IoXXkYApCvNl4IdI4TslYIpifhn4EVL4jgSYop\
     gvA35EKr4jAbMo5suAH5HC60jAFIX5MvBHpPCdEjCzIvBdDPSj0QP+YQiWPvgwD43g69uHdQAEU19/+IchGJWkurEQ\
     WO+NNgRRaQVjhaLB",
    "\
     KLUv/QRoNAkAhtQrFKAbiwEA7c7xD/9o293dvbVcvYoHMQApACUAqbo7KNFXmd0hZqruDkv0VWZ3iJmqu8NQQCAkCf\
     EEBuIEyhIwhlEExxI0RuI4SxEQWZipujsY0VeZ3SFmqu4OR/RVZneImaq7AxJ9ldkdYqbq7pBEX2V2h5gB//8/0VeZ\
     3SFmqu4ORPRVZneImaq7w0RfZXaHmKm6OxTRV5ndYf//////////////////////////H4EwqFHsC/u/AfFrbAcxBP\
     8Igxd+RvABNjYmblja2HhxcWnjxsXFpf4tVT7Di6MGAAIRbZgGYQFLRBunQVjAEtHGaRAWsES0MS2EBSwRbUyDsEBL\
     RBvTICxgFdHGNAgLWFK0MQ3CApYYbUyD0C0Aq6ohgloFVAIAtQYxgJisoD6AHyHJwxyI0xzkwZjkYQ7EaQ7yYEzyMA\
     fiNAd5MCZ5mANxeodXtkre6Bm5k1eyTt7Ima2TVXpOzuiVrZI3ekaLiwE1AgAAgJloABDw+xkR/CcQXvgjH2MYwxjG\
     MIYxjGEMY/Dh0v/a6X91+l85/a9O/yun/9Xpf+X0vzr9r5z+V6f/ldP/6vS/cnqNY4WiwQ==",
    "\
     KLUv/WBEPEUQADYbMBaQqVkDgFlBeS1td8ctLW0ipQFc1xuARgA6ABUAd4SUYsw5CCVTtdkdIaUYcw5C6VRtdkdIKc\
     acg1BCVZvdEVKKMecglJIBjsDhIGgcBAPjQCQOBYEwOAqJY0E4MBiJwVF1AShV1WZ3hJRizDkIpVWb3RFSijHnIJSs\
     arM7Qkox5hyE0lVtdkdIKcacg1AiVZvdEVKKMecglErVZgH//////////////1+12R0hpRhzDgr///////////////\
     //H4JhqOLaL+z/BmLt03YyCPwjIPCCn2H4AX/KnLnscmWSP7988+Wab+5ccuWoFz7ip1W5uy9x1yvIvubVryiaGne9\
     guzrWPsaQq9zr3tIrci1ryH0Oq96h9HUvPsVR1fCrncYTc17XWNsRe59D7lVsfQ1xlbk3q8w2xJ2v+PoS1rlDrMtYf\
     d7iL2Mpe8xtzq2usTYy1j6Hkdb4yp3nH3Jq11BtjWusnOyCidVOuqiq3eoNutyS2a7NvJil69wPNfFNVy3TfRMT89o\
     fM7DLtx2U6zLrlql+qyDL7ntksmbXZzDec9b6m/KRukzTESm2VyQA8kYhQAT0lTUg0o4SMAnwJQUg4EdiAETwmRFp0\
     gZWMAmgNkQB8EZjAAmxHTEB1kwSYAnoJkwA4VZCAEnxKRMh4k4UIEngKkSJoEbKAHkCYm1tCF7bSs=",
];

/// What the frames have.
const BOTTLES: &str = "''.join(f'{n} bottles of beer on the wall, {n} bottles of beer\\n' for n in range(300, 0, -1)).encode()";

#[tokio::test]
async fn scripts_read_what_the_command_zstd_made() {
    let source = format!(
        "
import base64
from compression import zstd
frames = [base64.b64decode(frame) for frame in env.frames]
content = {BOTTLES}
skipped = bytes.fromhex('502a4d18') + (3).to_bytes(4, 'little') + b'abc'
known = [zstd.get_frame_info(frame).decompressed_size for frame in frames]
return [
    [zstd.decompress(frame) == content for frame in frames],
    zstd.decompress(frames[0] + skipped + frames[1]) == content * 2,
    [size in (None, len(content)) for size in known],
    [zstd.get_frame_size(frame + b'more') == len(frame) for frame in frames],
]
"
    );
    let read = value(Script::python(source).env("frames", json!(ZSTD_FRAMES))).await;
    let all = [true; 3];
    assert_eq!(read, json!([all, true, all, all]));
}

#[tokio::test]
async fn a_decoder_in_rust_reads_what_scripts_made_with_zstd() {
    let source = "
import base64
from compression import zstd
from compression.zstd import CompressionParameter, Strategy, ZstdCompressor
ways = {f'level {level}': zstd.compress(content, level) for level in (-5, 1, 3, 9, 15, 19)}
ways['options'] = zstd.compress(content, options={
    CompressionParameter.checksum_flag: 1,
    CompressionParameter.strategy: Strategy.btopt,
    CompressionParameter.enable_long_distance_matching: 1,
})
compressor = ZstdCompressor(7)
parts = [compressor.compress(content[at:at + 10_000]) + compressor.flush(ZstdCompressor.FLUSH_BLOCK) for at in range(0, len(content), 10_000)]
ways['parts'] = b''.join(parts) + compressor.flush()
import hashlib
return [hashlib.sha256(content).hexdigest(), {way: base64.b64encode(data).decode() for way, data in ways.items()}]
";
    let written = value(script(&[CONTENT, source])).await;
    let digest = |bytes: &[u8]| {
        let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
        digest
            .as_ref()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    let ways = written[1].as_object().expect("the ways");
    assert_eq!(ways.len(), 8);
    for (way, data) in ways {
        let data = STANDARD
            .decode(data.as_str().expect("text"))
            .expect("base64");
        let mut content = Vec::new();
        StreamingDecoder::new(&data[..])
            .expect("a frame")
            .read_to_end(&mut content)
            .unwrap_or_else(|error| panic!("{way}: {error}"));
        assert_eq!(written[0], digest(&content), "{way}");
    }
}

#[tokio::test]
async fn archives_are_written_and_read_in_all_formats() {
    let source = "
import io, pathlib, shutil, tarfile, zipfile
content = {'a.txt': b'a' * 100_000, 'folder/b.bin': bytes(range(256)) * 50}
for name, data in content.items():
    path = pathlib.Path('/tmp/from', name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
wrong = []
for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_ZSTANDARD):
    file = io.BytesIO()
    with zipfile.ZipFile(file, 'w', method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    with zipfile.ZipFile(file) as archive:
        kinds = {info.compress_type for info in archive.infolist()}
        if archive.testzip() or kinds != {method} or {name: archive.read(name) for name in archive.namelist()} != content:
            wrong.append(method)
for kind in ('bz2', 'xz', 'zst'):
    name = f'/tmp/a.tar.{kind}'
    with tarfile.open(name, f'w:{kind}') as archive:
        for one in content:
            archive.add(f'/tmp/from/{one}', one)
    for mode in (f'r:{kind}', 'r:*', f'r|{kind}'):
        with tarfile.open(name, mode) as archive:
            if {one.name: archive.extractfile(one).read() for one in archive} != content:
                wrong.append(mode)
for kind in ('bztar', 'xztar', 'zstdtar'):
    archive = shutil.make_archive('/tmp/made', kind, '/tmp/from')
    shutil.unpack_archive(archive, f'/tmp/{kind}')
    if any(pathlib.Path('/tmp', kind, name).read_bytes() != data for name, data in content.items()):
        wrong.append(kind)
return wrong
";
    // The default preset of LZMA takes much memory, and here several times.
    let limits = Limits {
        memory_bytes: 512 << 20,
        ..*runtime().limits()
    };
    let wrong = value_of(Script::python(source), limits).await;
    assert_eq!(wrong, json!([]));
}

#[tokio::test]
async fn only_what_is_asked_for_is_unpacked() {
    // Zeros, of which a run of less memory reads the beginning.
    let source = "
import bz2, lzma
from compression import zstd
def bomb(compressor, megabytes=100):
    block = bytes(1 << 20)
    return b''.join([*(compressor.compress(block) for _ in range(megabytes)), compressor.flush()])
read = []
for compressor, decompressor in (
    (bz2.BZ2Compressor(1), bz2.BZ2Decompressor()),
    (lzma.LZMACompressor(preset=0), lzma.LZMADecompressor()),
    (zstd.ZstdCompressor(1), zstd.ZstdDecompressor()),
):
    data = bomb(compressor)
    total = len(decompressor.decompress(data, 1000))
    while total < 5_000_000 and not decompressor.needs_input:
        total += len(decompressor.decompress(b'', 100_000))
    read.append([total >= 5_000_000, decompressor.eof])
return read
";
    let limits = Limits {
        memory_bytes: 96 << 20,
        fuel: 100_000_000_000,
        wall_time: Duration::from_secs(120),
        ..*runtime().limits()
    };
    let read = value_of(Script::python(source), limits).await;
    let one = json!([true, false]);
    assert_eq!(read, json!([one, one, one]));
}

/// What CPython made with `preset=9`: a decoder needs 64 MiB for it.
const XZ_OF_PRESET_9: &str = "\
     /Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4D5/AEZdADEbywH2EC9bwcLOWPB5vm2+aMDg4MuBctsA5miIJT+GLMb3YiQjmdZgvtI4A7dTTL/PblQaAxb/T+EoWhbif9arCsuwjAAAAACa+gm+MQdIlQABYoB9AAAAX7LarrHEZ/sCAAAAAARZWg==";

#[tokio::test]
async fn a_run_has_memory_for_the_default_preset_of_lzma_and_to_read_all() {
    let source = "
import base64, lzma
read = lzma.decompress(base64.b64decode(env.data)) == b'bottles of beer ' * 1000
ended = []
for preset in range(4, 10):
    try:
        ended.append(lzma.decompress(lzma.compress(b'abc', preset=preset)).decode())
    except MemoryError as error:
        ended.append(type(error).__name__)
return [read, ended]
";
    let ended = value(Script::python(source).env("data", XZ_OF_PRESET_9)).await;
    let (fits, not) = ("abc", "MemoryError");
    assert_eq!(ended, json!([true, [fits, fits, fits, not, not, not]]));
}

//! Python that takes memory.

use super::{Hostile, python};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python(
            "memory growth",
            "
            d = {}
            n = 0
            while True:
                d[n] = str(n)
                n += 1
            ",
            "limit:memory",
        ),
        python(
            "memory growth that catches MemoryError",
            "
            all = []
            while True:
                try:
                    all.append('x' * 10000)
                except MemoryError:
                    pass
            ",
            "limit:fuel",
        ),
        python(
            "memory growth that catches everything",
            "
            all = []
            while True:
                try:
                    all.append(bytearray(1000))
                except BaseException:
                    pass
            ",
            "limit:fuel",
        ),
        python(
            "one huge string",
            "
            s = 'x' * (1 << 20)
            while True:
                s += s
            ",
            "limit:memory",
        ),
        python(
            "one huge string, caught, and another error later",
            "
            s = 'x' * (1 << 20)
            try:
                while True:
                    s += s
            except MemoryError:
                s = None
            raise ValueError('another')
            ",
            "threw:ValueError",
        ),
        python(
            "one huge string, caught",
            "
            s = 'x' * (1 << 20)
            try:
                while True:
                    s += s
            except MemoryError:
                n = len(s)
                s = None
            n > 1 << 20
            ",
            "returned",
        ),
        python(
            "a string longer than any",
            "x = 'a' * 10 ** 10",
            "threw:OverflowError",
        ),
        python(
            "a list of a billion numbers",
            "list(range(10 ** 9))",
            "threw:MemoryError",
        ),
        python(
            "a list of a billion zeros",
            "[0] * 10 ** 9",
            "threw:MemoryError",
        ),
        python(
            "one huge bytearray",
            "bytearray(2 ** 40)",
            "threw:OverflowError",
        ),
        python(
            "the product of long ranges",
            "
            import itertools
            list(itertools.product(range(1000), repeat=5))
            ",
            "limit:memory",
        ),
        python(
            "a small archive of a large text",
            r"
            import zlib
            d = zlib.decompressobj().decompress(zlib.compress(zlib.compress(b'\0' * 50_000_000)))
            import zlib
            len(zlib.decompress(zlib.compress(b'0' * (30 << 20)))) 
            ",
            "limit:memory",
        ),
        python(
            "a wide field in an f-string",
            "f'{1:>{10**9}}'",
            "limit:memory",
        ),
        python("a wide field in %", "'%0*d' % (10 ** 9, 1)", "limit:memory"),
        python(
            "a precise float",
            "'{:.1000000000f}'.format(1.5)",
            "limit:memory",
        ),
        python(
            "a precise decimal",
            "
            from decimal import Decimal, getcontext
            getcontext().prec = 10 ** 8
            Decimal(1) / Decimal(3)
            ",
            "limit:memory",
        ),
        python(
            "a large structure",
            "
            import struct
            struct.pack('1000000000x')
            ",
            "limit:memory",
        ),
        python(
            "a large blob of a database",
            r#"
            import sqlite3
            list(sqlite3.connect(':memory:').execute("select zeroblob(1000000000)"))
            "#,
            "limit:memory",
        ),
        python(
            "a result without an end",
            "
            import itertools
            return itertools.count()
            ",
            "limit:memory",
        ),
        python(
            "a pickle that announces much",
            r"
            import pickle
            pickle.loads(b'Nr\xff\xff\xff\x7f.')
            ",
            "threw:MemoryError",
        ),
        python(
            "marshal that announces much",
            r"
            import marshal
            marshal.loads(b'[\xff\xff\xff\x7f')
            ",
            "threw:MemoryError",
        ),
        python(
            "much entropy at once",
            "
            import os
            os.urandom(10**9)
            ",
            "limit:memory",
        ),
        python(
            "bombs of three formats, each in another",
            "
            import bz2, lzma
            from compression import zstd
            for pack, unpack in [
                (bz2.BZ2Compressor(1), bz2.decompress),
                (lzma.LZMACompressor(preset=0), lzma.decompress),
                (zstd.ZstdCompressor(1), zstd.decompress),
            ]:
                # Streams behind each other are read as one.
                bomb = (pack.compress(bytes(1 << 20)) + pack.flush()) * 40
                try:
                    unpack(bomb)
                except MemoryError:
                    pass
                else:
                    raise ValueError('it fits')
            unpack(bomb)
            ",
            "limit:memory",
        ),
        python(
            "a frame that says it needs more memory than there is",
            "
            from compression import zstd
            # A window of one gigabyte, and a block that has no end.
            frame = bytes.fromhex('28b52ffd00a0') + bytes.fromhex('fcff0f') + b'x' * 1000
            most = zstd.DecompressionParameter.window_log_max
            try:
                zstd.ZstdDecompressor(options={most: most.bounds()[1]}).decompress(frame)
            except zstd.ZstdError as error:
                return str(error)
            raise ValueError('it is read')
            ",
            "returned",
        ),
    ]
}

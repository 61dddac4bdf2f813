import array
import numpy as np
a = np.frombuffer(b"\x01\x00\x02\x00", dtype="<i2"); print(a, a.flags.writeable, memoryview(np.arange(6).reshape(2, 3)).shape, memoryview(np.arange(6).reshape(2, 3)).format, memoryview(np.arange(6)).tolist(), np.asarray(array.array("d", [1.5])), np.array(memoryview(b"ab")), bytes(np.arange(3, dtype="u1")), np.arange(3).tobytes(), np.ndarray((2,), dtype="i4", buffer=bytearray(8)), memoryview(np.arange(6).reshape(2, 3)).strides)
v = memoryview(bytearray(16)).cast("q"); n = np.asarray(v); n[1] = 5; print(v.tolist(), np.lib.stride_tricks.sliding_window_view(np.arange(5), 3), np.lib.stride_tricks.as_strided(np.arange(4), (2, 2), (8, 8)))
try:
    np.frombuffer(b"abc", dtype="i4")
except ValueError as error:
    print(error)

import numpy as np
a = np.array(["apple", "fig", "cherry"])
print(np.char.str_len(a), a[np.argsort(np.strings.str_len(a))], np.isin(a, ["fig"]), np.sort(a), a.tolist(), np.char.upper(a), np.strings.find(a, "e"), np.array([b"x"]).dtype, np.array(["a"], dtype=object), np.unique(a).size, np.array2string(np.arange(3), separator=","), np.array_repr(np.eye(2)))
np.set_printoptions(precision=2, suppress=True); print(np.array([1.23456, 1e-9]), np.arange(2000))
import io
f = io.StringIO(); np.savetxt(f, np.eye(2), fmt="%.1f", delimiter=","); print(f.getvalue(), np.loadtxt(io.StringIO("1 2\n3 4")), np.genfromtxt(io.StringIO("1,,3"), delimiter=","), np.fromstring("1 2 3", sep=" ") if False else "")
b = io.BytesIO(); np.save(b, np.arange(3)); b.seek(0); print(np.load(b)); b = io.BytesIO(); np.savez(b, x=np.eye(2)); b.seek(0); print(np.load(b)["x"])

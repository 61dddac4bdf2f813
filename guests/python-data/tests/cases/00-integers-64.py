import numpy as np
a = np.arange(50000) ** 2
print(a[-1], a.dtype, a.sum())
print(np.array([1, 2, 3]).dtype, np.int_(5).dtype, np.zeros(3, int).dtype)
print(np.array([3000000000]) * 4, np.prod([100000, 100000]), np.cumsum([2**31, 2**31]))
print(repr(np.argsort([3, 1, 2])), repr(np.where(np.array([1, 0, 2]) > 0)), repr(np.nonzero([0, 1])))
print(np.iinfo(np.int_).max, np.intp(0).itemsize, np.array([1.9, -2.9]).astype(int))

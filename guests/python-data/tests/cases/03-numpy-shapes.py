import numpy as np
a = np.arange(24).reshape(2, 3, 4)
print(a.shape, a.T.shape, a[:, 1, ::2], a.sum(axis=(0, 2)), a.mean(axis=0))
print(np.stack([a[0], a[1]]).shape, np.concatenate([a, a], axis=1).shape, np.repeat([1, 2], [2, 3]), np.tile([1, 2], 2))
print(np.unique([3, 1, 2, 3], return_counts=True), np.bincount([0, 1, 1, 5]), np.histogram([1, 2, 2, 3], bins=3))
print(np.digitize([0.5, 1.5], [0, 1, 2]), np.searchsorted([1, 2, 3], 2.5), np.clip([-1, 5], 0, 3), np.diff([1, 4, 9]))
print(np.meshgrid([1, 2], [3, 4])[0].tolist(), np.outer([1, 2], [3, 4]).tolist(), np.percentile([1, 2, 3, 4], [25, 50]), np.median([3, 1, 2]))
b = np.broadcast_to(np.array([1, 2, 3]), (2, 3)); print(b + [[10], [20]], b.strides)
print(np.split(np.arange(6), 3), np.roll([1, 2, 3], 1), np.flip([[1, 2], [3, 4]]), np.argmax([[1, 5], [7, 2]], axis=1))
try:
    a.reshape(5, 5)
except ValueError as error:
    print(error)
try:
    np.ones(3) + np.ones(4)
except ValueError as error:
    print(error)

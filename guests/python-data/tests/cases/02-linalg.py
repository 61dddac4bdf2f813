import numpy as np
a = np.array([[2.0, 1.0], [1.0, 3.0]])
print(np.linalg.inv(a).round(6), np.linalg.det(a).round(6), np.linalg.solve(a, [1, 2]).round(6))
print(np.linalg.eigvalsh(a).round(6), np.linalg.norm(a).round(6), np.linalg.matrix_rank(a))
print(np.linalg.svd(a, compute_uv=False).round(6), np.linalg.qr(a)[1].round(6).tolist())
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print(type(error).__name__, error)
try:
    np.linalg.cholesky(-np.eye(2))
except np.linalg.LinAlgError as error:
    print(error)
print(np.linalg.lstsq(np.vander([1, 2, 3, 4], 2), [1, 3, 5, 7.1])[0].round(6), (a @ a).tolist(), np.einsum("ij,jk->ik", a, a))
print(np.polyfit([0, 1, 2, 3], [1, 3, 5, 7], 1).round(6), np.corrcoef([1, 2, 3], [1, 2, 4]).round(6))

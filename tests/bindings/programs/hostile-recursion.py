def down(n):
    return down(n + 1) + 1

try:
    down(0)
except RecursionError:
    return 'survived'

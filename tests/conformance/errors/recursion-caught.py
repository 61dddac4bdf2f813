def f():
    return 1 + f()
try:
    f()
except RecursionError:
    return 'caught'

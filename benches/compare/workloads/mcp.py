for n in range(20):
    result = host.sum(a=n, b=1)
result

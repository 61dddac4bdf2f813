for n in range(20):
    result = host.add(a=n, b=1)
result

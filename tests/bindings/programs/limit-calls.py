n = 0
while True:
    await host.add(a=n, b=1)
    n += 1

result = 0
for n in range(1000):
    result += host.echo(n=n)["n"]
result

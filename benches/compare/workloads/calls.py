result = 0
for n in range(1000):
    answer = host.echo(n=n)
    result += answer["n"]
result

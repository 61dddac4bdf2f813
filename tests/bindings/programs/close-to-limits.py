plain = await host.echo(value='x' * 99_900)
wide = await host.echo(value='ü' * 49_950)
added = await host.add(a=len(wide), b=49_950)
return [len(plain), added.sum, 'ü' * 80]

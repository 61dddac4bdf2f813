await host.echo(value='x' * 10_000)

await host.echo({ value: 'x'.repeat(10_000) });

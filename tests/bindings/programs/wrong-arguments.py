await host.add(a='many', b=1)

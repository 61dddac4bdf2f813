await host.ad(a=1, b=1)

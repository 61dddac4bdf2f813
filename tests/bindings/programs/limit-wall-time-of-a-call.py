await host.sleep(ms=60_000)

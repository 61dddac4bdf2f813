result = host.hold()["held"]
result

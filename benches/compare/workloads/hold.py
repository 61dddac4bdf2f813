answer = host.hold()
result = answer["held"]
result

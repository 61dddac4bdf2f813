import urllib.request

def passwd():
    return open('/etc/passwd').read()

def fetch():
    return urllib.request.urlopen('http://127.0.0.1:9/')

def spawn():
    import subprocess
    return subprocess.check_output(['id'])

refused = []
for each in (fetch, passwd, spawn):
    try:
        each()
        refused.append(False)
    except Exception:
        refused.append(True)
return refused

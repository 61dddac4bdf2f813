import re
return bool(re.match(r'^(a+)+$', 'a' * 64 + 'b'))

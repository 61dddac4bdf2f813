import { readFileSync } from 'node:fs';
readFileSync('/etc/passwd');

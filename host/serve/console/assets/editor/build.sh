#!/bin/sh
# Makes editor.min.js again, of what package.json pins. The file is committed: building Ampoule
# needs no Node.
set -eu
cd "$(dirname "$0")"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp package.json editor.js "$build"
(cd "$build" && npm install --silent --no-audit --no-fund --ignore-scripts)
"$build/node_modules/.bin/esbuild" "$build/editor.js" --bundle --minify --format=esm --target=es2022 \
  --legal-comments=none --charset=utf8 --outfile=editor.min.js

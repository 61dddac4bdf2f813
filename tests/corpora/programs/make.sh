#!/usr/bin/env bash
# Writes what the native interpreters print: `make.sh [NAME...]`, for all programs or for some.
# README.md says which interpreters these are.
set -euo pipefail
cd "$(dirname "$0")"
here="$PWD" python="${PYTHON:-python3.14}" node="${NODE:-node}"
apart=(--mount)
[ "$(id -u)" = 0 ] || apart+=(--user --map-root-user)
[ $# -gt 0 ] || set -- python/*.py javascript/*.js javascript/*.ts

# What a program prints, output and errors in their order. It sees an empty /tmp of its own, as in an isolate.
printed() {
  program="$here/$1" seed="$2" python="$python" node="$node" here="$here" unshare "${apart[@]}" bash -c '
    mount -t tmpfs none /tmp && mkdir /tmp/work && cd /tmp/work
    case "$program" in
      *.py)
        cp "$program" .
        TZ=UTC LC_ALL=C.UTF-8 PYTHONTZPATH= PYTHONHASHSEED="$seed" PYTHONUNBUFFERED=1 "$python" "$(basename "$program")" 2>&1
        ;;
      *) TZ=UTC LC_ALL=en_US.UTF-8 "$node" "$here/native.mjs" "$program" 2>&1 ;;
    esac'
}

for program in "$@"; do
  first="$(printed "$program" 0 && echo .)"
  second="$(printed "$program" 7 && echo .)"
  if [ "$first" != "$second" ]; then
    echo "$program prints something else each time." >&2
    exit 1
  fi
  printf '%s' "${first%.}" > "${program%.*}.expected"
done

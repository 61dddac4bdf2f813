#!/bin/sh
# Installs Ampoule @VERSION@: finds out which system and processor this is, downloads the archive for
# them, compares its digest with the one below, and only then unpacks it.
#
#   sh install.sh --from ADDRESS [--prefix FOLDER]
#
# ADDRESS is the folder on the web that has the archives, such as https://example.com/ampoule. The
# variable AMPOULE_DOWNLOAD_FROM says the same. FOLDER is ~/.local unless it is given.
set -eu

VERSION='@VERSION@'

# What was built: system, processor, the least C library (or -), digest, folder, file.
archives() {
  cat <<'ARCHIVES'
@ARCHIVES@
ARCHIVES
}

say() { printf 'install.sh: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

usage() {
  printf 'usage: sh install.sh --from ADDRESS [--prefix FOLDER]\n'
}

has() { command -v "$1" >/dev/null 2>&1; }

# The version of GNU's C library, or nothing where there is another one.
c_library() {
  if has getconf; then
    getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p'
  fi
}

# Whether a version such as 2.36 is at least another.
is_at_least() {
  have_major=${1%%.*} have_minor=${1#*.} want_major=${2%%.*} want_minor=${2#*.}
  have_minor=${have_minor%%.*}
  [ "$have_major" -gt "$want_major" ] ||
    { [ "$have_major" -eq "$want_major" ] && [ "$have_minor" -ge "$want_minor" ]; }
}

# Only an encrypted connection, or this machine.
check_address() {
  case $1 in
  https://?*) ;;
  http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) ;;
  *) fail "$1 is not an address to download from; it must begin with https://" ;;
  esac
}

download() {
  if has curl; then
    curl --fail --silent --show-error --location --proto '=http,https' --proto-redir '=https' \
      --output "$2" "$1"
  elif has wget; then
    wget --quiet --output-document="$2" "$1"
  else
    fail 'neither curl nor wget is installed; install one of them'
  fi
}

digest_of() {
  if has sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif has shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif has openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail 'nothing here computes SHA-256 digests; install sha256sum, shasum or openssl'
  fi
}

# All of it is read before anything runs: a script that is cut off does nothing.
main() {
  from=${AMPOULE_DOWNLOAD_FROM:-}
  prefix=
  while [ $# -gt 0 ]; do
    case $1 in
    --from | --prefix)
      [ $# -ge 2 ] || fail "$1 needs a value"
      if [ "$1" = --from ]; then from=$2; else prefix=$2; fi
      shift 2
      ;;
    --help)
      usage
      return
      ;;
    *) fail "unknown argument $1; run install.sh --help" ;;
    esac
  done
  [ -n "$from" ] || fail 'no address to download from; give --from ADDRESS'
  check_address "$from"
  [ -n "$prefix" ] || prefix=${HOME:?set HOME, or give --prefix FOLDER}/.local

  system=$(uname -s)
  processor=$(uname -m)
  case $processor in
  amd64) processor=x86_64 ;;
  esac
  line=$(archives | while read -r its_system its_processor rest; do
    if [ "$its_system $its_processor" = "$system $processor" ]; then printf '%s\n' "$rest"; fi
  done)
  if [ -z "$line" ]; then
    say "Ampoule $VERSION was not built for $system on $processor. It was built for:"
    archives | while read -r its_system its_processor _; do
      say "  $its_system on $its_processor"
    done
    exit 1
  fi
  # shellcheck disable=SC2086
  set -- $line
  least=$1 digest=$2 folder=$3 file=$4
  if [ "$least" != - ]; then
    found=$(c_library)
    [ -n "$found" ] ||
      fail "Ampoule $VERSION needs GNU's C library $least or newer, and this system has another one"
    is_at_least "$found" "$least" ||
      fail "Ampoule $VERSION needs GNU's C library $least or newer, and this system has $found"
  fi

  mkdir -p "$prefix"
  # Beside the place where it will be: the program then moves there in one step.
  work=$(mktemp -d "$prefix/.ampoule-install.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  say "downloading $file"
  download "${from%/}/$file" "$work/$file" || fail "${from%/}/$file can't be downloaded"
  actual=$(digest_of "$work/$file")
  [ "$actual" = "$digest" ] ||
    fail "$file has the digest $actual instead of $digest; nothing was installed"
  tar -xzf "$work/$file" -C "$work" || fail "$file can't be unpacked"
  mkdir -p "$prefix/bin" "$prefix/share"
  cp -R "$work/$folder/share/." "$prefix/share"
  mv -f "$work/$folder/bin/ampoule" "$prefix/bin/ampoule"
  say "Ampoule $VERSION is installed: $prefix/bin/ampoule"
  case :${PATH:-}: in
  *":$prefix/bin:"*) ;;
  *) say "add $prefix/bin to PATH" ;;
  esac
}

main "$@"

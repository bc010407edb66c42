# Sourced by the launchers beside it, which set $self (this checkout's bin/…, links resolved) and $entry.
# Node 24 or later: the checkout's own, which npm ci brings, else the one in PATH.
bin=${self%/*}
modules=$bin/../node_modules

# npm links the node of the platform's own package here; asking uname would cost another process.
node=$modules/.bin/node
[ -x "$node" ] || node=

if [ -z "$node" ]; then
  version=$(node --version 2>/dev/null) || version=none
  major=${version#v}
  major=${major%%.*}
  case $major in
    '' | *[!0-9]*) major=0 ;;
  esac
  if [ "$major" -ge 24 ]; then
    node=node
  else
    root=$(CDPATH='' cd -- "$bin/.." && pwd)
    {
      echo "error: ${self##*/} needs Node.js 24 or later; in PATH: $version"
      echo "  hint: run 'npm ci' in $root, which brings its own Node.js, or put Node.js 24 first in PATH."
    } >&2
    exit 1
  fi
fi

# Compiled code is kept between runs. Where the folder cannot be written, Node goes without, silently.
: "${NODE_COMPILE_CACHE=$modules/.cache/node-compile}"
export NODE_COMPILE_CACHE
# What streams a million rows by leaves little behind: a small nursery takes 25 MB less and costs no time.
case $entry in
  cli/*) flags=--max-semi-space-size=8 ;;
  *) flags= ;;
esac
exec "$node" $flags "$bin/../$entry" "$@"

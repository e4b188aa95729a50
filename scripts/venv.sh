# Sourced by the scripts beside it: `use_venv` or `use_venv dev` makes .venv ready.
# It is made on first use, and installed into again when pyproject.toml has changed since.

use_venv() {
  local extra=${1:-} python=${PYTHON:-python3} stamp want
  cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
  stamp=.venv/.installed${extra:+-$extra}
  want=$(cksum < pyproject.toml)
  if [ -x .venv/bin/everlog ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
    return
  fi
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "everlog needs Python 3.11 or newer as '$python'; name another with PYTHON=/path/to/python" >&2
    exit 2
  fi
  if [ ! -x .venv/bin/python ] && ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    echo "'$python -m venv' is not complete here; install it first (Debian, Ubuntu: apt install python3-venv)" >&2
    exit 2
  fi
  echo "setting up .venv (once, a minute or two)" >&2
  [ -x .venv/bin/python ] || "$python" -m venv .venv >&2 || exit 2
  if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".${extra:+[$extra]}" >&2; then
    echo "installing everlog into .venv failed; the lines above say why" >&2
    exit 2
  fi
  # With an extra the core is there too.
  echo "$want" > .venv/.installed
  [ -z "$extra" ] || echo "$want" > "$stamp"
}

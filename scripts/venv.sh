# Sourced by the scripts beside it: `use_venv [EXTRA...]` makes .venv ready, and stays in the checkout's folder.
#
# The environment is made on first use, and installed into again when pyproject.toml has changed since, or an extra is
# asked for that it lacks. That is the work of set_up.py; what stands here takes a few milliseconds and no network.

use_venv() {
  local python
  cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
  if venv_is_ready "$@"; then
    return
  fi
  python=$(suitable_python) || exit 2
  "$python" -I scripts/set_up.py "$@" >&2 || exit
}

# venv_is_ready EXTRA...: whether .venv/.everlog says that what is wanted was installed here, with this Python.
venv_is_ready() {
  local stamp=.venv/.everlog extras now extra
  [ -x .venv/bin/everlog ] && [ -x .venv/bin/python ] && [ -r "$stamp" ] || return 1
  # As set_up.py writes it: the extras, then what must not have changed.
  read -r extras < "$stamp" || return 1
  now=$(printf '%s\n%s\n' "$(pwd -P)" "$(readlink -f .venv/bin/python)" && cat pyproject.toml)
  [ "$(tail -n +2 "$stamp")" = "$now" ] || return 1
  for extra in "$@"; do
    case " $extras " in
      *" $extra "*) ;;
      *) return 1 ;;
    esac
  done
}

# suitable_python: the Python to build on, which is PYTHON if that is set.
suitable_python() {
  local python new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
  if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
  else
    # Where the system's own python3 is older, a newer one often stands beside it.
    set -- python3 python3.14 python3.13 python3.12 python3.11 python
  fi
  for python in "$@"; do
    if "$python" -I -c "$new_enough" 2> /dev/null; then
      command -v "$python"
      return
    fi
  done
  if [ -n "${PYTHON:-}" ]; then
    echo "everlog needs Python 3.11 or newer, and PYTHON=$PYTHON is not that" >&2
  else
    echo "everlog needs Python 3.11 or newer, and there is none on the PATH" >&2
  fi
  echo "  if you have one:  PYTHON=/path/to/python3.12 ${EVERLOG_COMMAND:-scripts/install}" >&2
  echo "  to get one:       apt install python3, brew install python, or uv python install 3.12" >&2
  return 2
}

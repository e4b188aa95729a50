# Programs that come from Debian's packages; for other scripts to read in.

# have_program WHAT DEBIAN_PACKAGE NAME...: one of the programs, installed if none is there.
have_program() {
  local what=$1 package=$2 name
  shift 2
  for name in "$@"; do
    if [ -n "$name" ] && command -v "$name" > /dev/null; then
      return
    fi
  done
  if ! command -v apt-get > /dev/null || [ "$(id -u)" != 0 ]; then
    echo "$what is missing; install it first (Debian, Ubuntu, as root: apt-get install $package)" >&2
    exit 2
  fi
  echo "installing $package (once)" >&2
  [ -n "${updated:-}" ] || DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  updated=1
  if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >&2; then
    echo "$what could not be installed; the lines above say why" >&2
    exit 2
  fi
}

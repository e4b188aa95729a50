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
  have_packages "$what" "$package"
}

# have_packages WHAT DEBIAN_PACKAGE...: packages installed, as something of them is missing.
have_packages() {
  local what=$1
  shift
  if ! command -v apt-get > /dev/null || [ "$(id -u)" != 0 ]; then
    echo "$what is missing; install it first (Debian, Ubuntu, as root: apt-get install $*)" >&2
    exit 2
  fi
  echo "installing $* (once)" >&2
  update_packages
  if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2; then
    echo "$what could not be installed; the lines above say why" >&2
    exit 2
  fi
}

# fetch_package DEBIAN_PACKAGE: its file in this folder, not installed.
fetch_package() {
  update_packages
  apt-get download -qq -o APT::Sandbox::User=root "$1" >&2
}

# The list of packages, which images of Debian come without: once a run, and only root may.
update_packages() {
  [ -n "${updated:-}" ] || [ "$(id -u)" != 0 ] || DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  updated=1
}

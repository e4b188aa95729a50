# Packages of npm, kept outside of the checkout; for other scripts to read in, after use_venv.
npm_cache=${XDG_CACHE_HOME:-$HOME/.cache}/everlog/npm

# download NAME...: packages of npm into the cache, each whole or not at all, as others may download the same.
download() {
  local packed
  mkdir -p "$npm_cache"
  packed=$(mktemp -d "$npm_cache/packed.XXXXXX")
  if ! npm pack --loglevel=error --ignore-scripts --pack-destination "$packed" "$@" > /dev/null; then
    rm -r "$packed"
    echo "$* could not be downloaded from npm; the lines above say why" >&2
    return 1
  fi
  mv "$packed"/*.tgz "$npm_cache/"
  rm -r "$packed"
}

# sha512 FILE: as npm writes it; nothing for a file that is not there.
sha512() {
  [ ! -f "$1" ] || .venv/bin/python -c '
import base64, hashlib, pathlib, sys
print("sha512-" + base64.b64encode(hashlib.sha512(pathlib.Path(sys.argv[1]).read_bytes()).digest()).decode())
' "$1"
}

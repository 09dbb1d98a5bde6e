# For scripts that try Strew in a fresh root of plain Debian. They set $work, a folder, and source this; they run as root and
# need debootstrap. A root has nothing of Strew's, and reaches registries as this machine does.
root=$work/root.$$  # several can run at a time
logs=$work/logs
rows=()
failed=0
((EUID == 0)) || { echo "$0: only root can make a root of its own: run it with sudo" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
mkdir -p "$logs"

# The mirrors of this machine's own bookworm, as "URI SUITE" lines for another suite of Debian; unstable has no more than one.
mirrors() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="$1" '$2 ~ /^bookworm/ && $3 == "main" && (suite != "sid" || $2 == "bookworm") { sub("bookworm", suite, $2); print $1, $2 }' |
    sort -u
}

# make_root SUITE: a plain one; what debootstrap made is kept in $work for the next time.
make_root() {
  local base=$work/$1.tar certificates=${PIP_CERT:-${SSL_CERT_FILE:-}} uri settings
  rm -rf "$root"
  mkdir -p "$root"
  if [[ -f $base ]]; then
    tar -C "$root" -xf "$base" || return
  else
    uri=$(mirrors "$1" | awk -v suite="$1" '$2 == suite { print $1; exit }')
    debootstrap --variant=minbase --include=ca-certificates "$1" "$root" "$uri" || return
    mirrors "$1" | sed -E 's/(.*)/deb \1 main/' >"$root/etc/apt/sources.list"
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -C "$root" -cf "$base" .
  fi
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  [[ ! -f /etc/pip.conf ]] || cp /etc/pip.conf "$root/etc/"
  [[ -z $certificates ]] || cp "$certificates" "$root/etc/ssl/certs/ca-certificates.crt"
  for settings in /etc/apt/apt.conf.d/99*; do
    [[ ! -f $settings ]] || cp "$settings" "$root/etc/apt/apt.conf.d/"
  done
}

# inside [--offline] COMMAND: a shell command in the root, in $home, which is /root where nothing else is said; the mounts go
# away with it. What pip and apt load is kept in $cache where that is set. The launcher reaches what pip builds; the scripts
# set it themselves.
inside() {
  local net=()
  if [[ $1 == --offline ]]; then
    net=(--net)
    shift
  fi
  unshare --mount --pid --fork "${net[@]}" bash -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" || exit 1
    if [[ -n $4 ]]; then
      mkdir -p "$1/root/.cache" "$4/home" "$4/debs/partial" && mount --bind "$4/home" "$1/root/.cache" &&
        mount --bind "$4/debs" "$1/var/cache/apt/archives" || exit 1
    fi
    launcher=$([[ -x $1/usr/bin/ccache ]] && echo ccache)
    exec chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
      DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/certs/ca-certificates.crt PIP_DEFAULT_TIMEOUT=180 \
      STREW_TEST_STAGES="$5" CMAKE_CXX_COMPILER_LAUNCHER="$launcher" bash -c "cd $3 && $2"' \
    inside "$root" "$1" "${home:-/root}" "${cache:-}" "${stages:-}" </dev/null
}

# step NAME COMMAND...: one row of the table, with seconds of a clock and of processors; the exit code is the command's.
step() {
  local name=$1 log status=0 result=passed real user system TIMEFORMAT='%0R %0U %0S'
  shift
  log=$logs/${suite:+$suite/}${name//[^A-Za-z0-9]/_}.log
  mkdir -p "$(dirname "$log")"
  echo "=== ${suite:+$suite: }$name"
  { time "$@" >"$log" 2>&1; } 2>"$log.time" || status=$?
  if ((status)); then
    result=FAILED
    failed=1
    tail -n 30 "$log"
  fi
  read -r real user system <"$log.time"
  rm "$log.time"
  rows+=("| $name | $result | $real | $((user + system)) |")
  return "$status"
}

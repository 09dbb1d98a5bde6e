#!/usr/bin/env bash
# Unpacks ONNX Runtime's C headers from Debian's suite experimental into a folder, without touching the system's package
# lists. Prints the folder to pass as STREW_ONNXRUNTIME_INCLUDE. Usage: fetch_onnxruntime_headers.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
include=$folder/usr/include/onnxruntime
if [[ -f $include/onnxruntime_ep_c_api.h ]]; then
  echo "$include"
  exit 0
fi

# The system's own mirror: the first URI of its deb822 files, or of the old one-line form.
mirror=$(sed -nE 's/^URIs: *([^ ]+).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
[[ -n $mirror ]] || mirror=$(sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]+).*/\2/p' /etc/apt/sources.list | head -n 1)

mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/cache/archives/partial"
cat >"$folder/parts/experimental.sources" <<END
Types: deb
URIs: $mirror
Suites: experimental
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/parts"
  -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
cd "$folder"
"${apt[@]}" update </dev/null >&2
"${apt[@]}" download libonnxruntime-dev/experimental </dev/null >&2
dpkg -x libonnxruntime-dev_*.deb "$folder"
rm -rf cache lists parts libonnxruntime-dev_*.deb
echo "$include"

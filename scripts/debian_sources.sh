#!/usr/bin/env bash
# Unpacks Debian 13's sources of the libraries in cmake/third_party.json as FOLDER/PACKAGE, for machines that reach Debian's
# mirror but not the libraries' repositories. Keeps lists and archives in FOLDER/apt, so a second run downloads nothing.
# Usage: debian_sources.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
cd "$apt"
options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$apt/lists"
  -o Dir::State::status=/dev/null -o "Dir::Cache=$apt" -o APT::Sandbox::User=root)

# load ARCHIVE SHA256 APT-COMMAND...: downloads the archive unless it exists, and compares its checksum.
load() {
  [[ -f $1 ]] || {
    if [[ ! -f sources.list ]]; then
      local uri
      uri=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -E '/debian/?$' | head -n 1)
      printf "%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${uri%/} trixie main\n" deb deb-src >sources.list
      apt-get "${options[@]}" update || { rm sources.list; return 1; }
    fi
    apt-get "${options[@]}" "${@:3}"
  }
  sha256sum --check --quiet <<<"$2  $1"
}

while read -r package source archive sha256; do
  load "$archive" "$sha256" source --download-only --tar-only "$source"
  rm -rf "${folder:?}/$package"
  mkdir "$folder/$package"
  tar -xf "$archive" -C "$folder/$package" --strip-components 1
done <<'END'
hwy highway highway_1.2.0.orig.tar.gz 7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343
minizip zlib zlib_1.3.dfsg+really1.3.1.orig.tar.gz 60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb
fmt fmtlib fmtlib_10.1.1+ds1.orig.tar.gz 7000f214d2628f04174822f8048c573f1608194408d7931121595a03f1c18a17
nlohmann_json nlohmann-json3 nlohmann-json3_3.11.3.orig.tar.gz 0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406
CLI11 cli11 cli11_2.4.1+ds.orig.tar.xz 0b8fbf2398875f15f30a675c7f412123a2aaa38df2863e991de72004fd5f1292
END

# The mirror has only the binary package of this library, with its header and Debian's copy of the licence.
archive=libexpected-dev_1.1.0-2_all.deb
load "$archive" f39cabbf3945dd689c2501c9a2372bd45b5220506ed8a57cc58e2f4f538ff58f download libexpected-dev
rm -rf "$folder/tl-expected"
mkdir -p "$folder/tl-expected"
dpkg-deb --extract "$archive" unpacked
cp -r unpacked/usr/include "$folder/tl-expected/"
cp /usr/share/common-licenses/CC0-1.0 "$folder/tl-expected/COPYING"

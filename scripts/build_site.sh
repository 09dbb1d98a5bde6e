#!/usr/bin/env bash
# Builds the site into a folder: guides, operator reference, C++ and Python reference, and the playground. Any warning
# and any dead link is an error. Needs the results of make python and make playground in build/.
# Usage: build_site.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
venv=build/site-venv source=build/site-source

[[ -f build/playground/index.html ]] || { echo "There is no build/playground: run make playground" >&2; exit 1; }
# Recreates the environment only if the requirements or the wheel changed.
wheels=(build/wheel/python/*.whl)
stamp=$(cat scripts/requirements/site.txt "${wheels[0]}" | sha256sum)
if [[ $(cat "$venv/installed" 2>/dev/null) != "$stamp" ]]; then
  /usr/bin/python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r scripts/requirements/site.txt "${wheels[0]}" </dev/null
  echo "$stamp" >"$venv/installed"
fi

rm -rf "$folder"
mkdir -p "$folder/cpp"
"$venv/bin/python" site/stage.py "$source"
"$venv/bin/python" site/operator_pages.py "$source/operators"
"$venv/bin/python" -m sphinx --builder html --quiet --fail-on-warning --keep-going --jobs auto --doctree-dir build/site-doctrees \
  "$source" "$folder"
rm -f "$folder"/{.buildinfo,objects.inv}
version=$("$venv/bin/python" -c "import strew; print(strew.__version__)")
{ cat site/Doxyfile; printf 'PROJECT_NUMBER = %s\nOUTPUT_DIRECTORY = %s\n' "$version" "$folder/cpp"; } | doxygen -
sed -i 's#id="projectname">Strew#id="projectname"><a href="../index.html">Strew</a>#' "$folder"/cpp/*.html
# For a class whose nested classes are all private, doxygen writes the link but not the list.
grep -L 'name="nested-classes"' "$folder"/cpp/*.html | xargs sed -i 's|<a href="#nested-classes">Classes</a> &#124;||'
cp -r build/playground "$folder/playground"
"$venv/bin/python" site/check_links.py "$folder"

#!/usr/bin/env bash
# Installs the Debian packages of etc/packages.txt that are missing; silent when none is.
#
# Usage: etc/install-packages.sh [build|test|bench]      build and test when none is named
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
group=${1:-both}
case $group in
both | build | test | bench) ;;
*)
    echo "usage: etc/install-packages.sh [build|test|bench]" >&2
    exit 2
    ;;
esac

wanted=$(awk -v group="$group" '
    /^# (build|test|bench)$/ { current = $2; next }
    /^[a-z0-9]/ && (group == current || group == "both" && current != "bench") { print $1 }
' "$here/packages.txt")

if ! command -v dpkg-query >/dev/null; then
    echo "no dpkg here: Sluice is built on Debian; have the counterparts of these packages:" >&2
    echo "   " $wanted >&2
    exit 0
fi

missing=()
for package in $wanted; do
    state=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    [[ $state == ii* ]] || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
prefix=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "missing Debian packages: ${missing[*]}" >&2
        echo "neither root nor sudo here; as root, run:" >&2
        echo "    apt-get update && ${install[*]}" >&2
        exit 3
    fi
    prefix=(sudo)
fi

echo "installing Debian packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# The package index may be fresh already; it is fetched, once, only when it turns out not to be.
if ! "${prefix[@]}" "${install[@]}" >/dev/null 2>&1; then
    if ! { "${prefix[@]}" apt-get update && "${prefix[@]}" "${install[@]}"; } >&2; then
        echo "apt-get could not install: ${missing[*]}" >&2
        echo "mend apt's sources or the network, then run as root:" >&2
        echo "    apt-get update && ${install[*]}" >&2
        exit 3
    fi
fi

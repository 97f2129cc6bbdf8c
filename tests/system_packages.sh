#!/bin/sh
# Java (for Spark) and Chromium (for the report) from Debian's packages, where they are not there.
set -eu
wanted=""
command -v java >/dev/null || wanted="$wanted default-jre-headless"
command -v chromium >/dev/null || wanted="$wanted chromium"
[ -n "$wanted" ] || exit 0
if ! command -v apt-get >/dev/null; then
    echo "The tests need Java 17 or later and Chromium; install:$wanted" >&2
    exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get -qq update
# shellcheck disable=SC2086  # words are packages
$as_root apt-get -qq -y install --no-install-recommends $wanted >/dev/null

#!/usr/bin/env bash
# tools/try-image.sh FOLDER: what docs/deploy/Dockerfile does, without Docker: its steps in FOLDER,
# then the program as user 1000 in a mount namespace where nothing but /data and /tmp can be
# written. Needs root (for the namespace), Go and Node 24 in PATH. FOLDER/data holds tillage.yaml;
# the rest of the arguments is the command, `up` where there is none. Neither FOLDER nor Node may
# lie below /tmp, which is empty there.
set -euo pipefail
clone="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
folder="$(realpath "$1")"
shift
case "$folder $(realpath "$(command -v node)")" in
  /tmp/* | *' /tmp/'*) echo "$folder or $(command -v node) lies below /tmp" >&2 && exit 2 ;;
esac
mkdir -p "$folder"/{temporal,build,app,data}

if [ ! -x "$folder/temporal/temporal" ]; then
  cp "$clone"/tools/temporal/go.{mod,sum} "$folder/temporal"
  (cd "$folder/temporal" &&
    CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o temporal github.com/temporalio/cli/cmd/temporal)
fi
if [ ! -d "$folder/app/node_modules" ]; then
  git -C "$clone" archive HEAD | tar -x -C "$folder/build"
  (cd "$folder/build" && npm ci --no-audit --no-fund && npm pack && mv tillage-*.tgz ../tillage.tgz)
  (cd "$folder/app" && npm install --no-audit --no-fund ../tillage.tgz &&
    rm -rf node_modules/node-linux-* &&
    find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
      ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +)
fi
chown -R 1000:1000 "$folder/data"

export HOME="$folder/data" TEMPORAL_CLI="$folder/temporal/temporal" TILLAGE_CACHE="$folder/data/cache" FOLDER="$folder"
exec unshare --mount bash -c '
  mount --make-rprivate /
  mount --bind "$FOLDER/data" "$FOLDER/data"
  mount -o remount,ro,bind /
  mount -t tmpfs tmpfs /tmp 2>/dev/null || true
  cd "$FOLDER/data"
  touch "$FOLDER/app/written" 2>/dev/null && { echo "the root can be written"; exit 1; }
  exec setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --no-new-privs \
    "$FOLDER/app/node_modules/.bin/tillage" "${@:-up}"
' tillage "$@"

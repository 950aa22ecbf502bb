#!/bin/sh
# As the command of a runtime (BERTH_RUNTIME) in a local service: runs the wrapper of runtime $2 in the root of an image, $1. The volume keeps
# its path and its owner, who is the service's.
set -eu
here=$(dirname "$(readlink -f "$0")")
exec env PATH=/opt/berth/agent/bin:/opt/berth/programs/bin:/usr/local/bin:/usr/bin:/bin RUN_AS="$(id -u)" VOLUME_AT="$BERTH_VOLUME" \
  /usr/bin/unshare --mount "$here/enter.sh" run "$1" "$BERTH_VOLUME" node "/opt/berth/agent/runtimes/$2/main.ts"

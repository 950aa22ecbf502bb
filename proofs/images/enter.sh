#!/bin/sh
# Runs a command in a Debian root, as `unshare --mount --pid --fork enter.sh build|run ROOT FOLDER COMMAND…`; its environment is what the caller gives.
# run: as Fargate runs a machine, with the root read-only, FOLDER as the volume, an empty /tmp and a user without rights (RUN_AS); VOLUME_AT is
# the volume's path, below /tmp if it is not the usual.
# build: as root, with FOLDER at /seed.
set -eu
mode=$1 root=$2 folder=$3
shift 3
inside=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin
chroot=$(command -v chroot)
mount --make-rprivate /
mount --bind "$root" "$root"
if [ "$mode" = run ]; then mount -o remount,bind,ro "$root"; fi
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=0755 dev "$root/dev"
mkdir "$root/dev/shm" "$root/dev/pts"
# As small as Fargate's, which cannot be changed there.
mount -t tmpfs -o mode=1777,size=64m shm "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --bind -o ro /etc/resolv.conf "$root/etc/resolv.conf"
# The servers that the host believes are believed here.
mount -t tmpfs -o mode=0755 trust "$root/run"
cp /etc/ssl/certs/ca-certificates.crt "$root/run/trusted.crt"
if [ "$mode" = build ]; then
  mount --bind -o ro "$folder" "$root/seed"
  PATH=$inside exec "$chroot" "$root" "$@"
fi
at=${VOLUME_AT:-/mnt/berth} user=${RUN_AS:-1000}
mkdir -p "$root$at"
mount --bind "$folder" "$root$at"
PATH=$inside exec "$chroot" "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"

#!/usr/bin/env bash
# Build hromada's images where there is neither Docker nor an image registry, as root on Debian: `make images` calls this.
# What a registry would bring is replaced by stand-ins of Debian's packages, and is named so. Everything is kept in
# build/images; `hromada:previous` is the oldest commit with the schema of this one, or $PREVIOUS.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=docker/images work=$PWD/build/images

missing=()
for name in mmdebstrap buildah podman runc catatonit iptables; do
  command -v "$name" >/dev/null || [ -x "/usr/libexec/podman/$name" ] || missing+=("$name")
done
[ -x /usr/lib/podman/aardvark-dns ] || missing+=(aardvark-dns)
if [ ${#missing[@]} -gt 0 ]; then
  echo "Missing: ${missing[*]}. Install them: apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

# crun fails where cgroups are of both versions, and the defaults for ulimits exceed what a virtual machine may give
mkdir -p "$work"
cat >"$work/containers.conf" <<END
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
log_driver = "k8s-file"
END
cat >"$work/storage.conf" <<END
[storage]
driver = "${STORAGE_DRIVER:-overlay}"
graphroot = "$work/storage"
runroot = "/run/hromada-images"
END
export CONTAINERS_CONF=$work/containers.conf CONTAINERS_STORAGE_CONF=$work/storage.conf

build() { # NAME, and what else buildah takes; the context comes last. OCI's format has no HEALTHCHECK
  echo "== $1"
  buildah bud --layers --pull-never --isolation chroot --format docker -t "localhost/$1" "${@:2}" >"$work/log" 2>&1 ||
    { tail -n 50 "$work/log" >&2; exit 1; }
}

# Python as in python:3.13-slim-trixie; the certificates that this machine trusts, as packages come through its network
for suite in trixie bookworm; do
  include=ca-certificates,python3,python3-venv,python-is-python3,tzdata
  [ $suite = trixie ] || include+=,systemd,dbus,git,make,age,curl
  if ! podman image exists "localhost/stand-in-debian:$suite"; then
    echo "== stand-in-debian:$suite"
    mmdebstrap --quiet --variant=minbase --include="$include" $suite "$work/$suite.tar"
    podman import --quiet "$work/$suite.tar" "localhost/stand-in-debian:$suite" >/dev/null
    rm "$work/$suite.tar"
  fi
done
mkdir -p "$work/context"
cp /etc/ssl/certs/ca-certificates.crt $here/postgres.sh requirements/label-studio.lock "$work/context/"
stand_in() { build "stand-in-$1" --target "$(basename "${1%:*}")" -f $here/stand-ins.Dockerfile "$work/context"; }
for name in python:3.13-slim-trixie postgres:17 caddy:2 systemd:bookworm; do stand_in $name; done

base=(--build-arg PYTHON_IMAGE=localhost/stand-in-python:3.13-slim-trixie)
build hromada:latest "${base[@]}" -f docker/Dockerfile .
previous=${PREVIOUS:-$(git log -1 --format=%h -- annotation/store/migrations annotation/store/models)}
rm -rf "$work/previous" && mkdir "$work/previous"
git -c tar.umask=022 archive "$previous" | tar -x -C "$work/previous"
build hromada:previous "${base[@]}" -f docker/Dockerfile "$work/previous" # by the Dockerfile of now
mkdir -p "$work/next" && cp benchmarks/shared/_later_release.py $here/next.Dockerfile "$work/next/"
build hromada:next -f $here/next.Dockerfile "$work/next"
stand_in heartexlabs/label-studio:1.23.2
podman images --format '{{.Repository}}:{{.Tag}} {{.Size}}' | sort
echo "hromada:previous is $previous."

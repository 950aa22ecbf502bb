#!/bin/sh
# Builds the machines' image, adds a SOCI index, so that Fargate starts it before all of it is there, and pushes it under a tag that is written once:
#
#     FLAVOUR=full RUNTIMES="pi codex" agent/image/publish.sh <AgentImage>
#
# Needs docker with buildx, soci 0.13 or later, and skopeo that is logged in to the registry. PLATFORM is the machines', linux/arm64.
set -eu
image=$1
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
docker buildx build --platform "${PLATFORM:-linux/arm64}" -f agent/Dockerfile \
  --build-arg FLAVOUR="${FLAVOUR:-node}" --build-arg RUNTIMES="${RUNTIMES:-}" \
  --build-arg ACCEPT_LICENCES="${ACCEPT_LICENCES:-}" \
  --provenance=false --output "type=oci,dest=$work/image.tar" .
soci convert --standalone "$work/image.tar" "$work/soci.tar"
skopeo copy --all "oci-archive:$work/soci.tar" "docker://$image"

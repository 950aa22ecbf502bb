#!/bin/sh
# Lets CI ask the agent why a build failed: HOOK_URL=… HOOK_SECRET=whsec_… sh report-failed-build.sh build.log
# Create the hook on the dashboard's Connect page, with a text such as "Say what failed, and how to fix it."
set -eu
log=${1:?give the file with the log}

# The end of a log says what failed. iconv drops what is not UTF-8, such as the half of a character at the cut. If CI
# repeats the step, the same key prompts the agent only once.
tail -c 12000 "$log" | iconv -c -f UTF-8 -t UTF-8 | curl -sS --fail-with-body --retry 3 --max-time 30 \
  "${HOOK_URL:?}" -H "Authorization: Bearer ${HOOK_SECRET:?}" -H 'Content-Type: text/plain' \
  -H "Idempotency-Key: ${CI_JOB_ID:-build-$(date +%s)}" --data-binary @-
echo

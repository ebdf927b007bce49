#!/bin/bash
# Runs Slipway's uploader with the inputs of the step, and passes its outputs to envman.
set -euo pipefail

# shellcheck disable=SC2154 # Bitrise sets one variable for each input.
export SLIPWAY_SERVER="$server" SLIPWAY_OWNER="$owner" SLIPWAY_PAGE="$page" SLIPWAY_MESSAGE="$message" \
  SLIPWAY_RELEASE_NOTES="$release_notes" SLIPWAY_NOTIFY="$notify" SLIPWAY_API_KEY="$key" \
  SLIPWAY_COMMENT="$comment" SLIPWAY_STATUS="$status" SLIPWAY_PULL_REQUEST="$pull_request" SLIPWAY_FAIL_ON="$fail_on" \
  SLIPWAY_SYMBOLS="$symbols"
case ${GIT_REPOSITORY_URL:-} in
  *[@/]github.com[:/]*)
    export GITHUB_REPOSITORY="$BITRISEIO_GIT_REPOSITORY_OWNER/$BITRISEIO_GIT_REPOSITORY_SLUG"
    export GITHUB_SHA="${BITRISE_GIT_COMMIT:-}"
    ;;
esac
# The build steps of Bitrise name the app that they made.
# shellcheck disable=SC2154
export SLIPWAY_FILE="${file:-${BITRISE_IPA_PATH:-${BITRISE_AAB_PATH:-${BITRISE_APK_PATH:-}}}}"
SLIPWAY_OUTPUT=${BITRISE_DEPLOY_DIR:-$(mktemp -d)}/slipway.env
export SLIPWAY_OUTPUT

# --- Fetches the uploader; the same lines in every integration. ---
command -v node >/dev/null || { echo "slipway: Node 20 or newer is not installed" >&2; exit 2; }
slipway_uploader=${SLIPWAY_UPLOADER:-}
if [ -z "$slipway_uploader" ]; then
  case $SLIPWAY_SERVER in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *) [ -n "${SLIPWAY_UPLOADER_SHA256:-}" ] || {
      echo "slipway: over plain HTTP, the uploader is fetched only if SLIPWAY_UPLOADER_SHA256 states its hash" >&2
      exit 2
    } ;;
  esac
  slipway_folder=$(mktemp -d)
  trap 'rm -rf "$slipway_folder"' EXIT
  slipway_uploader=$slipway_folder/slipway.mjs
  curl -fsSL --proto-redir '=https' --retry 3 "${SLIPWAY_SERVER%/}/cli/slipway.mjs" -o "$slipway_uploader"
  if [ -n "${SLIPWAY_UPLOADER_SHA256:-}" ]; then
    slipway_hash=$({ sha256sum "$slipway_uploader" 2>/dev/null || shasum -a 256 "$slipway_uploader"; } | cut -c 1-64)
    [ "$slipway_hash" = "$SLIPWAY_UPLOADER_SHA256" ] || {
      echo "slipway: the uploader of the server has the SHA-256 $slipway_hash, not SLIPWAY_UPLOADER_SHA256" >&2
      exit 2
    }
  fi
fi
# --- End of the same lines. ---

code=0
node "$slipway_uploader" upload || code=$?
[ ! -f "$SLIPWAY_OUTPUT" ] || while IFS='=' read -r name value; do
  envman add --key "$name" --value "$value"
done <"$SLIPWAY_OUTPUT"
exit "$code"

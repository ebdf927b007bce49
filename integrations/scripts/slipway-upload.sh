#!/bin/sh
# Uploads an app to a Slipway server. Needs Node 20 or newer and curl. The inputs are SLIPWAY_* variables.
set -eu
: "${SLIPWAY_SERVER:?Set SLIPWAY_SERVER to the address of the Slipway server, such as https://apps.example.com}"
[ -n "${SLIPWAY_MESSAGE:-}" ] || SLIPWAY_MESSAGE=$(git log -1 --format=%s 2>/dev/null || true)
export SLIPWAY_MESSAGE

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

node "$slipway_uploader" upload "$@"

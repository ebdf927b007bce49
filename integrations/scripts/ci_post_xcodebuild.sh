#!/bin/sh
# Xcode Cloud runs this file in ci_scripts/ after each action of a workflow. Only an archive has an app to upload.
set -eu
[ "${CI_XCODEBUILD_ACTION:-}" = archive ] && [ "${CI_XCODEBUILD_EXIT_CODE:-0}" = 0 ] || exit 0

# Folders with the exported .ipa; Xcode Cloud sets those of the export methods that the workflow uses.
for folder in "${CI_AD_HOC_SIGNED_APP_PATH:-}" "${CI_ENTERPRISE_SIGNED_APP_PATH:-}" "${CI_DEVELOPMENT_SIGNED_APP_PATH:-}"; do
  for file in "${folder:-/nonexistent}"/*.ipa; do
    [ -f "$file" ] && SLIPWAY_FILE=$file && break 2
  done
done
: "${SLIPWAY_FILE:?The workflow exports no .ipa for ad hoc, enterprise or development distribution}"
export SLIPWAY_FILE SLIPWAY_PAGE="${SLIPWAY_PAGE:-${CI_PULL_REQUEST_SOURCE_BRANCH:-${CI_BRANCH:-}}}"

command -v node >/dev/null || brew install --quiet node
sh "$(dirname "$0")/slipway-upload.sh"

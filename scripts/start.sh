#!/usr/bin/env bash
# npm start: installs what is missing, builds what changed, and becomes the embedded server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/prepare.sh start
node_modules/.bin/node scripts/build.ts
exec node_modules/.bin/node --disable-warning=ExperimentalWarning dist/reeve.cjs embedded

#!/usr/bin/env bash
# npm test: everything, from a bare clone. Arguments go to Vitest, e.g. npm test -- --project unit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash scripts/prepare.sh test
export PATH="$PWD/node_modules/.bin:$PATH"
node scripts/build.ts
exec node scripts/test.ts "$@"

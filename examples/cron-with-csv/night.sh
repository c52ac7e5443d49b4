#!/bin/sh
# One night: limits and fees first, then the records. A run that a crash interrupted is resumed before the new one.
TIEOUT=${TIEOUT:-npx tieout}
$TIEOUT run reference-data -q >/dev/null || echo 'no reference data: bounds of new records are judged by the last ones' >&2
$TIEOUT run nightly --resume -q >/dev/null 2>&1
exec $TIEOUT run nightly -q "$@"

#!/bin/sh
# The command line in the image. Everything is installed and built, so nothing is downloaded at a start. The title says that the
# command is portico here, where elsewhere it is npx portico.
# Compiled code is kept for the next start in the data folder, which is all that can be written.
if [ -d "$PORTICO_DATA" ]; then export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PORTICO_DATA/compiled}"; fi
exec node --title=portico /opt/portico/server/src/main.ts "$@"

#!/bin/sh
# The command line in the image. Everything is installed and built, so nothing is downloaded at a start. The title says that the
# command is portico here, where elsewhere it is npx portico.
exec node --title=portico /opt/portico/server/src/main.ts "$@"

#!/bin/sh
# The command line in the image. Everything is installed and built, so nothing is downloaded at a start.
exec node /opt/portico/server/src/main.ts "$@"

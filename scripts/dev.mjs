#!/usr/bin/env node
// This file must parse on old versions of Node too, so that they print the sentence below instead of a syntax error.
if (Number(process.versions.node.split('.')[0]) < 18) {
  console.error('Portico needs Node 18 or newer, and this is ' + process.version + '. See https://nodejs.org/')
  process.exitCode = 1
} else {
  void import('./development/main.mjs').then(function (development) {
    return development.main(process.argv.slice(2))
  })
}

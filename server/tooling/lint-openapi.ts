/**
 * `node server/tooling/lint-openapi.ts <file>…` lints OpenAPI documents with all rules of Spectral and fails on any finding.
 * Spectral's command-line program reports usage, and so does installing its libraries: hence the libraries, with an empty
 * package in place of @scarf/scarf (`overrides` in package.json).
 */
import { readFile } from 'node:fs/promises'
import core, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

const ruleset: RulesetDefinition = {
  extends: [[rulesets.oas as RulesetDefinition, 'all']],
  rules: {
    // The program doesn't know how to reach the operator of a portal.
    'contact-properties': 'off',
    // OpenAPI 3.1 allows either `identifier` or `url`, and an SPDX identifier says more.
    'license-url': 'off',
    // The reference shows the tags in the order in which they are read.
    'openapi-tags-alphabetical': 'off',
  },
}

const spectral = new core.Spectral()
spectral.setRuleset(ruleset)

for (const file of process.argv.slice(2)) {
  const findings = await spectral.run(await readFile(file, 'utf8'))
  for (const { code, message, path } of findings) console.error(`${file}: ${path.join('.')}: ${message} (${code})`)
  if (findings.length > 0) process.exitCode = 1
}

/**
 * Prints why a test failed as soon as it fails. Vitest's own reporter prints the reasons at the end, which an interrupted run
 * never reaches.
 *
 * @typedef {{ message: string, stack?: string }} Failure
 */

export default class FailureReporter {
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result()
    if (state === 'failed') print(`${test.module.relativeModuleId} > ${test.fullName}`, errors)
  }

  /** @param {import('vitest/node').TestSuite} suite */
  onTestSuiteResult(suite) {
    print(`${suite.module.relativeModuleId} > ${suite.fullName}`, suite.errors())
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    print(module.relativeModuleId, module.errors())
  }
}

/**
 * @param {string} name
 * @param {readonly Failure[]} failures
 */
function print(name, failures) {
  for (const { message, stack = message } of failures) {
    const ours = stack.split('\n').filter((line) => !/^ +at .*(node_modules|node:|<anonymous>)/.test(line))
    const reason = stack.includes(message) ? ours : [message, ...ours]
    console.log(`\n✗ ${name}\n${reason.map((line) => `    ${line}`).join('\n')}\n`)
  }
}

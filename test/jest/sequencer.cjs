const Sequencer = require('@jest/test-sequencer').default

/** The shared service's tests run last: until then it is idle, and their machines disturb no other test. */
module.exports = class extends Sequencer {
  sort(tests) {
    const service = (test) => Number(test.context.config.displayName?.name === 'service')
    return [...super.sort(tests)].sort((one, other) => service(one) - service(other))
  }
}

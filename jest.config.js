import { full } from './test/counts.ts'
import { skippedPatterns } from './test/jest/tiers.ts'

const base = {
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  runtime: '<rootDir>/test/jest/runtime.cjs',
  transform: {},
}

/** Whether the command names files or a project. */
const named = process.argv.slice(2).some((arg) => !arg.startsWith('-') || arg.startsWith('--testPathPatterns'))
const skipped = skippedPatterns(named)

/** Two kinds of tests: those that run on their own, and those that call a running local service over HTTP. */
export default {
  maxWorkers: 3,
  testSequencer: './test/jest/sequencer.cjs',
  reporters: ['default', ...(named ? [] : ['./test/jest/tier-reporter.js'])],
  // Generous, so that no test fails on a busy machine.
  testTimeout: full ? 600_000 : 300_000,
  // The SDK can keep a timer for 3 s after its last request; a real leak is still reported.
  workerGracefulExitTimeout: 5_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      roots: ['<rootDir>/test', '<rootDir>/emulators'],
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/test/service/', ...skipped],
    },
    {
      ...base,
      displayName: 'service',
      roots: ['<rootDir>/test/service'],
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: skipped,
      globalSetup: '<rootDir>/test/service/start.js',
      globalTeardown: '<rootDir>/test/service/stop.js',
    },
  ],
}

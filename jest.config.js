const base = {
  testEnvironment: '<rootDir>/test/jest/environment.cjs',
  runtime: '<rootDir>/test/jest/runtime.cjs',
  transform: {},
}

const full = process.env.BERTH_TIER === 'full'

/** Suites of many processes, or of long simulations: `npm test` leaves them to the full tier, which CI runs. */
const long = [
  'adapters/dynamo/channels/episodes',
  'agent/(attachments|large-bodies|launcher|socket|volume-worker)',
  'agent/runtime/(journal|turn)',
  'agent/runtimes/host',
  'agent/volume/(edit-killed|take-restore-point)',
  'gateway/listener',
  'lambdas/kit/answer-size',
  'lambdas/llm/money-simulation',
  'lambdas/reconciler/volume-worker',
  'lambdas/trial/interleavings',
  'lambdas/webhooks/crashes',
  'local/(hostile-runtime|restart)',
  'service/(account|billing|channels|file-changes|files|hooks|instance-settings|large-calls|operator|streams|wallet-settings|webhooks)',
]
/** Who names files, or a project, runs what they name. */
const named = process.argv.slice(2).some((arg) => !arg.startsWith('-') || arg.startsWith('--testPathPatterns'))
/** Only nightly.yml runs this suite, by its name: it waits for proofs that take minutes or hours. */
const nightly = ['shape/stale-runs']
const left = named ? [] : [`/test/(${[...nightly, ...(full ? [] : long)].join('|')})\\.test\\.ts$`]

/** Two kinds of tests: those that run on their own, and those that talk to one running local service over HTTP. */
export default {
  maxWorkers: 3,
  testSequencer: './test/jest/sequencer.cjs',
  // Generous: a machine that is busy with other things fails nothing.
  testTimeout: full ? 600_000 : 300_000,
  // The SDK may hold a timer for 3 s after its last request; a real leak still shows.
  workerGracefulExitTimeout: 5_000,
  projects: [
    {
      ...base,
      displayName: 'unit',
      roots: ['<rootDir>/test'],
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/test/service/', ...left],
    },
    {
      ...base,
      displayName: 'service',
      roots: ['<rootDir>/test/service'],
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: left,
      globalSetup: '<rootDir>/test/service/start.js',
      globalTeardown: '<rootDir>/test/service/stop.js',
    },
  ],
}

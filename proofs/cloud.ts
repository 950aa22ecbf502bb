/**
 * `npm run prove cloud`: the code that usually runs on the embedded store runs, unpatched, on Amazon's own DynamoDB
 * Local (Maven Central): the adapters with the cost of their calls, the operations, and the whole service.
 * `cloud:store` and `cloud:service` are its halves. The driver of machines has its own proof, `machines`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordRun } from './kit/record.ts'
import { startDynamoDbLocal } from './tools/dynamodb-local.ts'

const root = join(import.meta.dirname, '..')

/**
 * Known differences between DynamoDB Local and DynamoDB, by names of tests. A transaction costs two units for each item
 * of a kilobyte; DynamoDB Local counts four for the three of a settlement.
 */
const otherwise = ['of a billed call is 7 units and 2 round trips']

const halves = {
  store: ['--selectProjects', 'unit', '--testPathPatterns', 'test/adapters/dynamo/|test/lambdas/(wallet|tokens|chat)/'],
  service: ['--selectProjects', 'service'],
}

const [part] = process.argv.slice(2)
if (part && !Object.hasOwn(halves, part)) throw new Error(`There is no half ${part}. There are: ${Object.keys(halves)}`)

const folder = mkdtempSync(join(tmpdir(), 'berth-cloud-'))
let failed = false
for (const [name, args] of Object.entries(halves)) {
  if (part && part !== name) continue
  const store = await startDynamoDbLocal()
  const names = ['--testNamePattern', `^(?!.*(${otherwise.join('|')}))`]
  const results = join(folder, `${name}.json`)
  const reported = ['--json', `--outputFile=${results}`]
  const { status } = spawnSync('npm', ['test', '--', '-w', '2', ...reported, ...args, ...names], {
    cwd: root,
    stdio: ['inherit', 'ignore', 'inherit'],
    env: { ...process.env, DYNAMODB_ENDPOINT: store.url },
  })
  await store.stop()
  const { numPassedTests: passed, numFailedTests: notPassed } = JSON.parse(readFileSync(results, 'utf8'))
  console.log(`  ${name}: ${passed} of ${passed + notPassed} tests pass`)
  if (status === 0 && part === name) recordRun(`cloud:${name}`, { tests: passed })
  failed ||= status !== 0
}
rmSync(folder, { recursive: true })
process.exitCode = failed ? 1 : 0

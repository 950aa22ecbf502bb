/**
 * Schemathesis (PyPI) against a local service: each operation of the document with data that its schemas allow and with
 * data that they forbid, alone and in sequences that follow the links of earlier answers. Callers are a pool of users,
 * by session and by token with every scope, and of their machines, so that the rate window of one does not end the run.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scopes } from '../domain/scopes.ts'
import { machineOf } from '../test/service/machine.ts'
import start from '../test/service/start.js'
import stop from '../test/service/stop.js'
import { pythonWith } from './tools/python.ts'

const version = '4.32.5'
const leastCases = 10_000
const users = 80
/** Seconds of each round of sequences; a busy machine needs more than one round, up to a maximum. */
const [statefulSeconds, mostRounds] = [120, 10]

const folder = mkdtempSync(join(tmpdir(), 'berth-prove-schemathesis-'))
const programs = join(import.meta.dirname, 'schemathesis')
const callersFile = join(folder, 'callers.json')
const statusesFile = join(folder, 'statuses.json')
const report = join(folder, 'report.json')

type Headers = Record<string, string>

/**
 * Sessions and tokens of many users, a few of them with a machine, and each machine's tokens for `/agent` and `/llm`.
 */
async function makeCallers(): Promise<{ people: Headers[]; machines: Record<string, Headers>[] }> {
  const { hostedUser, mintedWith, origin, signIn, status } = await import('../test/service/client.ts')
  const [people, machines]: [Headers[], Record<string, Headers>[]] = [[], []]
  const bearer = (token = '') => ({ authorization: `Bearer ${token}` })
  for (let user = 0; user < users; user++) {
    const hosted = user % 10 === 0
    const { cookie } = hosted ? await hostedUser(500) : await signIn()
    people.push({ cookie, origin }, bearer(await mintedWith({ cookie }, [...scopes])))
    if (!hosted) continue
    const { env } = machineOf((await status({ cookie })).instance.id)
    const [agent, files] = [bearer(env.BERTH_AGENT_TOKEN), bearer(env.BERTH_FILES_TOKEN)]
    machines.push({ '/agent': agent, '/agent/files': files, '/llm': bearer(env.BERTH_LLM_TOKEN) })
  }
  return { people, machines }
}

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]
// Streams of events have no end for which a test could wait.
const endless = ['streamEvents', 'mcpEventStream', 'mcpEventStreamMcpToken'].flatMap((id) => [
  '--exclude-operation-id',
  id,
])

function run(python: string, phases: string, ...more: string[]): Report {
  const url = `${process.env.BERTH_URL}/api`
  const args = [
    ...['--config-file', join(programs, 'schemathesis.toml'), 'run', `${url}/openapi.json`, '--url', url],
    // One worker: Python before 3.11.8 and 3.12.2 cannot parse in two threads at once, and Hypothesis parses.
    ...['--phases', phases, '--checks', checks.join(), '--workers', '1', '--continue-on-failure', '--no-color'],
    ...['--report-json-path', report, '--suppress-health-check', 'all', '--warnings', 'off', ...endless, ...more],
  ]
  const files = { CALLERS: callersFile, STATUSES: statusesFile, SCHEMATHESIS_HOOKS: join(programs, 'hooks.py') }
  spawnSync(join(python, 'bin', 'schemathesis'), args, {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ...files },
  })
  return JSON.parse(readFileSync(report, 'utf8'))
}

interface Report {
  test_cases: { generated: number; errored: number }
  failures: { title: string; operations: string[] }[]
  /** The errors that kept the program from trying a case. */
  errors: object[]
  operations: { tested: number }
}

function readStatuses(): Record<string, Record<string, number>> {
  return JSON.parse(readFileSync(statusesFile, 'utf8'))
}
function countByStatus(): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const counted of Object.values(readStatuses()))
    for (const [status, count] of Object.entries(counted)) sums[status] = (sums[status] ?? 0) + count
  return sums
}
const generated = () => reports.map(({ test_cases }) => test_cases.generated)
const sum = (numbers: number[]) => numbers.reduce((all, number) => all + number, 0)
/** Cases that reached their operation. */
const answered = () => sum(generated()) - (countByStatus()[429] ?? 0)

const python = pythonWith('schemathesis', [`schemathesis==${version}`])
const reports: Report[] = []
await start()
try {
  writeFileSync(callersFile, JSON.stringify(await makeCallers()))
  reports.push(run(python, 'examples,coverage,fuzzing', '--max-examples', '15'))
  do reports.push(run(python, 'stateful', '--max-time', String(statefulSeconds)))
  while (answered() < leastCases && reports.length <= mostRounds)
} finally {
  await stop()
}
const statuses = readStatuses()
const fine = Object.values(statuses).filter((counted) => Object.keys(counted).some((status) => status.startsWith('2')))
const [alone = 0, ...inSequences] = generated()
console.log(
  `schemathesis ${version}: ${alone} cases alone, ${sum(inSequences)} in sequences, by status ${JSON.stringify(countByStatus())}`,
)
console.log(`${fine.length} of ${reports[0]?.operations.tested} operations were reached with success`)
const failures = reports.flatMap((report) => report.failures)
for (const { title, operations } of failures) console.log(`FAILED ${title}: ${operations.join(', ')}`)
const errors = reports.flatMap((report) => report.errors)
for (const error of errors) console.log(`FAILED to try: ${JSON.stringify(error).slice(0, 500)}`)
const enough = answered() >= leastCases
if (!enough) console.log(`FAILED fewer than ${leastCases} cases were answered by their operation`)
process.exit(enough && failures.length === 0 && errors.length === 0 ? 0 : 1)

/** Finds and starts the embedded DynamoDB (dynoxide), or uses DYNAMODB_ENDPOINT. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startGuarded } from '../kit/child-process.ts'
import { StartProblem } from '../kit/problem.ts'
import { asObject, asText } from '../template/json.ts'
import { dynamo } from './tables.ts'

export interface Engine {
  endpoint: string
  stop(): Promise<void>
}

/** Time limits, ms: start of our own engine, and answer of a running one. */
const startTimeoutMs = 10_000
const answerTimeoutMs = 2000

/** Stores data in `dataDir`. @param print receives a line about a one-time installation */
export async function startEngine(repo: string, dataDir: string, print: (line: string) => void): Promise<Engine> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (endpoint) {
    await waitUntilAnswering(endpoint, () => true, answerTimeoutMs).catch(() => {
      throw new StartProblem(`DYNAMODB_ENDPOINT ${endpoint} does not answer: start it, or unset DYNAMODB_ENDPOINT`)
    })
    return { endpoint, stop: async () => {} }
  }
  const binary = findBinary(repo) ?? install(repo, print)
  // Another process may take the port in the meantime.
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const log = join(dataDir, 'logs', 'dynamodb.log')
    const child = startGuarded(
      binary,
      ['serve', '--host', '127.0.0.1', '-p', `${port}`, '--db-path', join(dataDir, 'data', 'dynamodb.db')],
      log,
    )
    const endpoint = `http://127.0.0.1:${port}`
    try {
      await waitUntilAnswering(endpoint, child.running, startTimeoutMs)
      // For operators' commands while the service runs.
      writeFileSync(join(dataDir, 'data', 'dynamodb.endpoint'), endpoint)
      return { endpoint, stop: child.stop }
    } catch (cause) {
      await child.stop()
      if (attempt === 3)
        throw new StartProblem(`The embedded DynamoDB (${binary}) did not start: see ${log}`, { cause })
    }
  }
}

async function waitUntilAnswering(endpoint: string, running: () => boolean, ms: number): Promise<void> {
  const deadline = Date.now() + ms
  for (;;) {
    try {
      await dynamo(endpoint, 'ListTables', { Limit: 1 })
      return
    } catch (error) {
      if (!running() || Date.now() > deadline) throw error
      await sleep(15)
    }
  }
}

const packageName = (): string => `@dynoxide/${process.platform}-${process.arch}`

/** From this platform's npm package, otherwise `dynoxide` on the PATH. */
function findBinary(repo: string): string | undefined {
  const folders: string[] = []
  try {
    folders.push(dirname(createRequire(join(repo, 'package.json')).resolve(`${packageName()}/package.json`)))
  } catch {
    // Not installed: try the PATH.
  }
  const inPackage = folders.flatMap((folder) => [join(folder, 'dynoxide'), join(folder, 'bin', 'dynoxide')])
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'dynoxide'))
  return [...inPackage, ...onPath].find(executable)
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function install(repo: string, print: (line: string) => void): string {
  const manifest = asObject(JSON.parse(readFileSync(join(repo, 'package.json'), 'utf8')))
  const version = asText(asObject(manifest.optionalDependencies)['@dynoxide/linux-x64'], 'latest')
  const name = `${packageName()}@${version}`
  print(`Installing ${name} (the embedded DynamoDB, once; package.json stays as it is)`)
  spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', name], { cwd: repo, stdio: 'ignore' })
  const found = findBinary(repo)
  if (found) return found
  throw new StartProblem(
    `No embedded DynamoDB: could not install ${name}. Put a dynoxide binary on the PATH, or set DYNAMODB_ENDPOINT to a running DynamoDB`,
  )
}

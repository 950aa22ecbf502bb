import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEngine } from '../../../local/dynamodb/engine.ts'
import { createGateway } from '../../../local/gateway/gateway.ts'
import { startGuarded } from '../../../local/kit/child-process.ts'
import { StartProblem } from '../../../local/kit/problem.ts'
import { temporaryFolder } from '../assembly.ts'

const childModule = join(import.meta.dirname, '../../../local/kit/child-process.ts')

/** Prints its pid and keeps running. */
const program = ['-c', 'echo $$; exec sleep 300']

async function pidIn(log: string): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    try {
      const pid = Number(readFileSync(log, 'utf8'))
      if (pid > 0) return pid
    } catch {
      // The program has not written it yet.
    }
    await sleep(20)
  }
  throw new Error('the program did not start')
}

/** Not merely a zombie that its parent has not collected. */
function lives(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

async function goneWithin(pid: number, ms: number): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await sleep(20)) if (!lives(pid)) return true
  return false
}

describe('a guarded child', () => {
  test('ends when it is stopped', async () => {
    const log = join(temporaryFolder(), 'log')
    const child = startGuarded('/bin/sh', program, log)
    const pid = await pidIn(log)
    expect(child.running()).toBe(true)
    await child.stop()
    expect(child.running()).toBe(false)
    expect(await goneWithin(pid, 1000)).toBe(true)
  })

  test('reports how it ended by itself', async () => {
    const log = join(temporaryFolder(), 'log')
    expect(await startGuarded('/bin/sh', ['-c', 'exit 7'], log).exited).toBe(7)
  })

  test('gets the given environment and none of the parent’s', async () => {
    const log = join(temporaryFolder(), 'log')
    await startGuarded('/usr/bin/env', [], log, { GIVEN: 'yes' }).exited
    const names = readFileSync(log, 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names.filter((name) => name && name !== 'PWD').sort()).toEqual(['GIVEN', 'PATH'])
  })

  test('dies with a parent that is killed', async () => {
    const folder = temporaryFolder()
    const log = join(folder, 'log')
    const source = `import { startGuarded } from ${JSON.stringify(childModule)}
startGuarded('/bin/sh', ${JSON.stringify(program)}, ${JSON.stringify(log)})
setInterval(() => {}, 1000)`
    writeFileSync(join(folder, 'parent.mts'), source)
    const parent = spawn(process.execPath, [join(folder, 'parent.mts')], { stdio: 'ignore', env: {} })
    const pid = await pidIn(log)
    expect(lives(pid)).toBe(true)
    parent.kill('SIGKILL')
    expect(await goneWithin(pid, 2000)).toBe(true)
  })
})

describe('the start fails with a single clear line for', () => {
  const { DYNAMODB_ENDPOINT, PATH } = process.env
  afterEach(() => {
    Object.assign(process.env, { PATH })
    if (DYNAMODB_ENDPOINT === undefined) delete process.env.DYNAMODB_ENDPOINT
    else process.env.DYNAMODB_ENDPOINT = DYNAMODB_ENDPOINT
  })

  test('a missing embedded DynamoDB', async () => {
    const repo = temporaryFolder()
    writeFileSync(join(repo, 'package.json'), '{"optionalDependencies":{"@dynoxide/linux-x64":"1.2.1"}}')
    process.env.PATH = '/nowhere'
    const said: string[] = []
    const start = startEngine(repo, repo, (line) => said.push(line))
    await expect(start).rejects.toThrow(/^No embedded DynamoDB: .* set DYNAMODB_ENDPOINT to a running DynamoDB$/)
    expect(said).toEqual([expect.stringContaining('Installing @dynoxide/')])
  })

  test('a DYNAMODB_ENDPOINT that does not answer', async () => {
    process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:9'
    const start = startEngine('/', '/', () => {})
    await expect(start).rejects.toThrow('does not answer: start it, or unset DYNAMODB_ENDPOINT')
  })

  test('a port in use', async () => {
    const other = createServer()
    const port = await new Promise<number>((done) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address()
        done(typeof address === 'object' && address ? address.port : 0)
      })
    })
    const listening = createGateway(() => {}).listen(port)
    await expect(listening).rejects.toThrow(StartProblem)
    await expect(listening).rejects.toThrow(
      `Port ${port} is in use: stop what listens there, or start with PORT=${port + 1}`,
    )
    other.close()
  })
})

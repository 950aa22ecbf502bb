import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ECSClient, RunTaskCommand } from '@aws-sdk/client-ecs'
import { EFSClient } from '@aws-sdk/client-efs'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { until } from '../../kit/test/until.ts'
import { agent, alive, testCloud } from './cloud.ts'
import { describe1, reaches, run, runInput, seen, setUpMachine } from './machine.ts'

const hostFile = fileURLToPath(new URL('./host.ts', import.meta.url))
let stateFolder: string
let host: ChildProcess
let ecs: ECSClient
let efs: EFSClient

beforeEach(async () => {
  stateFolder = mkdtempSync(join(tmpdir(), 'aws-host-'))
  host = spawn(process.execPath, [hostFile, stateFolder, agent], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(host.stdout ?? process.stdin, 'data')
  const endpoint = String(line).trim()
  const config = { region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }
  ecs = new ECSClient({ ...config, endpoint })
  efs = new EFSClient({ ...config, endpoint: endpoint.replace(/ecs$/, 'efs') })
})
afterEach(() => {
  host.kill('SIGKILL')
  rmSync(stateFolder, { recursive: true })
})

async function end(signal: 'SIGKILL' | 'SIGTERM') {
  host.kill(signal)
  await once(host, 'exit')
}

describe('when the host is killed', () => {
  it('its tasks and their child processes end at once, and the next start reports them', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'ann', { command: ['family'] })
    const taskArn = await run(ecs, taskDefinition, { clientToken: 'ins_ann:1', startedBy: 'ins_ann' })
    await reaches(ecs, taskArn, 'RUNNING')
    const { pid, child } = await seen(stateFolder, 'ann')
    await end('SIGKILL')
    await until(() => !alive(pid) && !alive(child ?? 0))

    const next = await testCloud({ stateFolder })
    try {
      expect(next.events).toEqual([])
      next.cloud.reportStoppedTasks()
      expect(next.events.map(({ detail }) => detail)).toMatchObject([
        {
          taskArn,
          lastStatus: 'STOPPED',
          desiredStatus: 'STOPPED',
          startedBy: 'ins_ann',
          stoppedReason: 'host restarted',
        },
      ])
      next.cloud.reportStoppedTasks()
      expect(next.events).toHaveLength(1)

      const again = new ECSClient(next.client('ECS'))
      expect((await describe1(again, taskArn))?.lastStatus).toBe('STOPPED')
      const input = runInput(taskDefinition, { clientToken: 'ins_ann:1', startedBy: 'ins_ann' })
      const repeated = await again.send(new RunTaskCommand(input))
      expect(repeated.tasks?.[0]?.taskArn).toBe(taskArn)
    } finally {
      await next.close()
    }
  })

  it('a task that is too stuck to notice is ended by the next start', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'ben', { command: ['stuck'] })
    const taskArn = await run(ecs, taskDefinition)
    await reaches(ecs, taskArn, 'RUNNING')
    const { pid } = await seen(stateFolder, 'ben')
    await end('SIGKILL')
    expect(alive(pid)).toBe(true)
    const next = await testCloud({ stateFolder })
    await next.close()
    await until(() => !alive(pid))
  })

  it('an unrelated process with the recorded id of a task is left alone', async () => {
    const { taskDefinition } = await setUpMachine(ecs, efs, 'cat')
    await reaches(ecs, await run(ecs, taskDefinition), 'RUNNING')
    const { pid } = await seen(stateFolder, 'cat')
    await end('SIGKILL')
    await until(() => !alive(pid))
    const stranger = spawn('cat', { detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
    const file = join(stateFolder, 'tasks.json')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(`"pid":${pid}`)
    writeFileSync(file, text.replace(`"pid":${pid}`, `"pid":${stranger.pid}`))
    const next = await testCloud({ stateFolder })
    await next.close()
    // A process that was sent SIGKILL answers nothing any more.
    stranger.stdin.write('still here')
    const answer = await Promise.race([once(stranger.stdout, 'data'), once(stranger, 'exit')])
    stranger.kill('SIGKILL')
    expect(String(answer[0])).toBe('still here')
  })
})

it('a stopped host lets its tasks end by themselves, and reports them at its next start', async () => {
  const { taskDefinition } = await setUpMachine(ecs, efs, 'dan')
  const taskArn = await run(ecs, taskDefinition)
  const { pid } = await seen(stateFolder, 'dan')
  await reaches(ecs, taskArn, 'RUNNING')
  await end('SIGTERM')
  expect(alive(pid)).toBe(false)
  const log = join(stateFolder, 'logs', 'app-dan', 'agent', `${taskArn.split('/').at(-1)}.log`)
  expect(readFileSync(log, 'utf8')).toBe('started\ndraining\n')
  expect(statSync(join(stateFolder, 'tasks.json')).mode & 0o777).toBe(0o600)

  const next = await testCloud({ stateFolder })
  next.cloud.reportStoppedTasks()
  await next.close()
  expect(next.events.map(({ detail }) => detail)).toMatchObject([{ taskArn, lastStatus: 'STOPPED' }])
})

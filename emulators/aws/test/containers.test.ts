import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ECSClient, RegisterTaskDefinitionCommand, RunTaskCommand, StopTaskCommand } from '@aws-sdk/client-ecs'
import { until } from '../../kit/test/until.ts'
import { runsApart } from '../emulator.ts'
import { alive, type TestCloud, testCloud } from './cloud.ts'
import { describe1, reaches } from './machine.ts'

/** Writes its observations to a file of its own, and behaves as its arguments say. */
const program = `
const { existsSync, readdirSync, writeFileSync } = require('node:fs')
const [name, out, hidden, end] = process.argv.slice(2)
if (end !== 'deaf') process.on('SIGTERM', () => process.exit(5))
if (end === 'deaf') process.on('SIGTERM', () => {})
const processes = readdirSync('/proc').filter((each) => /^[0-9]+$/.test(each)).length
writeFileSync(out + '/' + name, JSON.stringify({ processes, hidden: existsSync(hidden), pid: process.pid, given: process.env.GIVEN ?? null }))
if (end === 'now') process.exit(3)
setInterval(() => {}, 1000)
`

interface Seen {
  processes: number
  hidden: boolean
  pid: number
  given: string | null
}

let test: TestCloud
let ecs: ECSClient
let out: string
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'aws-containers-'))
  const file = join(out, 'program.cjs')
  writeFileSync(file, program)
  test = await testCloud({
    taskCommand: ({ command = [] }) => ({
      file: process.execPath,
      args: [file, command[0] ?? '', out, join(test.stateFolder, 'tasks.json'), command[1] ?? ''],
      cwd: import.meta.dirname,
    }),
  })
  ecs = new ECSClient(test.client('ECS'))
})
afterAll(async () => {
  await test.close()
  rmSync(out, { recursive: true, force: true })
})

let made = 0
async function run(ends: [string, string], more: object = {}) {
  const family = `pair-${made++}`
  const names = ['one', 'two'].map((name) => `${family}-${name}`)
  const containerDefinitions = names.map((name, at) => ({
    name,
    image: 'i',
    memory: 64,
    essential: at === 0,
    command: [name, ends[at] ?? ''],
    stopTimeout: 2,
    ...more,
  }))
  await ecs.send(new RegisterTaskDefinitionCommand({ family, containerDefinitions }))
  const overrides = { containerOverrides: [{ name: names[0], environment: [{ name: 'GIVEN', value: 'x' }] }] }
  const { tasks } = await ecs.send(new RunTaskCommand({ cluster: 'app', taskDefinition: family, overrides }))
  const seen = (name = '') =>
    until(() => {
      const text = existsSync(join(out, name)) && readFileSync(join(out, name), 'utf8')
      return text ? (JSON.parse(text) as Seen) : false // safe because the program writes this shape
    })
  return { taskArn: tasks?.[0]?.taskArn ?? '', one: () => seen(names[0]), two: () => seen(names[1]) }
}

const codes = async (taskArn: string) =>
  (await describe1(ecs, taskArn))?.containers?.map(({ exitCode }) => exitCode ?? null)

describe('a task of two containers', () => {
  it('runs both, each with its own settings only, and stops both', async () => {
    const { taskArn, one, two } = await run(['', ''])
    expect([(await one()).given, (await two()).given]).toEqual(['x', null])
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    await reaches(ecs, taskArn, 'STOPPED')
    expect(await codes(taskArn)).toEqual([5, 5])
    expect(alive((await one()).pid)).toBe(false)
  })

  it('keeps running without the container that is not essential', async () => {
    const { taskArn, one } = await run(['', 'now'])
    await one()
    await until(async () => (await codes(taskArn))?.[1] === 3)
    expect(await describe1(ecs, taskArn)).toMatchObject({ lastStatus: 'RUNNING', desiredStatus: 'RUNNING' })
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    await reaches(ecs, taskArn, 'STOPPED')
  })

  it('ends with its essential container, even if the other ignores signals', async () => {
    const { taskArn } = await run(['now', 'deaf'])
    expect(await reaches(ecs, taskArn, 'STOPPED')).toMatchObject({ stopCode: 'EssentialContainerExited' })
    expect((await codes(taskArn))?.[0]).toBe(3)
  })

  const where = runsApart() ? it : it.skip
  where('keeps the second from the processes and the files of the first', async () => {
    const { taskArn, one, two } = await run(['', ''])
    const [first, second] = [await one(), await two()]
    expect(first.hidden).toBe(true)
    // The program and the first of its own processes.
    expect(second).toMatchObject({ hidden: false, processes: 2 })
    await ecs.send(new StopTaskCommand({ cluster: 'app', task: taskArn }))
    await reaches(ecs, taskArn, 'STOPPED')
  })

  it.each([
    ['without an essential container', { essential: false }],
    ['with the same name twice', { name: 'same' }],
    ['that depend on each other', { dependsOn: [{ containerName: 'one', condition: 'START' }] }],
    ['that restart by themselves', { restartPolicy: { enabled: true } }],
  ])('%s is refused', async (_, more) => {
    await expect(run(['', ''], more)).rejects.toMatchObject({ name: 'ClientException' })
  })

  it('without memory, of their own or of the task, are refused', async () => {
    await expect(run(['', ''], { memory: undefined })).rejects.toMatchObject({
      name: 'ClientException',
      message: expect.stringContaining("At least one of 'memory' or 'memoryReservation' must be specified"),
    })
  })

  it('with more memory than the task has is refused', async () => {
    const register = (memory: number) =>
      ecs.send(
        new RegisterTaskDefinitionCommand({
          family: 'sizes',
          requiresCompatibilities: ['FARGATE'],
          networkMode: 'awsvpc',
          cpu: '256',
          memory: '512',
          containerDefinitions: [
            { name: 'one', image: 'i', memoryReservation: 128 },
            { name: 'two', image: 'i', memory },
          ],
        }),
      )
    await expect(register(384)).resolves.toBeDefined()
    await expect(register(385)).rejects.toMatchObject({ name: 'ClientException' })
  })
})

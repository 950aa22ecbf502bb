import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, api, ask, call, hostedUser, status, until, untilState } from './client.ts'
import { machineOf, machines } from './machine.ts'

type User = Awaited<ReturnType<typeof hostedUser>>
let user: User
let volume: string
const outside = join(tmpdir(), `berth-outside-${process.pid}`)

beforeAll(async () => {
  user = await hostedUser()
  const { instance } = await status(user)
  volume = machineOf(instance.id).env.BERTH_VOLUME ?? ''
  writeFileSync(outside, 'not yours')
  mkdirSync(join(volume, 'workspace', 'notes'), { recursive: true })
  writeFileSync(join(volume, 'workspace', 'notes', 'tide & moon.txt'), 'high at noon')
  writeFileSync(join(volume, 'workspace', 'large.bin'), Buffer.alloc(400_000, 7))
  symlinkSync(outside, join(volume, 'workspace', 'link'))
})
afterAll(() => rmSync(outside, { force: true }))

interface Entry {
  name: string
}

const get = (path: string, caller: { cookie: string } = user) => call('GET', path, undefined, caller)
const post = (path: string, body: object = {}) => call('POST', path, body, user)
const fileUrl = (path: string) => `${api}/instance/files/${path.split('/').map(encodeURIComponent).join('/')}`
const fetchFile = (path: string, query = '') => fetch(`${fileUrl(path)}${query}`, { headers: { cookie: user.cookie } })

const untilTask = ({ body }: Answer) =>
  until(
    'the task',
    async () => (await get(`/instance/tasks/${body.task.id}`)).body.task,
    (task) => task !== undefined && task.state !== 'open',
  )

async function newPoint() {
  const made = await post('/instance/restore-points')
  expect(made.status).toBe(202)
  const point = await until(
    'the restore point',
    async () => (await get(`/instance/restore-points/${made.body.restorePoint.id}`)).body.restorePoint,
    (found) => found !== undefined && found.state !== 'making',
  )
  expect(point).toMatchObject({ state: 'ready', reason: 'demand' })
  return point
}

describe('listFiles', () => {
  it('shows the current volume', async () => {
    // The agent makes the folder of its memory when it starts.
    const names = await until(
      'the folders',
      async (): Promise<string[]> => (await get('/instance/files')).body.entries?.map(({ name }: Entry) => name) ?? [],
      (seen) => seen.includes('memory'),
    )
    expect(names).toEqual(expect.arrayContaining(['config', 'memory', 'workspace']))
    const { body } = await get('/instance/files?path=workspace')
    expect(body).toMatchObject({ path: 'workspace', asOf: null, next: null })
    expect(body.entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'large.bin', kind: 'file', size: 400_000 }),
        expect.objectContaining({ name: 'link', kind: 'link', size: 0 }),
        expect.objectContaining({ name: 'notes', kind: 'folder' }),
      ]),
    )
  })

  it('stays within the volume', async () => {
    expect((await get('/instance/files?path=../..')).body.error).toBe('validation')
    expect((await get('/instance/files?path=/etc')).body.error).toBe('validation')
    expect((await get('/instance/files?path=workspace/none')).status).toBe(404)
    expect((await get('/instance/files?path=workspace/link')).status).toBe(400)
    expect((await call('GET', '/instance/files')).status).toBe(401)
  })
})

describe('getFile', () => {
  it('returns a small file as a harmless attachment', async () => {
    const answer = await fetchFile('workspace/notes/tide & moon.txt')
    expect([answer.status, await answer.text()]).toEqual([200, 'high at noon'])
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="tide _ moon.txt"/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  })

  it('redirects to the download of a large one', async () => {
    const answer = await fetch(fileUrl('workspace/large.bin'), { headers: { cookie: user.cookie }, redirect: 'manual' })
    expect(answer.status).toBe(302)
    const bytes = Buffer.from(await (await fetch(answer.headers.get('location') ?? '')).arrayBuffer())
    expect(bytes.equals(Buffer.alloc(400_000, 7))).toBe(true)
  })

  it('never follows a link', async () => {
    const answer = await fetchFile('workspace/link')
    expect(answer.status).toBe(400)
    expect(await answer.text()).toMatch(/link/)
  })
})

let point: { id: string; createdAt: string }

describe('createRestorePoint and its list', () => {
  it('saves the volume between two turns', async () => {
    point = await newPoint()
    expect(point).toMatchObject({ summary: { skipped: { links: 1 } } })
    const { body } = await get('/instance/restore-points')
    expect(body.restorePoints[0]).toEqual(point)
    expect((await get('/instance/restore-points/rsp_none')).status).toBe(404)
  })
})

describe('createRestorePoint', () => {
  it('stores little when little changed', async () => {
    writeFileSync(join(volume, 'workspace', 'small'), 'x')
    expect(await newPoint()).toMatchObject({ state: 'ready' })
  })
})

describe('getRestorePoint', () => {
  it('returns no point of another user', async () => {
    const other = await hostedUser()
    expect((await get(`/instance/restore-points/${point.id}`, other)).status).toBe(404)
    expect((await get(`/instance/restore-points/${point.id}/files`, other)).status).toBe(404)
    expect((await call('POST', `/instance/restore-points/${point.id}/restore`, {}, other)).status).toBe(404)
  })
})

describe('listRestorePoints', () => {
  it('lists the newest first', async () => {
    const ids = (await get('/instance/restore-points')).body.restorePoints.map(({ id }: { id: string }) => id)
    expect(ids).toEqual([...ids].sort().reverse())
    expect(ids).toContain(point.id)
  })
})

describe('listRestorePointFiles', () => {
  it('shows the volume at that time', async () => {
    const { body } = await get(`/instance/restore-points/${point.id}/files?path=workspace`)
    expect(body.entries.map(({ name, kind }: { name: string; kind: string }) => [name, kind])).toEqual([
      ['large.bin', 'file'],
      ['notes', 'folder'],
    ])
  })
})

describe('restoreFiles', () => {
  it('restores one file', async () => {
    writeFileSync(join(volume, 'workspace', 'large.bin'), 'spoilt')
    const asked = await post(`/instance/restore-points/${point.id}/restore`, { path: 'workspace/large.bin' })
    expect(asked.status).toBe(202)
    expect(await untilTask(asked)).toMatchObject({ state: 'done', files: 1 })
    expect(readFileSync(join(volume, 'workspace', 'large.bin')).equals(Buffer.alloc(400_000, 7))).toBe(true)
  })

  it('restores all files, and the agent answers again', async () => {
    rmSync(join(volume, 'workspace', 'notes'), { recursive: true })
    writeFileSync(join(volume, 'workspace', 'later'), 'made later')
    const asked = await post(`/instance/restore-points/${point.id}/restore`)
    expect(await untilTask(asked)).toMatchObject({ state: 'done' })
    expect(readFileSync(join(volume, 'workspace', 'notes', 'tide & moon.txt'), 'utf8')).toBe('high at noon')
    expect(readdirSync(join(volume, 'workspace'))).not.toContain('later')
    const [before] = (await get('/instance/restore-points')).body.restorePoints
    expect(before).toMatchObject({ reason: 'restore', state: 'ready' })
    expect((await ask(user, 'Are you there?')).text).not.toBe('')
  })
})

describe('createExport and getFilesTask', () => {
  it('export everything as one archive', async () => {
    const task = await untilTask(await post('/instance/export'))
    expect(task).toMatchObject({ state: 'done', summary: { skipped: { links: 0 } } })
    const archive = Buffer.from(await (await fetch(task.url)).arrayBuffer())
    const names = execFileSync('tar', ['-tzf', '-'], { input: archive }).toString()
    expect(names).toContain('workspace/notes/tide & moon.txt')
    expect(names).not.toContain('config/')
  })
})

describe('the files of a paused instance', () => {
  const read = (path: string) => readFileSync(join(volume, path), 'utf8')
  const own = async () => machines().filter(({ env }) => env.BERTH_VOLUME === volume)

  it('are shown by listFiles and getFile; from the newest restore point if they have not changed since', async () => {
    const { createdAt } = await newPoint()
    await post('/instance/pause')
    await untilState(user, 'paused')
    const { body } = await get('/instance/files?path=workspace/notes')
    expect(body.asOf).toBe(createdAt)
    expect(body.entries.map(({ name }: { name: string }) => name)).toEqual(['tide & moon.txt'])
    expect(await (await fetchFile('workspace/large.bin')).text()).toBe('\x07'.repeat(400_000))
    expect(await own()).toEqual([])
  })

  it('can be saved by createRestorePoint and createExport with a volume worker, and the instance stays paused', async () => {
    await newPoint()
    const workers = await own()
    expect(workers.map(({ env }) => [env.BERTH_ROLE, env.BERTH_LLM_TOKEN])).toEqual([['volume-worker', undefined]])
    const { instance } = await status(user)
    expect(instance).toMatchObject({ state: 'paused', desiredState: 'paused', reason: 'user' })
    expect(instance.explanation).toContain('volume worker')
    const task = await untilTask(await post('/instance/export'))
    const archive = Buffer.from(await (await fetch(task.url)).arrayBuffer())
    expect(execFileSync('tar', ['-tzf', '-'], { input: archive }).toString()).toContain('workspace/notes/')
  })

  it('can be restored by restoreFiles, one or all, and later reads return the restored files', async () => {
    const note = 'workspace/notes/tide & moon.txt'
    writeFileSync(join(volume, note), 'spoilt')
    const { id } = (await get('/instance/restore-points')).body.restorePoints[0]
    const answer = await post(`/instance/restore-points/${id}/restore`, { path: note })
    expect(await untilTask(answer)).toMatchObject({ state: 'done', files: 1 })
    expect(read(note)).toBe('high at noon')
    expect((await get('/instance/files?path=workspace')).body.asOf).toBeNull()
    expect(await (await fetchFile(note)).text()).toBe('high at noon')
    writeFileSync(join(volume, 'workspace', 'later'), 'made later')
    expect(await untilTask(await post(`/instance/restore-points/${id}/restore`))).toMatchObject({ state: 'done' })
    const { body } = await get('/instance/files?path=workspace')
    expect(body.entries.map(({ name }: { name: string }) => name)).not.toContain('later')
    expect((await status(user)).instance.state).toBe('paused')
  })

  it('return to the agent: resume ends the volume worker first', async () => {
    const [worker] = await own()
    expect((await post('/instance/resume')).status).toBe(202)
    await untilState(user, 'running')
    const now = await own()
    expect(now.map(({ env }) => env.BERTH_ROLE)).toEqual([undefined])
    expect(now[0]?.pid).not.toBe(worker?.pid)
    expect((await ask(user, 'Are you back?')).text).not.toBe('')
  })
})

describe('getFilesTask', () => {
  it('returns the caller’s own tasks only', async () => {
    expect((await get('/instance/tasks/tsk_none')).status).toBe(404)
  })
})

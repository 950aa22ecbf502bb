import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, ask, call, hostedUser, status, until, untilState } from './client.ts'
import { machineOf } from './machine.ts'

type User = Awaited<ReturnType<typeof hostedUser>>
let user: User
let volume: string

/** A user of this file, whose limits no other test uses up. */
async function start(): Promise<void> {
  user = await hostedUser()
  const { instance } = await status(user)
  volume = machineOf(instance.id).env.BERTH_VOLUME ?? ''
  // A machine runs before it has made its folders.
  await until('the folders', async () => existsSync(join(volume, 'workspace')), Boolean)
}
beforeAll(start)

const inPath = (path: string) => `/instance/files/${path.split('/').map(encodeURIComponent).join('/')}`
const get = (path: string, caller: { cookie: string } = user) => call('GET', path, undefined, caller)
const put = (path: string, body: object, caller: { cookie: string } = user) => call('PUT', inPath(path), body, caller)
const post = (path: string, body: object = {}, caller: { cookie: string } = user) => call('POST', path, body, caller)
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const read = (path: string) => readFileSync(join(volume, path), 'utf8')

/** The final result of a change, awaited when the answer says that it is still open. */
const ended = async (answer: Answer) => {
  expect([200, 202]).toContain(answer.status)
  return until(
    'the task',
    async () => (await get(`/instance/tasks/${answer.body.task.id}`)).body.task,
    (task) => task.state !== 'open',
  )
}

describe('writeFile', () => {
  it('creates a file, and replaces the version that was read and no newer one', async () => {
    const path = 'workspace/tide & moon.md'
    const made = await put(path, { text: 'high' })
    expect([made.status, made.body.task.state, read(path)]).toEqual([200, 'done', 'high'])
    expect((await put(path, { text: 'again' })).body.error).toBe('conflict')
    expect((await put(path, { text: 'low', replaces: sha256('high') })).status).toBe(200)
    const late = await put(path, { text: 'mine', replaces: sha256('high') })
    expect([late.status, late.body.error, read(path)]).toEqual([409, 'conflict', 'low'])
    expect((await put(path, { base64: Buffer.from('over').toString('base64'), replaces: 'anything' })).status).toBe(200)
    expect(read(path)).toBe('over')
  })

  it('accepts the user’s own upload, and nobody else’s', async () => {
    const content = Buffer.alloc(300_000, 'tide')
    const announced = {
      name: 'tides.bin',
      type: 'application/octet-stream',
      bytes: content.length,
      sha256: sha256(content),
    }
    const { attachment, upload } = (await post('/chat/attachments', announced)).body
    const early = await put('workspace/large.bin', { attachment: attachment.id })
    expect(early.status).toBe(409)
    expect((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: content })).ok).toBe(true)
    expect((await put('workspace/large.bin', { attachment: attachment.id })).status).toBe(200)
    expect(sha256(readFileSync(join(volume, 'workspace/large.bin')))).toBe(sha256(content))
    const other = await hostedUser()
    expect((await put('workspace/large.bin', { attachment: attachment.id }, other)).status).toBe(404)
  })

  it('stays within the volume, and its errors say how to give the content', async () => {
    for (const path of ['config/x', '.berth/x', 'workspace//x'])
      expect([path, (await put(path, { text: 'x' })).status]).toEqual([path, 400])
    expect((await put('workspace/x', {})).status).toBe(400)
    expect((await put('workspace/x', { text: 'x', base64: 'eA==' })).status).toBe(400)
    expect((await put('workspace/x', { text: 'é'.repeat(40_000) })).status).toBe(400)
    expect((await put('workspace/none/x', { text: 'x' })).status).toBe(404)
  })

  it('is done once per key', async () => {
    const send = () => call('PUT', inPath('workspace/once.md'), { text: 'x' }, user, { 'Idempotency-Key': 'once' })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status, second.body.task.id]).toEqual([200, 200, first.body.task.id])
  })
})

describe('createFolder', () => {
  it('creates a folder once', async () => {
    expect((await post('/instance/folders', { path: 'workspace/notes' })).status).toBe(200)
    expect((await post('/instance/folders', { path: 'workspace/notes' })).status).toBe(409)
  })
})

describe('moveFile', () => {
  it('never overwrites a file unless that was requested', async () => {
    await put('workspace/notes/a.md', { text: 'a' })
    await put('workspace/b.md', { text: 'b' })
    const onto = { from: 'workspace/b.md', to: 'workspace/notes/a.md' }
    expect((await post('/instance/file-moves', onto)).status).toBe(409)
    expect(read('workspace/notes/a.md')).toBe('a')
    expect((await post('/instance/file-moves', { ...onto, replace: true })).status).toBe(200)
    expect(read('workspace/notes/a.md')).toBe('b')
  })
})

describe('deleteFile', () => {
  it('deletes a folder with its content, and warns that no restore point has it', async () => {
    const gone = await call('DELETE', inPath('workspace/notes'), undefined, user)
    expect([gone.status, gone.body.restorePoint, existsSync(join(volume, 'workspace/notes'))]).toEqual([
      200,
      null,
      false,
    ])
    expect((await call('DELETE', inPath('workspace/notes'), undefined, user)).status).toBe(404)
    expect((await call('DELETE', inPath('workspace'), undefined, user)).status).toBe(400)
  })
})

describe('searchFiles', () => {
  it('finds files by a part of their names', async () => {
    await put('workspace/Gezeiten-2026.md', { text: 'x' })
    const { body } = await get('/instance/file-search?text=gezeiten')
    expect(body).toMatchObject({ next: null, entries: [{ path: 'workspace/Gezeiten-2026.md', kind: 'file', size: 1 }] })
  })
})

describe('getReplyChanges', () => {
  beforeEach(start)

  it('shows the changes of a reply, which undoReply undoes', async () => {
    await put('workspace/plan.md', { text: 'mine' })
    const tool = `/tool write_file ${JSON.stringify({ path: 'plan.md', content: 'the agent’s' })}`
    const reply = await ask(user, tool)
    expect(read('workspace/plan.md')).toBe('the agent’s')
    const id = reply.inReplyTo ?? ''
    const shown = await until(
      'its changes',
      async () => get(`/instance/replies/${id}/changes`),
      ({ status }) => status === 200,
    )
    expect(shown.body).toMatchObject({
      problem: null,
      changes: [{ path: 'workspace/plan.md', change: 'changed', state: 'kept' }],
    })
    const undone = await ended(await post(`/instance/replies/${id}/undo`))
    expect([undone.state, undone.files, read('workspace/plan.md')]).toEqual(['done', 1, 'mine'])
    const other = await hostedUser()
    expect((await get(`/instance/replies/${id}/changes`, other)).status).toBe(404)
    expect((await post(`/instance/replies/${id}/undo`, {}, other)).status).toBe(404)
  })
})

describe('undoReply', () => {
  beforeEach(start)

  it('undoes nothing when a file was changed again since', async () => {
    await put('workspace/plan.md', { text: 'mine' })
    const reply = await ask(user, `/tool write_file ${JSON.stringify({ path: 'plan.md', content: 'again' })}`)
    await until(
      'its changes',
      async () => get(`/instance/replies/${reply.inReplyTo}/changes`),
      ({ status }) => status === 200,
    )
    writeFileSync(join(volume, 'workspace/plan.md'), 'newer')
    const refused = await post(`/instance/replies/${reply.inReplyTo}/undo`)
    expect([refused.status, read('workspace/plan.md')]).toEqual([409, 'newer'])
    expect(refused.body.message).toContain('workspace/plan.md')
  })
})

describe('compareRestorePoint, and the files of a paused instance', () => {
  beforeAll(start)

  it('lists the differences, and all operations work while the instance is paused', async () => {
    await put('workspace/plan.md', { text: 'newer' })
    const made = await post('/instance/restore-points')
    const { id } = made.body.restorePoint
    await until(
      'the point',
      async () => (await get(`/instance/restore-points/${id}`)).body.restorePoint,
      ({ state }) => state === 'ready',
    )
    await post('/instance/pause')
    await untilState(user, 'paused')
    const found = await get('/instance/file-search?text=PLAN')
    expect(found.body.entries.map(({ path }: { path: string }) => path)).toEqual(['workspace/plan.md'])

    const written = await put('workspace/asleep.md', { text: 'written while it slept' })
    expect(written.status).toBe(202)
    expect((await ended(written)).state).toBe('done')
    expect(read('workspace/asleep.md')).toBe('written while it slept')
    const late = await ended(await put('workspace/asleep.md', { text: 'x' }))
    expect([late.state, late.failure]).toEqual(['failed', expect.stringContaining('already')])

    const compared = await get(`/instance/restore-points/${id}/changes`)
    expect(compared.body).toMatchObject({
      added: 1,
      removed: 0,
      changes: [{ path: 'workspace/asleep.md', change: 'added' }],
    })
    const gone = await call('DELETE', inPath('workspace/plan.md'), undefined, user)
    expect(gone.body).toMatchObject({ restorePoint: { id } })
    await ended(gone)
    const back = await ended(await post(`/instance/restore-points/${id}/restore`, { path: 'workspace/plan.md' }))
    expect([back.state, read('workspace/plan.md')]).toEqual(['done', 'newer'])
    expect((await status(user)).instance.state).toBe('paused')
  })
})

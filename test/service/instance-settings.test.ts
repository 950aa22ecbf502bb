import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { call, hostedUser, mintedWith, status, until, untilState } from './client.ts'

const at = (path: string) => `/instance/${path}`

/** A user whose requests are refused or only read: the tests share one. */
let shared: Awaited<ReturnType<typeof hostedUser>>
/** A user who changes settings; the schedules are deleted after each test. */
let owner: typeof shared
beforeAll(async () => {
  ;[shared, owner] = await Promise.all([hostedUser(500), hostedUser(500)])
})
afterEach(async () => {
  const { body } = await call('GET', at('schedules'), undefined, owner)
  for (const { id } of body.schedules) await call('DELETE', at(`schedules/${id}`), undefined, owner)
})

describe('listRuntimes', () => {
  test('offers the reference agent by default', async () => {
    const { status: code, body } = await call('GET', at('runtimes'), undefined, shared)
    expect([code, body.runtimes.map(({ name, active }: { name: string; active: boolean }) => [name, active])]).toEqual([
      200,
      [['reference', true]],
    ])
    const refused = await call('PUT', at('runtime'), { runtime: 'pi' }, shared)
    expect([refused.status, Object.keys(refused.body.details)]).toEqual([400, ['runtime']])
  })
})

describe('setInstanceEnv', () => {
  test('writes values that nobody can read back, keeps unnamed ones, and removes by null', async () => {
    const user = owner
    const put = (variables: object) => call('PUT', at('env'), { variables }, user)
    const first = await put({ GITHUB_TOKEN: 'ghp_secret', LANG: 'de' })
    expect(first.body.variables.map(({ name }: { name: string }) => name)).toEqual(['GITHUB_TOKEN', 'LANG'])
    expect(JSON.stringify(first.body)).not.toContain('ghp_secret')
    await put({ LANG: null, ZONE: 'x'.repeat(8192) })
    const { body } = await call('GET', at('env'), undefined, user)
    expect(body.variables).toMatchObject([
      { name: 'GITHUB_TOKEN', size: 10 },
      { name: 'ZONE', size: 8192 },
    ])
  })

  // https://github.com/jshttp/statuses/pull/21, https://github.com/mauriciosantos/Buckets-JS/issues/6
  test('keeps and removes names that are properties of every object', async () => {
    const names = ['constructor', 'hasOwnProperty', 'toString', 'valueOf']
    const put = (value: string | null) =>
      call('PUT', at('env'), { variables: Object.fromEntries(names.map((name) => [name, value])) }, owner)
    const namesOf = ({ variables }: { variables: { name: string }[] }) =>
      variables.map(({ name }) => name).filter((name) => names.includes(name))
    expect(namesOf((await put('1')).body)).toEqual(names)
    expect(namesOf((await call('GET', at('env'), undefined, owner)).body)).toEqual(names)
    expect(namesOf((await put(null)).body)).toEqual([])
  })

  test.each([
    ['a reserved name', { BERTH_API: 'http://evil' }, 'BERTH_API'],
    ['a reserved name in small letters', { path: '/tmp' }, 'path'],
    ['a name with a hyphen', { 'A-B': '1' }, 'variables'],
    ['a value that is too long', { LONG: 'x'.repeat(8193) }, 'LONG'],
    ['a forbidden property name', JSON.parse('{"__proto__": "1"}'), 'variables'],
    ['too many variables', Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`V${i}`, ''])), 'variables'],
  ])('refuses %s and names it', async (_, variables, field) => {
    const user = shared
    const { status: code, body } = await call('PUT', at('env'), { variables }, user)
    expect([code, Object.keys(body.details)]).toEqual([400, [field]])
    expect((await call('GET', at('env'), undefined, user)).body.variables).toEqual([])
  })
})

describe('getInstanceEnv', () => {
  test('requires its scope', async () => {
    const user = shared
    const plain = await mintedWith(user, ['mcp:*'])
    expect((await call('GET', at('env'), undefined, { bearer: plain })).status).toBe(403)
    const able = await mintedWith(user, ['api:instance'])
    expect((await call('GET', at('env'), undefined, { bearer: able })).status).toBe(200)
  })
})

describe('createSchedule', () => {
  test('lists the schedule with its next time', async () => {
    const user = owner
    const asked = { cron: '30 8 * * MON-FRI', timeZone: 'Europe/Berlin', text: 'Morning brief' }
    const { status: code, body } = await call('POST', at('schedules'), asked, user)
    expect([code, body.schedule]).toEqual([201, expect.objectContaining({ ...asked, lastRun: null })])
    const next = new Date(body.schedule.nextRunAt)
    expect(next.getTime()).toBeGreaterThan(Date.now())
    expect(next.toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('08:30:00')
  })

  test.each([
    ['four fields', { cron: '* * * *' }, 'cron'],
    ['an invalid hour', { cron: '0 25 * * *' }, 'cron'],
    ['every minute', { cron: '* * * * *' }, 'cron'],
    ['more runs than its plan allows', { cron: '*/30 * * * *' }, 'cron'],
    ['both kinds of days', { cron: '0 8 1 * MON' }, 'cron'],
    ['the 30th of February', { cron: '0 8 30 2 *' }, 'cron'],
    ['an invalid time zone', { timeZone: 'Mars/Base' }, 'timeZone'],
    ['no text', { text: ' ' }, 'text'],
  ])('refuses %s with the field', async (_, wrong, field) => {
    const user = shared
    const { status: code, body } = await call('POST', at('schedules'), { cron: '0 8 * * *', text: 'x', ...wrong }, user)
    expect([code, Object.keys(body.details)]).toEqual([400, [field]])
  })

  test('allows as many as the plan says', async () => {
    const user = owner
    for (let i = 0; i < 5; i++) await call('POST', at('schedules'), { cron: `${i} 8 * * *`, text: 'x' }, user)
    expect((await call('POST', at('schedules'), { cron: '9 8 * * *', text: 'x' }, user)).status).toBe(409)
  })
})

describe('listSchedules', () => {
  test('shows the user’s own only', async () => {
    const [user, other] = [owner, shared]
    await call('POST', at('schedules'), { cron: '0 8 * * *', text: 'mine' }, user)
    const { body } = await call('GET', at('schedules'), undefined, user)
    expect(body).toMatchObject({ schedules: [{ text: 'mine', month: { runs: 31 } }], leastMinutes: 60 })
    expect(body.awakeHourMicros).toBeGreaterThan(5_000)
    expect((await call('GET', at('schedules'), undefined, other)).body.schedules).toEqual([])
  })
})

describe('deleteSchedule', () => {
  test('deletes once; another user’s is not found', async () => {
    const [user, other] = [owner, shared]
    const { body } = await call('POST', at('schedules'), { cron: '0 8 * * *', text: 'mine' }, user)
    const path = at(`schedules/${body.schedule.id}`)
    expect((await call('DELETE', path, undefined, other)).status).toBe(404)
    expect((await call('DELETE', path, undefined, user)).status).toBe(200)
    expect((await call('DELETE', path, undefined, user)).status).toBe(404)
  })
})

describe('getInstanceLogs', () => {
  test('shows the machine’s output, page by page, and nobody else’s', async () => {
    const [user, other] = [owner, shared]
    const logs = async (query: string, caller = user) =>
      (await call('GET', at(`logs?${query}`), undefined, caller)).body
    const all = await until(
      'the log',
      () => logs('limit=500'),
      ({ lines }) => lines.length >= 2,
    )
    const first = await logs('limit=1')
    const second = await logs(`limit=1&cursor=${encodeURIComponent(first.nextCursor)}`)
    expect([first.lines[0], second.lines[0]]).toEqual(all.lines.slice(0, 2))
    expect((await call('GET', at('logs?limit=1&cursor=bmV4dA'), undefined, user)).status).toBe(400)
    const theirs = await logs('limit=500', other)
    expect(theirs.lines.every(({ machine }: { machine: string }) => machine !== all.lines[0].machine)).toBe(true)
    const future = new Date(Date.now() + 60_000).toISOString()
    expect((await logs(`since=${future}`)).lines).toEqual([])
  })
})

describe('getInstanceMetrics', () => {
  test('is empty before the first minute and for others', async () => {
    const { body, status: code } = await call('GET', at('metrics'), undefined, shared)
    expect([code, Array.isArray(body.samples)]).toEqual([200, true])
  })
})

/** The remains of an instance on this host: files of its volume, and stored objects. */
const filesLeft = (instanceId: string): Promise<string[]> =>
  findFiles(instanceId).catch((error: NodeJS.ErrnoException) => {
    // A file was deleted while its folder was read, as other tests do all the time.
    if (error.code === 'ENOENT' && process.env.BERTH_DATA_DIR) return filesLeft(instanceId)
    throw error
  })

async function findFiles(instanceId: string): Promise<string[]> {
  const dataDir = process.env.BERTH_DATA_DIR ?? 'nowhere'
  const all = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const facts = files.filter((file) => file.endsWith('.facts'))
  const keys = await Promise.all(facts.map(async (file) => JSON.parse(await readFile(file, 'utf8')).key as string))
  const kept = keys.filter((key) => key.includes(instanceId))
  return [...kept, ...files.filter((file) => file.includes('/volumes/') && file.includes(`/${instanceId}/`))]
}

describe('deleteInstance', () => {
  test('requires the instance’s id, deletes it, and resume makes a new one with a later generation', async () => {
    const user = await hostedUser(500)
    const { instance } = await status(user)
    await call('POST', at('schedules'), { cron: '0 8 * * *', text: 'mine' }, user)
    const made = await call('POST', at('restore-points'), {}, user)
    const point = () => call('GET', at(`restore-points/${made.body.restorePoint.id}`), undefined, user)
    await until('the restore point', point, ({ body }) => body.restorePoint.state === 'ready')
    expect(await filesLeft(instance.id)).not.toEqual([])
    expect((await call('DELETE', '/instance?confirm=ins_other', undefined, user)).status).toBe(400)
    expect((await call('DELETE', '/instance', undefined, user)).body.error).toBe('missing-id')
    const bearer = await mintedWith(user, ['mcp:*', 'api:instance'])
    expect((await call('DELETE', `/instance?confirm=${instance.id}`, undefined, { bearer })).status).toBe(403)
    expect((await call('DELETE', `/instance?confirm=${instance.id}`, undefined, user)).status).toBe(202)
    const { instance: gone } = await untilState(user, 'deleted')
    expect(await filesLeft(instance.id)).toEqual([])
    expect((await call('GET', at('restore-points'), undefined, user)).body.restorePoints).toEqual([])
    expect(gone.explanation).toContain('deleted')
    expect((await call('GET', at('schedules'), undefined, user)).body.schedules).toEqual([])
    expect((await call('POST', at('resume'), undefined, user)).status).toBe(202)
    const { instance: fresh } = await untilState(user, 'running')
    expect([fresh.id === instance.id, fresh.generation]).toEqual([false, 3])
  })
})

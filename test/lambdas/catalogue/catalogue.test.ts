import { change } from '../../../adapters/dynamo/calls.ts'
import { itemAt } from '../../../adapters/dynamo/expressions.ts'
import { personaAndSkills } from '../../../app/catalogue/persona-and-skills.ts'
import { imageBinaries } from '../../../domain/catalogue/image-binaries.ts'
import type { PersonaVersion } from '../../../domain/catalogue/persona.ts'
import { keptVersions, maxFileCharacters, maxPersonaCharacters } from '../../../domain/catalogue/persona-limits.ts'
import { type McpTenant, type McpWorld, openMcpWorld } from '../mcp/mcp-world.ts'

let world: McpWorld
let me: McpTenant

beforeAll(async () => {
  world = await openMcpWorld()
})
beforeEach(async () => {
  me = await world.tenant()
})
afterAll(() => world.close())

const all = ['mcp:*', 'api:instance'] as const

async function ask(method: string, path: string, body?: object, who = me) {
  const headers = { authorization: `Bearer ${await who.mint([...all])}`, 'content-type': 'application/json' }
  const answer = await fetch(`${world.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: await answer.json() }
}

/** Gives the instance a variable under the name that the variables' own adapter uses. */
const setVariable = (name: string, who = me) =>
  change({
    ...itemAt<'variables'>(world.env.table('settings'), { userId: who.userId, item: 'variables' }),
    update: 'SET #variables = :variables',
    values: { ':variables': [{ name, size: 1, updatedAt: '2026-11-21T00:00:00.000Z' }] },
  })

const given = async (who = me) =>
  (await personaAndSkills({ catalogue: world.ports.catalogue }, who.userId)).skills.map(({ id }) => id)

describe('listSkills', () => {
  test('has at least eight, each with its requirements; skills without requirements are on', async () => {
    const { skills } = (await ask('GET', '/skills')).body
    expect(skills.length).toBeGreaterThanOrEqual(8)
    for (const skill of skills) expect([skill.id, skill.enabled]).toEqual([skill.id, skill.requires.env.length === 0])
    const digest = skills.find((skill: { id: string }) => skill.id === 'github-digest')
    expect(digest).toMatchObject({ enabled: false, missing: { env: ['GITHUB_TOKEN'], bins: [] } })
  })

  test('searches every word in names and descriptions, filters, and pages', async () => {
    const ids = async (query: string) =>
      (await ask('GET', `/skills?${query}`)).body.skills.map((skill: { id: string }) => skill.id)
    expect(await ids('q=TRANSCRIPT')).toEqual(['meeting-notes'])
    expect(await ids('q=github%20digest')).toEqual(['github-digest'])
    expect(await ids('q=nothing-like-this')).toEqual([])
    expect(await ids('enabled=false')).toEqual(['github-digest'])
    expect(await ids('enabled=true')).not.toContain('github-digest')
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await ask('GET', `/skills?limit=4${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.skills.map((skill: { id: string }) => skill.id))
      if (!body.nextCursor) break
      cursor = body.nextCursor
    }
    expect(seen).toEqual(await ids('limit=100'))
    expect((await ask('GET', '/skills?cursor=!!')).status).toBe(400)
  })
})

describe('getSkill', () => {
  test('returns the text and whether the skill is on', async () => {
    const { body } = await ask('GET', '/skills/decision-log')
    const skill = { id: 'decision-log', enabled: true, body: expect.stringContaining('# Decision log') }
    expect(body).toMatchObject({ skill })
    expect((await ask('GET', '/skills/nope')).status).toBe(404)
  })

  test('returns the hosts from its manifest, its size, and the personas that name it', async () => {
    const { skill } = (await ask('GET', '/skills/github-digest')).body
    expect(skill).toMatchObject({
      requires: { env: ['GITHUB_TOKEN'], bins: ['node'] },
      access: { network: ['api.github.com'], reads: ['memory'], writes: ['memory'] },
      compatibility: expect.stringContaining('run programs'),
      size: skill.files.reduce((sum: number, { size }: { size: number }) => sum + size, 0),
      personas: [],
    })
    await save('Begin with the GitHub-digest; github-digests and my-github-digest are others.')
    const other = (await ask('GET', '/skills/github-digest', undefined, await world.tenant())).body.skill.personas
    const mine = (await ask('GET', '/skills/github-digest')).body.skill.personas
    expect([mine, other]).toEqual([[{ id: 'night-editor', name: 'Night editor' }], []])
    expect((await ask('GET', '/skills/daily-brief')).body.skill.personas).toEqual([])
  })
})

describe('enableSkill', () => {
  test('requires the skill’s requirements, then pins it to its files; only this user’s agent gets it', async () => {
    const refused = await ask('POST', '/skills/github-digest/enable')
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ message: expect.stringContaining('GITHUB_TOKEN') }),
    ])
    await setVariable('GITHUB_TOKEN')
    expect(await given()).not.toContain('github-digest')
    const { status, body } = await ask('POST', '/skills/github-digest/enable')
    expect([status, body.skill]).toEqual([
      200,
      expect.objectContaining({ enabled: true, missing: { env: [], bins: [] } }),
    ])
    expect(await given()).toContain('github-digest')
    expect(await given(await world.tenant())).not.toContain('github-digest')
    const told = await world.ports.events.after(me.userId, 'evt_0', 10)
    expect(told.map(({ type, data }) => [type, data])).toContainEqual([
      'skill.changed',
      { skill: 'github-digest', enabled: true },
    ])
  })

  test('applies to the enabled files: changed files are off until they are enabled again', async () => {
    const old = { id: 'daily-brief', enabled: true, sha256: '0'.repeat(64), at: '2026-11-21T00:00:00.000Z' }
    await world.ports.catalogue.chooseSkill(me.userId, old)
    expect((await ask('GET', '/skills/daily-brief')).body.skill).toMatchObject({ enabled: false, changed: true })
    expect(await given()).not.toContain('daily-brief')
    expect((await ask('POST', '/skills/daily-brief/enable')).body.skill).toMatchObject({
      enabled: true,
      changed: false,
    })
    expect(await given()).toContain('daily-brief')
  })
})

describe('disableSkill', () => {
  test('removes the skill from the agent, and a second call changes nothing', async () => {
    for (let i = 0; i < 2; i++) {
      expect((await ask('POST', '/skills/daily-brief/disable')).body.skill.enabled).toBe(false)
      expect(await given()).not.toContain('daily-brief')
    }
    expect((await ask('POST', '/skills/nope/disable')).status).toBe(404)
  })
})

describe('the catalogue’s skills', () => {
  test('use only programs that the image contains', async () => {
    for (const { id, requires } of await world.ports.catalogue.skills())
      expect([id, requires.bins.filter((name) => !imageBinaries.includes(name))]).toEqual([id, []])
  })
})

const draft = (text: string) => ({ name: 'Night editor', description: 'Edits.', files: [{ path: 'SOUL.md', text }] })
const newestOf = async (who: McpTenant): Promise<number> =>
  (await world.ports.catalogue.choices(who.userId)).personas.find(({ id }) => id === 'night-editor')?.version ?? 0
const save = async (text: string, who = me, basedOn?: number) =>
  ask('PUT', '/personas/night-editor', { ...draft(text), basedOn: basedOn ?? (await newestOf(who)) }, who)
const kept = (version: number, text = `v${version}`): PersonaVersion => ({
  id: 'night-editor',
  ...draft(text),
  version,
  savedAt: '2026-11-21T00:00:00.000Z',
  copiedFrom: null,
})

describe('savePersona', () => {
  test('makes a version each time, and the active persona reaches the agent', async () => {
    expect((await save('Edit gently.')).body.persona).toMatchObject({ version: 1, builtIn: false, active: false })
    await ask('POST', '/personas/night-editor/activate')
    expect((await save('Edit hard.')).body.persona).toMatchObject({ version: 2, active: true })
    const { personas } = await personaAndSkills({ catalogue: world.ports.catalogue }, me.userId)
    expect(personas.find(({ id }) => id === 'night-editor')?.files).toEqual([{ path: 'SOUL.md', text: 'Edit hard.' }])
    expect((await ask('GET', '/personas', undefined, await world.tenant())).body.personas).toHaveLength(4)
  })

  test('enforces the limits, leaves built-in personas unchanged, and rejects bad paths', async () => {
    expect((await save('x'.repeat(maxFileCharacters))).body.persona.size).toEqual({
      characters: maxFileCharacters,
      tokens: maxFileCharacters / 4,
      maxCharacters: maxPersonaCharacters,
    })
    expect((await save('x'.repeat(maxFileCharacters + 1))).status).toBe(400)
    const three = ['A.md', 'B.md', 'C.md'].map((path) => ({ path, text: 'x'.repeat(maxFileCharacters) }))
    const long = await ask('PUT', '/personas/night-editor', { name: 'Long', files: three, basedOn: 1 })
    expect([long.status, long.body.details]).toEqual([400, { files: [expect.stringContaining('24000')] }])
    expect((await ask('PUT', '/personas/default', { ...draft('Mine.'), basedOn: 1 })).status).toBe(409)
    const bad = { ...draft('x'), files: [{ path: '../SOUL.md', text: 'x' }], basedOn: 1 }
    expect((await ask('PUT', '/personas/night-editor', bad)).status).toBe(400)
  })

  test('called twice at once succeeds for one and returns a conflict to the other', async () => {
    const next = kept(1)
    const port = world.ports.catalogue
    expect(await port.savePersona(me.userId, next)).toBe(true)
    expect(await port.savePersona(me.userId, next)).toBe(true)
    expect(await port.savePersona(me.userId, { ...next, description: 'Other.' })).toBe(false)
  })
})

describe('saving a persona', () => {
  test('based on an older version is rejected with both texts, and changes nothing', async () => {
    await save('first')
    await save('second')
    for (const basedOn of [0, 1, 3]) {
      const { status, body } = await save('mine', me, basedOn)
      expect([status, body.error, body.details]).toEqual([409, 'conflict', { basedOn: [`${basedOn}`], newest: ['2'] }])
    }
    expect((await ask('GET', '/personas/night-editor')).body.texts).toEqual([{ path: 'SOUL.md', text: 'second' }])
    await ask('DELETE', '/personas/night-editor')
    expect((await save('mine', me, 2)).body.details).toEqual({ basedOn: ['2'], newest: ['0'] })
    const { basedOn: _, ...unsaid } = { ...draft('mine'), basedOn: 0 }
    expect((await ask('PUT', '/personas/night-editor', unsaid)).status).toBe(400)
  })

  test('twice at once from one version writes one, and returns a conflict to the other', async () => {
    await save('first')
    const both = await Promise.all([save('a', me, 1), save('b', me, 1)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.details).toEqual({ basedOn: ['1'], newest: ['2'] })
    const won = both[0].status === 200 ? 'a' : 'b'
    expect((await ask('GET', '/personas/night-editor')).body.texts).toEqual([{ path: 'SOUL.md', text: won }])
  })

  test('records the origin of a copied first version', async () => {
    const copy = { ...draft('Mine.'), basedOn: 0, copiedFrom: 'friendly-coach' }
    expect((await ask('PUT', '/personas/night-editor', copy)).body.persona.copiedFrom).toBe('friendly-coach')
    const other = { ...copy, basedOn: 1, copiedFrom: 'default' }
    expect((await ask('PUT', '/personas/night-editor', other)).body.persona.copiedFrom).toBe('friendly-coach')
  })
})

describe('the name of a persona', () => {
  const named = async (name: string, basedOn = 0) =>
    ask('PUT', '/personas/night-editor', { ...draft('x'), name, basedOn })

  test.each(['Nachtlektorin Ümit', '夜の編集者', 'محرر الليل', 'עורכת לילה', '🌙', 'می‌خواهم'])(
    'may be %s',
    async (name) => {
      const { status, body } = await named(name)
      expect([status, body.persona?.name, body.persona?.id]).toEqual([200, name, 'night-editor'])
    },
  )

  test.each([
    ['an override', 'a\u202eb'],
    ['an isolate', 'a\u2066b'],
    ['a control character', 'a\u0007b'],
    ['a line break', 'a\nb'],
    ['half a character', 'a\ud800'],
    ['an empty text', '   '],
    ['only invisible characters', '\u200d\u3164\u2060'],
    ['too many characters', 'x'.repeat(101)],
  ])('may not have %s', async (_, name) => {
    expect((await named(name)).status).toBe(400)
  })

  test('is stored in composed form, and a changed name keeps the id', async () => {
    expect((await named('U\u0308mit')).body.persona.name).toBe('\u00dcmit')
    expect((await named('夜', 1)).body.persona).toMatchObject({ id: 'night-editor', name: '夜', version: 2 })
    expect((await ask('GET', '/personas')).body.personas).toHaveLength(5)
  })

  test('is the id when no name was saved', async () => {
    await save('first')
    const key = { userId: me.userId, item: 'persona#night-editor' }
    await change({
      table: world.env.table('settings'),
      key,
      update: 'REMOVE #name',
      values: {},
      names: { '#name': 'name' },
    })
    expect((await ask('GET', '/personas/night-editor')).body.persona.name).toBe('night-editor')
    expect((await named('Night editor', 1)).body.persona).toMatchObject({ name: 'Night editor', version: 2 })
  })
})

describe('deletePersona', () => {
  test('deletes a persona with its versions; an active one is replaced by the default first', async () => {
    await save('Edit gently.')
    await save('Edit hard.')
    await ask('POST', '/personas/night-editor/activate')
    const { status, body } = await ask('DELETE', '/personas/night-editor')
    expect(status).toBe(200)
    expect(body.personas.map(({ id }: { id: string }) => id)).not.toContain('night-editor')
    expect(body.personas.find(({ active }: { active: boolean }) => active)).toMatchObject({ id: 'default' })
    expect((await world.ports.instances.find(me.userId))?.persona).toBe('default')
    for (const path of ['/personas/night-editor', '/personas/night-editor/versions'])
      expect((await ask('GET', path)).status).toBe(404)
    expect((await ask('DELETE', '/personas/night-editor')).status).toBe(404)
    const told = await world.ports.events.after(me.userId, 'evt_0', 10)
    expect(told.at(-1)).toMatchObject({
      type: 'persona.changed',
      data: { persona: 'default', deleted: 'night-editor' },
    })
    expect((await save('Anew.')).body.persona).toMatchObject({ version: 1 })
    expect((await ask('GET', '/personas/night-editor/versions')).body.versions).toHaveLength(1)
  })

  test('leaves built-in and other users’ personas, and the active one when another is deleted', async () => {
    const other = await world.tenant()
    await save('Mine.')
    await save('Theirs.', other)
    await ask('POST', '/personas/friendly-coach/activate')
    const { status, body } = await ask('DELETE', '/personas/friendly-coach')
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({ message: expect.stringContaining('Deactivate it') }),
    ])
    expect((await ask('DELETE', '/personas/night-editor')).status).toBe(200)
    expect((await world.ports.instances.find(me.userId))?.persona).toBe('friendly-coach')
    expect((await ask('GET', '/personas/night-editor', undefined, other)).status).toBe(200)
  })

  test('deletes versions in every place, and loses against a concurrent save', async () => {
    const port = world.ports.catalogue
    for (let count = 1; count <= keptVersions + 2; count++) await port.savePersona(me.userId, kept(count))
    expect(await port.deletePersona(me.userId, kept(keptVersions + 1))).toBe(false)
    expect(await port.versions(me.userId, 'night-editor')).toHaveLength(keptVersions)
    expect(await port.deletePersona(me.userId, kept(keptVersions + 2))).toBe(true)
    expect(await port.versions(me.userId, 'night-editor')).toEqual([])
    expect((await port.choices(me.userId)).personas).toEqual([])
  })
})

describe('getPersona', () => {
  test('returns built-in and own personas, and no other user’s', async () => {
    await save('Edit gently.')
    expect((await ask('GET', '/personas/night-editor')).body.texts).toEqual([{ path: 'SOUL.md', text: 'Edit gently.' }])
    expect((await ask('GET', '/personas/default')).body.persona).toMatchObject({ builtIn: true, active: true })
    expect((await ask('GET', '/personas/night-editor', undefined, await world.tenant())).status).toBe(404)
  })
})

describe('listPersonaVersions', () => {
  test('lists the stored versions, newest first', async () => {
    const port = world.ports.catalogue
    for (let version = 1; version <= keptVersions + 2; version++) await port.savePersona(me.userId, kept(version))
    const { versions } = (await ask('GET', '/personas/night-editor/versions')).body
    expect(versions).toHaveLength(keptVersions)
    expect([versions[0].version, versions.at(-1).version]).toEqual([keptVersions + 2, 3])
    expect((await ask('GET', '/personas/default/versions')).status).toBe(404)
  })
})

describe('getPersonaVersion', () => {
  test('shows the changed lines since the previous version or another', async () => {
    for (const text of ['one\ntwo\nthree', 'one\n2\nthree', 'one\n2\nthree\nfour']) await save(text)
    const { body } = await ask('GET', '/personas/night-editor/versions/2')
    expect([body.against, body.diff]).toEqual([
      1,
      [
        {
          path: 'SOUL.md',
          lines: [
            { kind: 'same', text: 'one' },
            { kind: 'removed', text: 'two' },
            { kind: 'added', text: '2' },
            { kind: 'same', text: 'three' },
          ],
        },
      ],
    ])
    const far = (await ask('GET', '/personas/night-editor/versions/3?against=1')).body
    expect(far.diff[0].lines.filter((line: { kind: string }) => line.kind === 'added')).toHaveLength(2)
    expect((await ask('GET', '/personas/night-editor/versions/1')).body.against).toBeNull()
    expect((await ask('GET', '/personas/night-editor/versions/9')).status).toBe(404)
  })
})

describe('restorePersonaVersion', () => {
  test('saves the old text as a new version', async () => {
    await save('first')
    await save('second')
    const { body } = await ask('POST', '/personas/night-editor/versions/1/restore')
    expect(body.persona.version).toBe(3)
    expect((await ask('GET', '/personas/night-editor')).body.texts).toEqual([{ path: 'SOUL.md', text: 'first' }])
    expect((await ask('POST', '/personas/night-editor/versions/9/restore')).status).toBe(404)
  })
})

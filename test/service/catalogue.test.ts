import { call, hostedUser, signIn } from './client.ts'

const names = (list: { id: string }[]) => list.map(({ id }) => id).sort()

describe('listSkills', () => {
  test('lists the first-party skills and searches them', async () => {
    const user = await signIn()
    const all = (await call('GET', '/skills', undefined, user)).body.skills
    expect(names(all)).toEqual(expect.arrayContaining(['daily-brief', 'meeting-notes', 'spend-report']))
    const found = (await call('GET', '/skills?q=TRANSCRIPT', undefined, user)).body.skills
    expect(names(found)).toEqual(['meeting-notes'])
    expect(all[0]).toEqual(
      expect.objectContaining({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), license: expect.any(String) }),
    )
  })
})

describe('getSkill', () => {
  test('returns the instructions and the files’ hashes', async () => {
    const { body } = await call('GET', '/skills/daily-brief', undefined, await signIn())
    expect(body.skill).toMatchObject({ id: 'daily-brief', body: expect.stringContaining('# Daily brief') })
    expect(body.skill.files).toContainEqual({ path: 'SKILL.md', size: expect.any(Number), sha256: expect.any(String) })
  })

  test('returns 404 for an unknown slug', async () => {
    const { status, body } = await call('GET', '/skills/nope', undefined, await signIn())
    expect([status, body.error]).toEqual([404, 'not-found'])
  })
})

describe('listPersonas', () => {
  test('marks the default as active before any other was chosen', async () => {
    const { personas } = (await call('GET', '/personas', undefined, await signIn())).body
    expect(personas.length).toBeGreaterThanOrEqual(4)
    expect(names(personas.filter(({ active }: { active: boolean }) => active))).toEqual(['default'])
  })
})

describe('activatePersona', () => {
  test('activates one persona at a time', async () => {
    const user = await hostedUser(500)
    const { status, body } = await call('POST', '/personas/friendly-coach/activate', undefined, user)
    expect(status).toBe(200)
    expect(names(body.personas.filter(({ active }: { active: boolean }) => active))).toEqual(['friendly-coach'])
    expect((await call('POST', '/personas/nobody/activate', undefined, user)).status).toBe(404)
  })
})

describe('deactivatePersona', () => {
  test('returns to the default, and changes nothing the second time', async () => {
    const user = await hostedUser(500)
    await call('POST', '/personas/friendly-coach/activate', undefined, user)
    for (let i = 0; i < 2; i++) {
      const { body } = await call('POST', '/personas/friendly-coach/deactivate', undefined, user)
      expect(names(body.personas.filter(({ active }: { active: boolean }) => active))).toEqual(['default'])
    }
  })
})

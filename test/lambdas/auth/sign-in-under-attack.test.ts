import fc from 'fast-check'
import { codeTries, mailLimits, strangersMailsPerDay } from '../../../domain/account/sign-in-limits.ts'
import { limits } from '../../../domain/rates/rate-limits.ts'
import { dayMs, hourMs, minuteMs } from '../../../domain/time.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { most, seeded } from '../../counts.ts'
import { openWorld, type World } from '../../world.ts'

interface Mailed {
  to: string
  at: number
  code: string | undefined
  token: string
}

let world: World
let mailbox: Mailed[] = []
let mailFails = false
beforeAll(async () => {
  const send = async ({ to, subject, text }: { to: string; subject: string; text: string }) => {
    if (mailFails) throw new Error('no mail today')
    const [code, token] = [/^(\d{6}) is/.exec(subject)?.[1], /#token=([\w-]{22})&/.exec(text)?.[1]]
    if (token) mailbox.push({ to, at: world.clock.nowMs, code, token })
  }
  world = await openWorld({ areas: [authArea], replace: () => ({ mail: { send } }) })
})
afterAll(() => world.close())

/** Resets all counts of earlier tests. */
function startAfresh() {
  mailbox = []
  world.clock.nowMs += 2 * dayMs
}
beforeEach(startAfresh)

let made = 0
const newEmail = () => `owner${++made}@example.com`
const wrong = (code = '000000') => (code === '123456' ? '654321' : '123456')

/** A browser behind one network address that keeps its cookies. */
function browser(ip: string) {
  const cookies = new Map<string, string>()
  const post = async (path: string, body: object) => {
    const headers = { Cookie: [...cookies.values()].join('; ') }
    const answer = await world.request({ method: 'POST', path: `/auth/${path}`, body, headers, ip })
    for (const set of answer.cookies) cookies.set(set.split('=')[0] ?? '', set.split(';')[0] ?? '')
    return answer.status
  }
  return {
    cookies,
    options: () => post('passkeys/options', {}),
    /** Requests a sign-in and returns the e-mail, if one was sent. */
    async ask(email: string): Promise<Mailed | undefined> {
      const before = mailbox.length
      expect(await post('login', { email })).toBe(202)
      return mailbox.slice(before).find(({ to }) => to === email)
    },
    login: (email: string) => post('login', { email }),
    enter: (email: string, code: string) => post('verify', { email, code }),
    open: (email: string, token: string) => post('verify', { email, token }),
  }
}
type Browser = ReturnType<typeof browser>

const home = '192.0.2.1'
const network = (i: number) => (i === 0 ? home : `198.51.100.${i}`)

/** Signs in with a new code. */
async function enterNewCode(owner: Browser, email: string) {
  const mail = await owner.ask(email)
  return owner.enter(email, mail?.code ?? 'none')
}

describe('a stranger who knows an address', () => {
  test('cannot lock its owner out by wrong codes or by requesting e-mails', async () => {
    const [email, owner] = [newEmail(), browser(home)]
    const mail = await owner.ask(email)
    for (let i = 0; i < 40; i++) {
      const stranger = browser(network(i % 8))
      await stranger.login(email)
      for (let tries = 0; tries < 6; tries++) await stranger.enter(email, wrong(mail?.code))
      await stranger.open(email, 'x'.repeat(22))
    }
    expect(await owner.enter(email, mail?.code ?? '')).toBe(200)
    expect(await enterNewCode(owner, email)).toBe(200)
  })

  test('cannot use a code sent to the owner, nor an own code after five tries', async () => {
    const [email, stranger] = [newEmail(), browser(network(1))]
    const [theirs, mine] = [await browser(home).ask(email), await stranger.ask(email)]
    expect(await stranger.enter(email, theirs?.code ?? '')).toBe(401)
    for (let i = 1; i < codeTries; i++) expect(await stranger.enter(email, wrong(mine?.code))).toBe(401)
    expect(await stranger.enter(email, mine?.code ?? '')).toBe(401)
    expect(await browser(home).enter(email, theirs?.code ?? '')).toBe(401)
  })

  test('in the owner’s network blocks neither the right code, the right link, nor a known browser', async () => {
    const [email, known, fresh] = [newEmail(), browser(home), browser(home)]
    expect(await enterNewCode(known, email)).toBe(200)
    const [first, second] = [await fresh.ask(email), await fresh.ask(email)]
    const stranger = browser(home)
    for (let i = 0; i <= limits.login; i++) {
      await stranger.login(`other${i}@example.com`)
      await stranger.enter(email, wrong())
      await stranger.options()
    }
    expect(await Promise.all([stranger.login(email), stranger.enter(email, wrong()), stranger.options()])).toEqual([
      429, 429, 429,
    ])
    expect(await fresh.enter(email, first?.code ?? '')).toBe(200)
    expect(await browser(home).open(email, second?.token ?? '')).toBe(200)
    expect(await known.options()).toBe(200)
    expect(await enterNewCode(known, email)).toBe(200)
  })

  test('is not known by a browser that signed in elsewhere, nor by a forged cookie', async () => {
    const [email, stranger] = [newEmail(), browser(network(1))]
    expect(await enterNewCode(stranger, newEmail())).toBe(200)
    for (let i = 0; i < mailLimits.strangers.codes; i++) expect((await stranger.ask(email))?.code).toBeDefined()
    expect(await stranger.ask(email)).toMatchObject({ code: undefined })
    expect(await stranger.ask(email)).toBeUndefined()
    const name = [...stranger.cookies.keys()].find((cookie) => cookie.endsWith('browser')) ?? ''
    for (const value of ['', 'x', '.', `brw_1.${'x'.repeat(22)}.${'x'.repeat(22)}`]) {
      stranger.cookies.set(name, `${name}=${value}`)
      expect(await stranger.ask(email)).toBeUndefined()
    }
  })
})

// https://github.com/GCTC-NTGC/gc-digital-talent/issues/17970: a client that chooses its cookie would choose its rate
// window.
test('many browsers signed in to one account share its limit, whatever their cookies’ origin', async () => {
  const email = newEmail()
  const browsers: Browser[] = []
  for (let i = 0; i < 4; i++) {
    const next = browser(home)
    expect(await enterNewCode(next, email)).toBe(200)
    browsers.push(next)
  }
  const statuses: number[] = []
  for (const each of browsers)
    for (let i = 0; i < limits.login; i++) statuses.push(await each.login(`victim${i}@example.com`))
  expect(statuses.filter((status) => status === 202)).toHaveLength(limits.login)
  // The owner's browser can still sign in at another network address.
  const away = browser(network(3))
  for (const [name, value] of browsers[0]?.cookies ?? []) away.cookies.set(name, value)
  expect(await away.login(email)).toBe(202)
})

test('a failed e-mail does not prevent others from being sent', async () => {
  const email = newEmail()
  mailFails = true
  for (let i = 0; i < 24; i++) expect(await browser(network(i % 12)).login(email)).toBe(500)
  mailFails = false
  expect(await enterNewCode(browser(home), email)).toBe(200)
})

describe('attackers interleaved with the owner', () => {
  const attack = fc.record({
    from: fc.nat({ max: 11 }),
    asks: fc.nat({ max: 5 }),
    guesses: fc.nat({ max: 6 }),
    links: fc.nat({ max: 1 }),
  })
  const step = fc.record({
    waitMs: fc.integer({ min: 0, max: 3 * hourMs }),
    before: fc.array(attack, { maxLength: 2 }),
    between: fc.array(attack, { maxLength: 2 }),
    owner: fc.constantFrom('known', 'new', 'nobody'),
    delayMs: fc.integer({ min: 0, max: 9 * minuteMs }),
    by: fc.constantFrom('code', 'link'),
  })

  type Attack = typeof attack extends fc.Arbitrary<infer T> ? T : never
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  /** One history; returns the unused e-mails sent to strangers. */
  async function run(steps: Step[]) {
    startAfresh()
    const [email, known] = [newEmail(), browser(home)]
    expect(await enterNewCode(known, email)).toBe(200)
    const used = new Set(mailbox.map(({ token }) => token))
    const theirs: Mailed[] = []
    const raid = async ({ from, asks, guesses, links }: Attack) => {
      const stranger = browser(network(from))
      let last: Mailed | undefined
      for (let i = 0; i < asks; i++) {
        const before = mailbox.length
        await stranger.login(email)
        last = mailbox[before] ?? last
        theirs.push(...mailbox.slice(before))
      }
      for (let i = 0; i < guesses; i++) expect(await stranger.enter(email, wrong(last?.code))).not.toBe(200)
      for (let i = 0; i < links; i++) expect(await stranger.open(email, `${i}`.padStart(22, 'x'))).not.toBe(200)
      // After five wrong codes, even the right code is refused.
      if (guesses >= codeTries && last?.code) expect(await stranger.enter(email, last.code)).not.toBe(200)
    }
    const signIn = async ({ owner, by, between, delayMs }: Step) => {
      const mine = owner === 'known' ? known : browser('203.0.113.7')
      const mail = await mine.ask(email)
      if (owner === 'known') expect(mail?.code).toBeDefined()
      for (const attack of between) await raid(attack)
      world.clock.nowMs += delayMs
      const now = world.clock.nowMs
      const link = mail ?? mailbox.find(({ at, token }) => at > now - hourMs - delayMs && !used.has(token))
      const entered = mail?.code && by === 'code' ? mine.enter(email, mail.code) : mine.open(email, link?.token ?? '')
      expect(await entered).toBe(200)
      used.add(link?.token ?? '')
      if (mail && owner === 'new') theirs.push(mail)
    }
    for (const step of steps) {
      world.clock.nowMs += step.waitMs
      for (const each of step.before) await raid(each)
      if (step.owner !== 'nobody') await signIn(step)
    }
    return theirs.filter(({ token }) => !used.has(token))
  }

  test('never keep the owner out; strangers get four codes with five tries each per day, and the mailbox stays usable', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const unused = await run(steps)
        for (const { at: from } of unused) {
          const inDay = unused.filter(({ at }) => at >= from && at < from + dayMs)
          expect(inDay.filter(({ code }) => code !== undefined).length).toBeLessThanOrEqual(mailLimits.strangers.codes)
          expect(inDay.length).toBeLessThanOrEqual(strangersMailsPerDay + mailLimits.strangers.hour + 24)
        }
      }),
      { ...seeded(most(300, 80), 4), endOnFailure: true },
    )
  })
})

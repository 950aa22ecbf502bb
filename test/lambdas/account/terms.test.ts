import { acceptShown } from '../../../app/account/sign-in.ts'
import { type AcceptedTerms, newlyAccepted } from '../../../domain/account/terms.ts'
import { presentTerms, type TermsVersion, termsVersions } from '../../../domain/account/terms-versions.ts'
import { hourMs, iso } from '../../../domain/time.ts'
import { accountArea } from '../../../lambdas/account/index.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { openWorld, type World } from '../../world.ts'

let world: World
let token = ''
beforeAll(async () => {
  const send = async ({ text }: { text: string }) => {
    token = /#token=([\w-]{22})&/.exec(text)?.[1] ?? token
  }
  world = await openWorld({ areas: [accountArea, authArea], replace: () => ({ mail: { send } }) })
})
afterAll(() => world.close())

const post = (path: string, body: object) => world.request({ method: 'POST', path, body, headers: {} })

/** Signs in by the e-mailed link, on a page that showed these terms, and returns the session's cookie. */
async function signIn(email: string, terms?: string) {
  world.clock.nowMs += 2 * hourMs
  await post('/auth/login', { email })
  const answer = await post('/auth/verify', { email, token, ...(terms !== undefined && { terms }) })
  const cookie = answer.cookies.map((set) => set.split(';')[0]).join('; ')
  return { status: answer.status, cookie }
}

async function termsOf(cookie: string) {
  const { body } = await world.request({ path: '/account', headers: { Cookie: cookie } })
  return (body as { terms: { present: string; accepted: AcceptedTerms | null } }).terms
}

describe('the accepted terms', () => {
  test('are the version that the page of the first sign-in showed, with the time', async () => {
    const { status, cookie } = await signIn('new@example.com', presentTerms)
    expect(status).toBe(200)
    const at = iso(world.clock.nowMs)
    expect(await termsOf(cookie)).toEqual({ present: presentTerms, accepted: { version: presentTerms, at } })
    const again = await signIn('new@example.com', presentTerms)
    expect((await termsOf(again.cookie)).accepted?.at).toBe(at)
  })

  test('are missing without such a page, and are recorded at the next sign-in on one', async () => {
    const { cookie } = await signIn('program@example.com')
    expect((await termsOf(cookie)).accepted).toBeNull()
    const { cookie: later } = await signIn('program@example.com', presentTerms)
    expect((await termsOf(later)).accepted).toEqual({ version: presentTerms, at: iso(world.clock.nowMs) })
  })

  test('must be an existing version', async () => {
    expect((await signIn('odd@example.com', '1999-01-01')).status).toBe(400)
  })

  test('are accepted again after a change, and never go back', async () => {
    const { user } = await world.ports.users.findOrCreate('old@example.com', world.newUserId(), world.clock.nowMs)
    const older = { version: '2020-01-01', at: iso(0) }
    await world.ports.users.acceptTerms(user.id, older)
    await acceptShown(world.ports, { ...user, terms: older }, presentTerms, world.clock.nowMs)
    expect((await world.ports.users.find(user.id))?.terms?.version).toBe(presentTerms)
    const [first = presentTerms] = termsVersions
    expect(newlyAccepted({ version: presentTerms, at: iso(0) }, first as TermsVersion, iso(1))).toBeNull()
    expect(newlyAccepted(older, undefined, iso(1))).toBeNull()
  })
})

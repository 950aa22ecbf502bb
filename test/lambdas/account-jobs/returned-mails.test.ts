import { get } from '../../../adapters/dynamo/calls.ts'
import { returnedMailKeptMs } from '../../../domain/account/returned-mail.ts'
import { dayMs, iso } from '../../../domain/time.ts'
import { accountJobsArea } from '../../../lambdas/account-jobs/index.ts'
import { authArea } from '../../../lambdas/auth/index.ts'
import { jobHandler } from '../../../lambdas/kit/job-handler.ts'
import { openWorld, type World } from '../../world.ts'
import { bounced, complained } from './mail-events.ts'

let world: World
let jobs: ReturnType<typeof jobHandler>
let token = ''
let mails = 0
beforeAll(async () => {
  const send = async ({ text }: { text: string }) => {
    mails++
    token = /#token=([\w-]{22})&/.exec(text)?.[1] ?? token
  }
  world = await openWorld({ areas: [authArea, accountJobsArea], replace: () => ({ mail: { send } }) })
  jobs = jobHandler(accountJobsArea, world.ports)
})
afterAll(() => world.close())

let made = 0
const newEmail = () => `mailbox${++made}@example.com`
/** The response to a request for a code from a browser with these cookies. */
async function login(email: string, cookie = '') {
  const headers = { Cookie: cookie }
  const { status, body } = await world.request({ method: 'POST', path: '/auth/login', body: { email }, headers })
  expect(status).toBe(202)
  return body
}
const returned = async (email: string) => (await world.ports.users.findByEmail(email))?.returned
const never = { bouncedAt: null, complainedAt: null }

describe('a sign-in at an address with bounced e-mails', () => {
  test('warns for 30 days, with or without an account, and still sends the e-mail', async () => {
    const [nobodys, somebodys] = [newEmail(), newEmail()]
    await world.ports.users.findOrCreate(somebodys, world.newUserId(), world.clock.nowMs)
    for (const email of [nobodys, somebodys]) {
      expect(await login(email)).toEqual({ sent: true, bounced: false })
      await jobs(bounced(email))
      const before = mails
      expect(await login(email)).toEqual({ sent: true, bounced: true })
      expect(mails).toBe(before + 1)
    }
    expect(await login(newEmail())).toEqual({ sent: true, bounced: false })
    world.clock.nowMs += returnedMailKeptMs - 1
    expect(await login(nobodys)).toMatchObject({ bounced: true })
    world.clock.nowMs += 1
    expect(await login(nobodys)).toMatchObject({ bounced: false })
  })

  test('warns a browser that signed in with the address before', async () => {
    const email = newEmail()
    await login(email)
    const { cookies } = await world.request({
      method: 'POST',
      path: '/auth/verify',
      body: { email, token },
      headers: {},
    })
    const known = cookies.map((set) => set.split(';')[0]).join('; ')
    expect(known).toContain('browser')
    expect(await login(email, known)).toMatchObject({ bounced: false })
    await jobs(bounced(email))
    expect(await login(email, known)).toMatchObject({ bounced: true })
  })

  test('does not warn about a full mailbox or a complaint', async () => {
    const email = newEmail()
    await world.ports.users.findOrCreate(email, world.newUserId(), world.clock.nowMs)
    await jobs(bounced(email, 'MailboxFull', 'Transient'))
    expect(await returned(email)).toEqual(never)
    await jobs(complained(email))
    expect(await returned(email)).toEqual({ bouncedAt: null, complainedAt: iso(world.clock.nowMs) })
    expect(await login(email)).toMatchObject({ bounced: false })
  })

  test('warns about the address we sent to, not one that it forwards to', async () => {
    const [email, forwarded] = [newEmail(), `forwarded-mailbox${made}@example.com`]
    const { user } = await world.ports.users.findOrCreate(email, world.newUserId(), world.clock.nowMs)
    await jobs(bounced(email.toUpperCase()))
    expect(await login(email)).toMatchObject({ bounced: true })
    expect(await login(forwarded)).toMatchObject({ bounced: false })
    expect(await returned(email)).toEqual({ bouncedAt: iso(world.clock.nowMs), complainedAt: null })
    await world.ports.users.changeEmail(user.id, email, forwarded)
    expect(await returned(forwarded)).toEqual(never)
  })

  test('warns for exactly the time that SES suppresses the address, whatever is sent meanwhile', async () => {
    const email = newEmail()
    await jobs(bounced(email))
    const until = Math.ceil((world.clock.nowMs + returnedMailKeptMs) / 1000)
    world.clock.nowMs += 10 * dayMs
    await login(email)
    const item = await get(world.env.table('logins'), { email })
    expect(Number(item?.ttl?.N)).toBe(until)
    await jobs(bounced(email, 'OnAccountSuppressionList'))
    world.clock.nowMs += returnedMailKeptMs - 1
    expect(await login(email)).toMatchObject({ bounced: true })
  })

  test('counts e-mails as before, and stops warning once the bounce is lifted', async () => {
    const email = newEmail()
    await jobs(bounced(email))
    const before = mails
    for (let asked = 0; asked < 8; asked++) expect(await login(email)).toMatchObject({ bounced: true })
    expect(mails).toBe(before + 5)
    await world.ports.logins.forgetBounce(email)
    expect(await login(email)).toEqual({ sent: true, bounced: false })
    expect(mails).toBe(before + 5)
  })

  test('leaves no item when a bounce is lifted for an unknown address', async () => {
    const email = newEmail()
    await world.ports.logins.forgetBounce(email)
    expect(await get(world.env.table('logins'), { email })).toBeNull()
    expect(await login(email)).toEqual({ sent: true, bounced: false })
  })
})

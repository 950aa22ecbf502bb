import { mail } from '../../../adapters/aws/mail.ts'
import type { Group } from '../../../domain/notifications/kinds.ts'
import { getSession } from '../../../lambdas/auth/get-session.ts'
import { type NotificationsWorld, openNotificationsWorld } from './notifications-world.ts'

let world: NotificationsWorld
beforeAll(async () => {
  world = await openNotificationsWorld()
})
afterAll(() => world.close())

const letter = { to: 'ada@example.com', subject: 'Your wallet is low', text: 'Less than $1 is left.' }

/** The requests to SES to send an e-mail with this subject. */
async function sent(subject: string, switchable?: { userId: string; group: Group }) {
  await mail(world.env).send({ ...letter, subject, ...(switchable && { switchable }) })
  const found = world.cloud.cloud.mails('ada@example.com').find((each) => each.subject === subject)
  if (!found) throw new Error('no mail')
  return found
}

const addressIn = (headers: Record<string, string> | undefined): string =>
  /^<(https?:\/\/[^>]+)>$/.exec(headers?.['List-Unsubscribe'] ?? '')?.[1] ?? ''

describe('unsubscribe', () => {
  test('is one click in an optional e-mail: no sign-in, no page, and repeatable', async () => {
    const me = await world.person()
    const { headers, text } = await sent('one', { userId: me.userId, group: 'money' })
    expect(headers?.['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
    const path = new URL(addressIn(headers)).pathname.replace(/^\/api/, '')
    expect(text).toContain(`/unsubscribe#${path.split('/').at(-1)}`)
    const click = () =>
      world.request({
        method: 'POST',
        path,
        headers: { Origin: undefined, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      })
    const muted = async () => (await me.ask({ path: '/notifications/settings' })).body.muted
    // Programs that check the links of e-mails use GET.
    expect((await world.request({ method: 'GET', path })).status).not.toBe(200)
    expect(await muted()).toEqual([])
    await me.ask({ method: 'PUT', path: '/notifications/settings', body: { muted: ['push.chat'] } })
    for (let i = 0; i < 3; i++) expect((await click()).body).toEqual({ group: 'money', off: true })
    expect(await muted()).toEqual(['mail.money', 'push.chat'])
  })

  test('does nothing for a link that we did not sign, or another user’s', async () => {
    const [me, other] = [await world.person(), await world.person()]
    const { headers } = await sent('two', { userId: me.userId, group: 'chat' })
    const token = addressIn(headers).split('/').at(-1) ?? ''
    const [userId = '', group = '', signature = ''] = token.split('.')
    expect([userId, group]).toEqual([me.userId, 'chat'])
    for (const forged of [
      `${other.userId}.${group}.${signature}`,
      `${userId}.money.${signature}`,
      `${userId}.security.${signature}`,
      `${userId}.${group}.${signature.slice(0, -2)}AA`,
      `${userId}.${group}`,
      'nothing',
    ])
      expect((await world.request({ method: 'POST', path: `/notifications/unsubscribe/${forged}` })).status).toBe(404)
    for (const each of [me, other]) expect((await each.ask({ path: '/notifications/settings' })).body.muted).toEqual([])
  })

  test('is not offered in a mandatory e-mail', async () => {
    const { headers, text } = await sent('three')
    expect([headers, text]).toEqual([undefined, letter.text])
  })

  test('keeps a concurrent change of the settings', async () => {
    const me = await world.person()
    const addresses = await Promise.all(
      (['money', 'chat', 'machine'] as const).map(async (group) =>
        addressIn((await sent(`four ${group}`, { userId: me.userId, group })).headers),
      ),
    )
    const clicks = addresses.map((address) =>
      world.request({ method: 'POST', path: new URL(address).pathname.replace(/^\/api/, '') }),
    )
    expect((await Promise.all(clicks)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await me.ask({ path: '/notifications/settings' })).body.muted).toEqual([
      'mail.chat',
      'mail.machine',
      'mail.money',
    ])
  })
})

describe('a sign-in from a new browser', () => {
  test('sends a notification; one from a known browser does not', async () => {
    const me = await world.person()
    const { body } = await me.ask({ operation: getSession })
    const signIn = async (cookie?: string) => {
      const code = { method: 'POST', path: '/auth/login', body: { email: body.account.email }, ip: '192.0.2.9' }
      const asked = await world.request({ ...code, headers: { Cookie: cookie } })
      const given = [...asked.cookies.map((each) => each.split(';')[0]), ...(cookie ? [cookie] : [])].join('; ')
      const text = world.mails.at(-1)?.text ?? ''
      const token = /#token=([\w-]{22})/.exec(text)?.[1]
      const answer = await world.request({
        method: 'POST',
        path: '/auth/verify',
        body: { email: body.account.email, token },
        headers: { Cookie: given },
      })
      expect(answer.status).toBe(200)
      return answer.cookies.map((each) => each.split(';')[0]).join('; ')
    }
    const told = async () =>
      (await world.ports.events.after(me.userId, 'evt_', 10)).map(({ type, data }) => [type, data])
    const known = await signIn()
    const once = [['account.signed_in', { device: 'Unknown browser' }]]
    expect(await told()).toEqual(once)
    await signIn(known)
    expect(await told()).toEqual(once)
  })
})

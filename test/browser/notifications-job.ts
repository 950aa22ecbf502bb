/**
 * Notifications in a browser: the bell counts live, the list is read, e-mails and pushes are selected, this browser
 * subscribes, and a push is shown and opens its page; at three widths, light and dark. `BERTH_URL`, `SHOTS`, `CHROMIUM`
 * as in main-job.ts.
 *
 * Two parts are simulated. Chromium's own push service belongs to its maker, so `PushManager.subscribe` returns a
 * subscription of the stand-in, the stand-in decrypts the push, and the DevTools protocol passes it to the service
 * worker; a click on the desktop's notification is an event made within the worker.
 */
import { startPushService } from '../push-service/server.ts'
import { forgetRates } from '../service/store.ts'
import { until } from '../until.ts'
import { settled, violations } from './axe.ts'
import { startChecks } from './checks.ts'
import { patienceMs, startChromium } from './chromium.ts'
import { obstacles } from './page-facts.ts'
import { signIn } from './visitor.ts'

const base = (process.env.BERTH_URL ?? 'http://127.0.0.1:8787').replace(/\/$/, '')

const pushService = await startPushService()
const browser = await startChromium()
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
await context.grantPermissions(['notifications'], { origin: base })
const page = await context.newPage()
page.setDefaultTimeout(patienceMs)
const checks = startChecks(page, process.env.SHOTS && `${process.env.SHOTS}/notifications`)
const { step, that } = checks
const complaints: string[] = []
page.on('pageerror', (error) => complaints.push(error.message))
page.on('console', (message) => {
  if (message.type() === 'error' && !/status of 40[134]/.test(message.text())) complaints.push(message.text())
})

const bell = () => page.getByRole('banner').getByRole('link', { name: /^Notifications/ })
const bellSays = (text: string) => page.getByRole('banner').getByRole('link', { name: text, exact: true }).waitFor()
const rows = () => page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')

/** Causes a notification to the user, through the page's own session. */
const makeToken = (name: string) =>
  page.evaluate(async (called) => {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: called }),
    }
    return (await fetch('/api/tokens', request)).status
  }, name)

async function lookAt(name: string, path: string): Promise<void> {
  for (const size of [
    { width: 390, height: 844 },
    { width: 820, height: 1180 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size)
    await forgetRates()
    await page.goto(`${base}${path}`)
    await settled(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const found = [...(await violations(page)), ...(await obstacles(page))]
      that(`${name}, ${size.width} px, ${colorScheme}: no obstacle for a reader`, found.length === 0, found)
      await checks.shoot(`${name} ${size.width} ${colorScheme}`)
    }
  }
}

await step('Sign in', async () => {
  await signIn(page, base, `notified-${Date.now()}@example.com`)
  await bellSays('Notifications')
})

await step('An event is counted at once, and listed', async () => {
  that('a token was made', (await makeToken('<img src=x onerror=alert(1)>')) === 201)
  await bellSays('Notifications: 1 not read')
  await bell().click()
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
  await rows().first().getByText('The token “<img src=x onerror=alert(1)>” was made.').waitFor()
  that('a user’s text is shown as plain text', (await page.locator('main img').count()) === 0)
  that('another token was made', (await makeToken('Laptop')) === 201)
  await bellSays('Notifications: 2 not read')
  await rows().nth(1).waitFor()
})

await step('Opening a notification marks it as read, and a button marks all', async () => {
  await rows().first().getByRole('link').click()
  await page.waitForURL(`${base}/tokens`)
  await bellSays('Notifications: 1 not read')
  await page.goBack()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await bellSays('Notifications')
  that('no notification is unread', (await page.getByText('Not read yet.').count()) === 0)
})

await step('E-mails and pushes are selected by group', async () => {
  await page.getByRole('link', { name: 'Settings' }).click()
  const choice = page.getByRole('checkbox', { name: 'Money: by e-mail' })
  const saved = page.waitForResponse((answer) => answer.request().method() !== 'GET')
  await choice.uncheck()
  await saved
  await page.reload()
  await choice.waitFor()
  that('the selection is stored', !(await choice.isChecked()))
  that('the other groups are unchanged', await page.getByRole('checkbox', { name: 'Money: by push' }).isChecked())
})

const settings = async () =>
  page.evaluate(async () => (await fetch('/api/notifications/settings')).json() as Promise<{ publicKey: string }>)
const subscriber = pushService.subscribe((await settings()).publicKey)

await step('This browser subscribes', async () => {
  const { endpoint, p256dh, auth } = subscriber
  await page.evaluate(
    (made) => {
      PushManager.prototype.subscribe = async () =>
        // safe because the page reads no other part of a subscription
        ({ toJSON: () => made }) as unknown as PushSubscription
    },
    { endpoint, keys: { p256dh, auth } },
  )
  await page.getByRole('button', { name: 'Notify me in this browser' }).click()
  await page.getByText('this browser').first().waitFor()
  await page.getByRole('button', { name: 'Stop notifying this browser' }).waitFor()
})

await step('An event is pushed, shown, and opens its page', async () => {
  that('a third token was made', (await makeToken('Phone')) === 201)
  await until(() => pushService.messages(subscriber.endpoint).length > 0)
  const [message] = pushService.messages(subscriber.endpoint)
  const payload = subscriber.open(message?.body ?? Buffer.alloc(0))
  that('the push contains only the kind and the page', !payload.includes('Phone'), payload)
  const devtools = await context.newCDPSession(page)
  const registered: { registrationId: string }[] = []
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => registered.push(...registrations))
  await devtools.send('ServiceWorker.enable')
  await until(() => registered.length > 0)
  const registrationId = registered[0]?.registrationId ?? ''
  await devtools.send('ServiceWorker.deliverPushMessage', { origin: base, registrationId, data: payload })
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications()).map(({ title, body }) => [title, body])
    })
  await until(async () => (await shown()).length > 0)
  const [first] = await shown()
  that('the notification has the page’s text', first?.join(' ') === 'Berth A token was made for your account.', first)
  const [worker] = context.serviceWorkers()
  await worker?.evaluate(async () => {
    // safe because this runs in the worker
    const self = globalThis as unknown as {
      registration: ServiceWorkerRegistration
      dispatchEvent(event: Event): void
      NotificationEvent: new (type: string, init: { notification: Notification }) => Event
    }
    const [notification] = await self.registration.getNotifications()
    if (notification) self.dispatchEvent(new self.NotificationEvent('notificationclick', { notification }))
  })
  await page.waitForURL(`${base}/tokens`)
  that('the notification closes when it is opened', (await shown()).length === 0)
})

await step('A foreign push shows a harmless text, and opens no other page', async () => {
  const devtools = await context.newCDPSession(page)
  const registered: { registrationId: string }[] = []
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => registered.push(...registrations))
  await devtools.send('ServiceWorker.enable')
  await until(() => registered.length > 0)
  const registrationId = registered[0]?.registrationId ?? ''
  const hostile = [
    '',
    '{',
    'null',
    '[]',
    '{"kind":"__proto__","page":"https://evil.example/"}',
    '{"kind":"constructor","page":"javascript:alert(1)"}',
  ]
  for (const data of hostile)
    await devtools.send('ServiceWorker.deliverPushMessage', { origin: base, registrationId, data })
  const bodies = () =>
    page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ body }) => body))
  await until(async () => (await bodies()).length > 0)
  that(
    'the text is generic',
    (await bodies()).every((body) => body === 'Something happened in your account.'),
    await bodies(),
  )
  await context.serviceWorkers()[0]?.evaluate(async () => {
    // safe because this runs in the worker
    const self = globalThis as unknown as {
      registration: ServiceWorkerRegistration
      dispatchEvent(event: Event): void
      NotificationEvent: new (type: string, init: { notification: Notification }) => Event
    }
    for (const notification of await self.registration.getNotifications())
      self.dispatchEvent(new self.NotificationEvent('notificationclick', { notification }))
  })
  await page.waitForURL(`${base}/notifications`)
})

await step('This browser gets no further pushes', async () => {
  await page.goto(`${base}/notifications?tab=settings`)
  await page.getByRole('button', { name: 'Stop notifying this browser' }).click()
  await page.getByText('No browser is notified yet.').waitFor()
})

await step('The pages', async () => {
  await lookAt('List', '/notifications')
  await lookAt('Settings', '/notifications?tab=settings')
  await lookAt('Unsubscribe', '/unsubscribe#usr_1.money.x')
  await page.getByRole('button', { name: 'Switch them off' }).click()
  await page.getByText('This link is incomplete.').waitFor()
  await lookAt('Settings on a phone', '/notifications?tab=settings')
  await page.setViewportSize({ width: 360, height: 700 })
  that('the list fits the smallest phone', (await obstacles(page)).length === 0, await obstacles(page))
})

that('the browser reported no errors', complaints.length === 0, complaints)
await browser.close()
await pushService.close()
process.exitCode = checks.finish()

import { BerthError } from '../../clients/typescript/client.ts'
import { notificationTexts as words } from '../texts/notifications.ts'

export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

const refusal = (message: string): BerthError => new BerthError('conflict', message)

/** Asks for permission and subscribes; the service worker speaks the page's language. @throws BerthError */
export async function subscribe(publicKey: string): Promise<{ endpoint: string; p256dh: string; auth: string }> {
  if ((await Notification.requestPermission()) !== 'granted') throw refusal(words.push.denied)
  await navigator.serviceWorker.register('/push-worker.js')
  const { pushManager } = await navigator.serviceWorker.ready
  // A subscription made with another key of the service is useless.
  await (await pushManager.getSubscription())?.unsubscribe()
  const made = await pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch(() => Promise.reject(refusal(words.push.unreachable)))
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = made.toJSON()
  return { endpoint, p256dh, auth }
}

export async function endSubscription(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}

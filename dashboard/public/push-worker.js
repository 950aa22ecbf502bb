// Shows each push and opens its page. It stores nothing and answers no request, so pages always come from the service.

const titles = {
  'wallet-low': 'Your wallet is low.',
  'wallet-empty': 'Your wallet is empty.',
  'limit-reached': 'A spending limit is reached.',
  'token-limit-reached': 'A token has reached its limit.',
  'auto-topup-failed': 'An automatic top-up failed.',
  'payment-failed': 'Your subscription could not be paid.',
  'machine-failed': 'Your agent’s machine could not start.',
  'volume-full': 'Your agent’s files exceed your plan.',
  'volume-stopped': 'Your agent is paused because its files exceed your plan.',
  'runaway-stopped': 'Your agent repeated itself and was stopped.',
  'restore-ended': 'Your files have been restored.',
  'restore-failed': 'Your files could not be restored.',
  'question-asked': 'Your agent has a question for you.',
  'reply-ended': 'A long reply is ready.',
  'reply-failed': 'Your agent could not answer.',
  'schedule-failed': 'A schedule did not run.',
  'signed-in': 'New sign-in to your account.',
  'passkey-added': 'A passkey was added to your account.',
  'token-created': 'A token was made for your account.',
  'token-leaked': 'A token was found in public and has been revoked.',
  'chat-linked': 'A chat was linked to your account.',
  'endpoint-disabled': 'A webhook endpoint was disabled.',
  notice: 'A notice from Berth.',
  other: 'Something happened in your account.',
}

const fallback = { id: 'other', kind: 'other', page: '/notifications' }

function read(data) {
  try {
    return { ...fallback, ...data.json() }
  } catch {
    return fallback
  }
}

function show({ id, kind, page }) {
  const body = Object.hasOwn(titles, kind) ? titles[kind] : titles.other
  return self.registration.showNotification('Berth', { body, tag: id, icon: '/icon-192.png', data: { page } })
}

/** A page of this very origin, whatever was pushed. */
function addressOf(page) {
  const url = URL.parse(String(page), self.location.origin)
  return url?.origin === self.location.origin ? url.href : new URL(fallback.page, self.location.origin).href
}

async function open(page) {
  const [shown] = await self.clients.matchAll({ type: 'window' })
  if (!shown) return self.clients.openWindow(addressOf(page))
  // A browser that keeps its windows where they are still shows the page.
  await shown.focus().catch(() => {})
  return shown.navigate(addressOf(page))
}

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => event.waitUntil(show(read(event.data))))
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.page))
})

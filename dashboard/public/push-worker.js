// Shows what is pushed, and opens its page. It keeps nothing and answers no request, so the pages are always the service's own.
const language = new URL(self.location.href).searchParams.get('language')

const titles = {
  en: {
    'wallet-low': 'Your wallet is low.',
    'wallet-empty': 'Your wallet is empty.',
    'limit-reached': 'A spending limit is reached.',
    'token-limit-reached': 'A token has reached its limit.',
    'auto-topup-failed': 'An automatic top-up did not go through.',
    'payment-failed': 'Your subscription could not be paid.',
    'machine-failed': 'Your agent’s machine could not start.',
    'volume-full': 'Your agent’s files have outgrown your plan.',
    'volume-stopped': 'Your agent is paused, because its files do not fit your plan.',
    'runaway-stopped': 'Your agent repeated itself and was stopped.',
    'restore-ended': 'Your files have been restored.',
    'restore-failed': 'Your files could not be restored.',
    'question-asked': 'Your agent asks you something, and waits.',
    'reply-ended': 'A long reply has ended.',
    'reply-failed': 'Your agent could not answer.',
    'schedule-failed': 'A schedule did not run.',
    'signed-in': 'New sign-in to your account.',
    'passkey-added': 'A passkey was added to your account.',
    'token-created': 'A token was made for your account.',
    'token-leaked': 'A token was found in public, and is revoked.',
    'chat-linked': 'A chat was linked to your account.',
    'endpoint-disabled': 'A webhook endpoint was disabled.',
    notice: 'A notice from Berth.',
    other: 'Something happened that you should know of.',
  },
  de: {
    'wallet-low': 'Dein Guthaben ist knapp.',
    'wallet-empty': 'Dein Guthaben ist leer.',
    'limit-reached': 'Ein Limit für Ausgaben ist erreicht.',
    'token-limit-reached': 'Ein Token hat sein Limit erreicht.',
    'auto-topup-failed': 'Ein automatisches Aufladen ging nicht durch.',
    'payment-failed': 'Dein Abo konnte nicht bezahlt werden.',
    'machine-failed': 'Die Maschine deines Agenten konnte nicht starten.',
    'volume-full': 'Die Dateien deines Agenten passen nicht mehr in deinen Tarif.',
    'volume-stopped': 'Dein Agent ist angehalten, weil seine Dateien nicht in deinen Tarif passen.',
    'runaway-stopped': 'Dein Agent hat sich wiederholt und wurde gestoppt.',
    'restore-ended': 'Deine Dateien sind wiederhergestellt.',
    'restore-failed': 'Deine Dateien konnten nicht wiederhergestellt werden.',
    'question-asked': 'Dein Agent fragt dich etwas und wartet.',
    'reply-ended': 'Eine lange Antwort ist fertig.',
    'reply-failed': 'Dein Agent konnte nicht antworten.',
    'schedule-failed': 'Ein Zeitplan lief nicht.',
    'signed-in': 'Neue Anmeldung bei deinem Konto.',
    'passkey-added': 'Bei deinem Konto kam ein Passkey dazu.',
    'token-created': 'Für dein Konto wurde ein Token angelegt.',
    'token-leaked': 'Ein Token wurde öffentlich gefunden und ist widerrufen.',
    'chat-linked': 'Mit deinem Konto wurde ein Chat verknüpft.',
    'endpoint-disabled': 'Ein Webhook-Ziel wurde abgeschaltet.',
    notice: 'Ein Hinweis von Berth.',
    other: 'Es ist etwas geschehen, was du wissen solltest.',
  },
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
  const words = Object.hasOwn(titles, language ?? '') ? titles[language] : titles.en
  const body = Object.hasOwn(words, kind) ? words[kind] : words.other
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

import { formatMicros } from '../../../domain/dollars.ts'
import { showBalance } from '../../format.ts'
import type { notifications as en } from '../en/notifications.ts'

const limitsFor: Record<string, string> = {
  chat: ' für Nachrichten',
  schedule: ' für Zeitpläne',
  heartbeat: ' für Herzschläge',
  tool: ' für Werkzeuge',
  api: ' für deine eigenen Programme',
}

const periods: Record<string, { of: string; until: string }> = {
  total: { of: 'insgesamt', until: 'bis du es anhebst' },
  day: { of: 'am Tag', until: 'bis 00:00 UTC, oder bis du es anhebst' },
  month: { of: 'im Monat', until: 'bis der Monat (UTC) endet, oder bis du es anhebst' },
}

export const notifications: typeof en = {
  title: 'Mitteilungen',
  tabs: { list: 'Was geschehen ist', settings: 'Wovon du hörst' },
  tabsLabel: 'Teile dieser Seite',
  list: 'Mitteilungen',
  none: 'Noch ist nichts geschehen, was du wissen müsstest.',
  noneHint: 'Wenn eine Frage wartet, das Guthaben knapp wird oder eine Maschine ausfällt, steht es hier.',
  unread: 'Noch nicht gelesen.',
  allRead: 'Alle als gelesen ansehen',
  kept: '90 Tage lang aufgehoben.',
  notices: 'Hinweise von Berth',
  kinds: {
    'wallet-low': ({ micros }) =>
      micros === undefined
        ? 'Dein Guthaben ist knapp.'
        : `Dein Guthaben ist knapp: ${showBalance(micros)} sind noch da.`,
    'wallet-empty': () => 'Dein Guthaben ist leer. Dein Agent antwortet erst wieder, wenn du es auflädst.',
    'limit-reached': ({ because = '', micros = 0 }) =>
      `Das heutige Limit${limitsFor[because] ?? ''} von ${formatMicros(micros)} ließ zu wenig für einen Aufruf übrig. Solche Aufrufe werden bis 00:00 UTC abgelehnt, oder bis du es anhebst.`,
    'token-limit-reached': ({ name = '', because = '', micros = 0 }) =>
      `Das Token „${name}“ ist an seinem Limit von ${formatMicros(micros)} ${periods[because]?.of ?? ''}. Seine Aufrufe werden abgelehnt, ${periods[because]?.until ?? ''}.`,
    'auto-topup-failed': ({ micros = 0 }) => `Ein automatisches Aufladen von ${showBalance(micros)} ging nicht durch.`,
    'payment-failed': ({ micros = 0 }) => `Dein Abo konnte nicht bezahlt werden (${showBalance(micros)}).`,
    'machine-failed': () => 'Die Maschine deines Agenten konnte nicht starten.',
    'volume-full': () =>
      'Die Dateien deines Agenten passen nicht mehr in deinen Tarif. In drei Tagen wird er angehalten, wenn das so bleibt.',
    'volume-stopped': () => 'Dein Agent ist angehalten, weil seine Dateien nicht in deinen Tarif passen.',
    'runaway-stopped': () => 'Dein Agent hat immer wieder denselben Aufruf gemacht und wurde gestoppt.',
    'restore-ended': () => 'Deine Dateien sind wiederhergestellt.',
    'restore-failed': () => 'Deine Dateien konnten nicht wiederhergestellt werden.',
    'question-asked': () => 'Dein Agent fragt dich etwas und wartet auf die Antwort.',
    'reply-ended': () => 'Eine lange Antwort ist fertig.',
    'reply-failed': () => 'Dein Agent konnte nicht antworten.',
    'schedule-failed': ({ because }) =>
      because === 'wallet-empty'
        ? 'Ein Zeitplan lief nicht, weil das Guthaben leer war.'
        : 'Ein Zeitplan lief nicht, weil es keine Maschine gab, die man fragen konnte.',
    'signed-in': ({ name = '' }) => `Neue Anmeldung: ${name}.`,
    'passkey-added': ({ name = '' }) => `Der Passkey „${name}“ kam dazu.`,
    'token-created': ({ name = '' }) => `Das Token „${name}“ wurde angelegt.`,
    'token-leaked': ({ name = '' }) => `Das Token „${name}“ wurde öffentlich gefunden und ist widerrufen.`,
    'chat-linked': ({ name = '' }) => `Mit deinem Konto wurde ein Chat verknüpft: ${name}.`,
    'endpoint-disabled': ({ name = '' }) => `Das Webhook-Ziel „${name}“ wurde abgeschaltet.`,
    notice: () => 'Ein Hinweis von Berth:',
  },
  groups: {
    money: ['Geld', 'Knappes oder leeres Guthaben, erreichte Limits, gescheiterte Zahlungen'],
    machine: ['Maschine', 'Startete nicht, wurde gestoppt, Dateien wiederhergestellt'],
    chat: ['Chats', 'Fragen, die warten, lange Antworten, die fertig sind'],
    schedules: ['Zeitpläne', 'Zeiten, zu denen nichts gefragt wurde'],
    product: ['Der Dienst', 'Hinweise an dich'],
    security: ['Sicherheit', 'Neue Anmeldungen, Passkeys, Tokens und Chats: immer'],
  },
  ways: { mail: 'Per Mail', push: 'Per Push' },
  about: 'Worüber',
  always: 'immer',
  saved: 'Gespeichert.',
  wayOf: (group, way) => `${group}: ${way}`,
  push: {
    title: 'Push an Browser',
    hint: 'Ein Browser zeigt, was geschieht, während keine Seite von Berth offen ist. Gesendet wird nur, welcher Art es ist, und sonst nichts.',
    turnOn: 'In diesem Browser mitteilen',
    turnOff: 'Diesem Browser nichts mehr mitteilen',
    here: 'dieser Browser',
    since: (added) => `Seit ${added}`,
    failing: (since) => `Nicht erreicht seit ${since}`,
    remove: 'Entfernen',
    cannot: 'Dieser Browser zeigt keine Mitteilungen, oder erst, wenn Berth als App installiert ist.',
    denied:
      'Dieser Browser lässt Mitteilungen von hier nicht zu. Erlaube sie in seinen Einstellungen für diese Seite und versuche es noch einmal.',
    unreachable: 'Dieser Browser konnte seinen Push-Dienst nicht erreichen. Versuche es später noch einmal.',
    none: 'Noch wird keinem Browser etwas mitgeteilt.',
  },
  unsubscribe: {
    title: 'Mails von Berth',
    ask: (group) => `Keine Mails mehr hierüber: ${group}?`,
    off: 'Abschalten',
    done: (group) => `Du bekommst keine Mails mehr hierüber: ${group}.`,
    settings: 'Auf der Seite der Mitteilungen schaltest du sie wieder ein, und andere auch.',
    wrong: 'Dieser Link ist nicht vollständig. Öffne ihn so, wie er in der Mail steht.',
  },
}

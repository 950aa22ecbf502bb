import type { connect as English } from '../en/connect.ts'
import { marked } from '../marked.ts'

export const connect: typeof English = {
  title: 'Verbinden',
  parts: 'Was du verbindest',
  tabs: { clients: 'MCP-Clients', channels: 'Chats', webhooks: 'Webhooks' },
  clients: {
    lead: 'Dein Konto als Werkzeuge, in dem Programm, in dem du arbeitest: Kümmere dich von dort aus um deinen Agenten, sein Geld und seine Fähigkeiten.',
    check: 'Ein Programm kann sich nicht verbinden? Verbindung prüfen',
    all: 'Alle Token und Apps',
    other: 'Jeder andere Client',
    otherHint: 'Gib ihm diese Adresse. Er öffnet den Browser, und dort sagst du, was er darf.',
    hints: {
      'claude-code': 'Füge das in ein Terminal ein. Der Browser öffnet sich, und dort sagst du, was es darf.',
      claude: 'Im Web, auf dem Rechner und auf dem Telefon: Einmal hinzugefügt, ist es überall da.',
      chatgpt:
        'Auf jener Seite: Plus, „Benutzerdefinierten MCP-Server hinzufügen“, diese Adresse, und als Anmeldung OAuth.',
      cursor: 'Cursor öffnet sich und fragt; dann öffnet es den Browser, und dort sagst du, was es darf.',
      vscode: 'VS Code öffnet sich und fragt; dann öffnet es den Browser, und dort sagst du, was es darf.',
      codex: 'Füge das in ein Terminal ein. Der Browser öffnet sich, und dort sagst du, was es darf.',
    },
    add: (client) => `Zu ${client} hinzufügen`,
    open: (client) => `${client} öffnen`,
    line: 'Zeile für das Terminal',
    address: 'Adresse',
    settings: 'Einstellungsdatei',
    notReached: (client) =>
      `${client} ruft von den Rechnern seines Herstellers aus an, und keiner davon erreicht diese Adresse: Sie muss öffentlich sein und https sprechen.`,
  },
  token: {
    instead: 'Stattdessen mit einem Token',
    insteadHint: 'Für einen Rechner ohne Browser. Das Token wird einmal gezeigt, schon an seinem Platz.',
    mayDo: 'Was es darf',
    read: (count) => `Nur lesen (${count} Werkzeuge)`,
    all: (count) => `Alles (${count} Werkzeuge)`,
    make: 'Token erstellen',
    once: 'Benutze es jetzt: Das Token darin wird nur dieses eine Mal gezeigt. Es gilt 90 Tage.',
    done: 'Fertig',
  },
  state: {
    none: 'Nicht verbunden',
    waiting: 'Wartet auf den ersten Aufruf',
    connected: 'Verbunden',
    arrived: (client) => `${client} ist verbunden.`,
    tools: (count) => (count === 1 ? '1 Werkzeug' : `${count} Werkzeuge`),
    lastCall: (ago, by) => marked`letzter Aufruf ${ago} von ${by}`,
    lastCallOf: (ago) => marked`letzter Aufruf ${ago}`,
    noCall: 'noch kein Aufruf',
    revoke: 'Widerrufen',
  },
}

import type { Texts } from '../en/index.ts'

export const palette: Texts['palette'] = {
  title: 'Zu einer Seite gehen oder etwas tun',
  placeholder: 'Seite oder Befehl',
  none: 'Dazu passt nichts.',
  found: (count) => (count === 1 ? '1 Treffer' : `${count} Treffer`),
  goTo: (page) => `Gehe zu ${page}`,
  newConversation: 'Unterhaltung beginnen',
  pause: 'Instanz anhalten',
  resume: 'Instanz wecken',
  topUp: 'Guthaben aufladen',
  theme: (name) => `Darstellung: ${name}`,
  signOut: 'Abmelden',
  failed: 'Das ging nicht:',
}

import type { signIn as English } from '../en/sign-in.ts'
import { marked } from '../marked.ts'

export const signIn: typeof English = {
  title: 'Anmelden',
  lead: 'Wir mailen dir einen sechsstelligen Code. Neu hier? Derselbe Code legt dein Konto an.',
  email: 'E-Mail-Adresse',
  badEmail: 'Gib eine E-Mail-Adresse ein, etwa ada@example.com.',
  send: 'Code schicken',
  passkey: 'Mit einem Passkey anmelden',
  foot: 'Dein eigener Agent, mit eigener Maschine und einem Guthaben, über das du bestimmst.',
  terms: {
    accepts: (version) => `Mit der Anmeldung nimmst du die Bedingungen vom ${version} an.`,
    points: [
      'Was dein Agent in deinem Auftrag tut, verantwortest du, als hättest du es selbst getan.',
      'Er schadet niemandem: kein Spam, kein Phishing, keine Angriffe auf andere, kein Handel mit Gestohlenem oder Verbotenem.',
      'Modellaufrufe werden nach Verbrauch aus deinem Guthaben bezahlt.',
      'Ein Konto, das Schaden anrichtet, kann sofort angehalten werden. Was es hat, bleibt, bis das geklärt ist.',
      'Du kannst deine Daten jederzeit mitnehmen und dein Konto löschen.',
    ],
  },
  report: 'Missbrauch oder eine Sicherheitslücke melden',
  code: {
    title: 'Sieh in deine Mail',
    sent: (email) =>
      marked`Wir haben einen Code und einen Link an ${email} geschickt. Der Code gilt zehn Minuten in diesem Browser, der Link eine Stunde in jedem. Keine neue Mail? Der Link aus der vorigen funktioniert.`,
    bounced: (email) =>
      marked`Mails an ${email} kamen zurück. Wir haben es noch einmal versucht, aber prüfe die Schreibweise. Stimmt sie, nimmt dieses Postfach nichts von uns an: Nimm eine andere Adresse oder einen Passkey.`,
    label: 'Sechsstelliger Code',
    incomplete: 'Gib alle sechs Ziffern des Codes ein.',
    wrong: 'Der Code stimmt nicht oder ist abgelaufen. Prüfe ihn oder lass dir einen neuen schicken.',
    again: 'Neuen Code schicken',
    againIn: (seconds) => `Neuer Code in ${seconds} s`,
    otherAddress: 'Andere Adresse nehmen',
  },
  link: {
    opened: (email) => marked`Du hast den Link geöffnet, der an ${email} ging.`,
    useCode: 'Stattdessen einen Code nehmen',
  },
}

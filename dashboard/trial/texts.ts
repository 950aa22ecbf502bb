import type { ReactNode } from 'react'
import { inLanguage } from '../texts/index.ts'
import { marked } from '../texts/marked.ts'

const en = {
  title: 'Try it now',
  offer: (credit: string, hours: string) =>
    `${credit} of model calls and a machine for ${hours} hours. No card, no payment.`,
  prompt: 'What should your agent do first?',
  example: 'Plan three days in Lisbon for two, and keep the plan in a file.',
  noPrompt: 'Write what your agent should do first.',
  email: 'Your e-mail address',
  start: 'Try it',
  afterwards: (days: string) =>
    `We mail you a code that makes your account. When time or credit is used up, the machine stops; its files are kept for ${days} days and then deleted. A plan keeps everything.`,
  haveAccount: 'I have an account',
  back: 'Back to the trial',
  usedUp: 'There are no more trials today. New ones may come at 00:00 UTC; a plan is to be had at any time.',
  starting: 'Your trial begins…',
  notNow: 'You can send your words when you have a plan: they are in the field below.',
  seePlans: 'See the plans',
  tryFirst: 'Try it first',
  going: (left: string, until: string, link: ReactNode) => marked`Trial: ${left} left, until ${until}. ${link}`,
  keepAll: 'A plan keeps everything',
  spent: (link: ReactNode) => marked`The credit of your trial is used up. ${link}`,
  over: (kept: string, link: ReactNode) =>
    marked`Your trial is over. What it made is kept until ${kept}, then deleted. ${link}`,
}

const de: typeof en = {
  title: 'Jetzt ausprobieren',
  offer: (credit, hours) =>
    `${credit} für Modellaufrufe und eine Maschine für ${hours} Stunden. Ohne Karte, ohne Zahlung.`,
  prompt: 'Was soll dein Agent als Erstes tun?',
  example: 'Plane drei Tage in Lissabon für zwei und lege den Plan in einer Datei ab.',
  noPrompt: 'Schreib, was dein Agent als Erstes tun soll.',
  email: 'Deine E-Mail-Adresse',
  start: 'Ausprobieren',
  afterwards: (days) =>
    `Wir schicken dir einen Code, der dein Konto anlegt. Sind Zeit oder Guthaben aufgebraucht, hält die Maschine an; ihre Dateien bleiben ${days} Tage und werden dann gelöscht. Mit einem Tarif bleibt alles.`,
  haveAccount: 'Ich habe ein Konto',
  back: 'Zurück zum Ausprobieren',
  usedUp: 'Für heute gibt es keine Proben mehr. Neue kann es um 00:00 UTC geben, einen Tarif jederzeit.',
  starting: 'Deine Probe beginnt…',
  notNow: 'Mit einem Tarif kannst du deinen Text abschicken: Er steht im Feld unten.',
  seePlans: 'Tarife ansehen',
  tryFirst: 'Erst ausprobieren',
  going: (left, until, link) => marked`Probe: noch ${left}, bis ${until}. ${link}`,
  keepAll: 'Mit einem Tarif bleibt alles',
  spent: (link) => marked`Das Guthaben deiner Probe ist aufgebraucht. ${link}`,
  over: (kept, link) =>
    marked`Deine Probe ist vorbei. Was sie gemacht hat, bleibt bis ${kept} und wird dann gelöscht. ${link}`,
}

export const trialWords = inLanguage({ en, de })

import type { authorize as English } from '../en/authorize.ts'
import { marked } from '../marked.ts'

export const authorize: typeof English = {
  title: 'App verbinden',
  refused: 'Diese App lässt sich nicht verbinden',
  asks: (name) => `„${name}“ verbinden?`,
  known: (host, account) => marked`Die App von ${host} möchte für ${account} handeln.`,
  unknown: (name, account) =>
    marked`Eine App, die sich „${name}“ nennt, möchte für ${account} handeln. Niemand hat diesen Namen geprüft.`,
  answerTo: (host) => marked`Deine Antwort geht an ${host}. Hast du das nicht angestoßen, verbinde sie nicht.`,
  may: 'Sie darf',
  noScope: 'Lass mindestens eines stehen oder wähle „Nicht verbinden“.',
  lifetime: 'Sie muss neu fragen',
  cap: 'Wie viel sie höchstens ausgeben darf, in Dollar',
  capHint: 'Insgesamt, bis sie neu fragt. Bei 0 gibt sie nichts aus.',
  spendsNothing:
    'Nichts davon lässt sie Modelle aufrufen, also kann sie von sich aus nichts von deinem Guthaben ausgeben.',
  decline: 'Nicht verbinden',
  connect: 'Verbinden',
  ends: 'Du kannst das jederzeit auf der Seite „Tokens“ beenden.',
}

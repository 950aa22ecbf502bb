import type { doctor as English } from '../en/doctor.ts'
import { marked } from '../marked.ts'

export const doctor: typeof English = {
  title: 'Verbindung prüfen',
  lead: 'Wenn ein Programm sich nicht mit deinem Konto verbinden kann, findet diese Seite heraus, wo es hängt: Sie geht denselben Weg, Schritt für Schritt. Sie verbindet sich kurz, sieht dein Guthaben und beendet die Verbindung wieder.',
  works: 'funktioniert',
  fails: 'schlägt fehl',
  walking: 'Unterwegs …',
  consentNext:
    'Bis hierher ist alles gut. Als Nächstes meldest du dich an, falls du es nicht bist, und lässt diese Seite dein Guthaben sehen.',
  allWorks: (address) =>
    marked`Jeder Schritt funktioniert. Kann ein Programm sich trotzdem nicht verbinden, geht es vielleicht nicht diesen Weg: Gib ihm ein Token und die Adresse ${address}.`,
  stopsAt: (hop) => `Es hängt bei „${hop}“. Schick die Zeilen unten an die Leute, die diesen Dienst betreiben.`,
  report: 'Bericht',
  reported: { ok: 'ok', failed: 'FEHLER' },
  toConsent: 'Zur Zustimmungsseite',
  start: 'Starten',
  startAgain: 'Neu starten',
  tokens: 'Tokens und verbundene Apps',

  hops: {
    endpoint: { name: 'Der Endpunkt fragt, wer du bist', what: 'POST /api/mcp ohne Token' },
    discovery: { name: 'Entdeckung', what: 'Die Metadaten der geschützten Ressource' },
    metadata: { name: 'Metadaten', what: 'Die Metadaten des Autorisierungsservers' },
    registration: { name: 'Registrierung', what: 'Ein eigener Client für diesen Weg' },
    consent: { name: 'Zustimmung', what: 'Was die Zustimmungsseite zurückgab' },
    token: { name: 'Token', what: 'Aus dem Code wird ein Token' },
    call: { name: 'Werkzeugaufruf', what: 'wallet.balance über MCP' },
    end: { name: 'Das Ende', what: 'Die Verbindung dieses Weges wird beendet' },
  },
  found: {
    code: 'Ein Code, mit unserem State und dem Namen dessen, der antwortet',
    token: (seconds, scope) => `Gilt ${seconds} Sekunden, Scope ${scope}`,
    answered: (version) => `Beantwortet mit der Protokollversion ${version}`,
    nothingLeft: 'Nichts davon bleibt',
  },
  wrong: {
    status: (came, wanted, answer) => `${came} statt ${wanted}: ${answer}`,
    emptyAnswer: 'eine leere Antwort',
    notJson: (type, answer) => `${type} statt JSON: ${answer}`,
    noType: 'kein Content-Type',
    noField: (name) => `Der Antwort fehlt ${name}.`,
    asksNobody: (status) => `Er antwortete mit ${status} statt 401.`,
    noMetadata: (challenge) => `WWW-Authenticate nennt kein resource_metadata: ${challenge}`,
    noChallenge: 'es fehlt',
    otherHost: (url) => `Er nennt ${url}, einen anderen Host als diesen.`,
    otherResource: (resource, own) => `Es geht darin um ${resource}, nicht um ${own}.`,
    noServer: 'Es wird kein Autorisierungsserver genannt.',
    otherIssuer: (issuer, expected) => `Der Issuer ist ${issuer}, nicht ${expected}.`,
    noPkce: 'PKCE mit S256 wird nicht angeboten.',
    declined: 'Du hast die Verbindung abgelehnt.',
    refused: (error) => `Die Antwort war ${error}.`,
    otherState: 'Der State ist nicht der gesendete.',
    otherSender: (sender, issuer) => `Die Antwort kam von ${sender}, nicht von ${issuer}.`,
    callRefused: (answer) => `Der Aufruf wurde abgelehnt: ${answer}`,
    stillGood: (status) => `Das Token gilt noch: ${status} statt 401.`,
  },
}

import type { welcome as English } from '../en/welcome.ts'

export const welcome: typeof English = {
  documentTitle: 'Berth: ein eigener Agent',
  claim: 'Ein eigener Agent, den du laufen lassen kannst',
  lead: 'Er hat eine Maschine, die bleibt, ein Guthaben, das er nicht überziehen kann, und ein Gespräch mit dir: hier, in Telegram, Slack und Discord und aus deinen eigenen Programmen.',
  promises: [
    {
      title: 'Eine eigene Maschine',
      text: 'Ihre Dateien bleiben. Sie schläft, wenn nichts geschieht, und wacht auf, wenn eine Nachricht oder ein Zeitplan kommt.',
    },
    {
      title: 'Ein Guthaben mit Boden',
      text: 'Du zahlst im Voraus. Jeder Modellaufruf hat einen Beleg, und keiner geschieht, den das Guthaben nicht deckt.',
    },
    {
      title: 'Du entscheidest',
      text: 'Er fragt, bevor er tut, wonach du gefragt werden willst. Halte ihn an, nimm zurück, was eine Antwort änderte, nimm deine Daten mit.',
    },
  ],
  sample: {
    caption: 'Ein Morgen als Beispiel',
    lines: [
      { who: 'you', text: 'Jeden Werktag um acht: lies meine Mails und sag mir, was wichtig ist.' },
      { who: 'agent', text: 'Erledigt. Ich wache um 08:00 auf und schreibe dir einen Bericht.' },
      { who: 'step', text: '14 Mails gelesen' },
      { who: 'step', text: 'berichte/montag.md geschrieben' },
      {
        who: 'agent',
        text: 'Zwei Dinge sind heute wichtig: Der Hafen schließt um zwölf, und Ada wartet auf deine Antwort.',
      },
      { who: 'ask', text: 'Darf ich Ada die Antwort schicken, die ich entworfen habe?' },
      { who: 'you', text: 'Ja' },
    ],
  },
  costs: 'Was es kostet',
  costsLead:
    'Ein Tarif ist die Maschine mit Guthaben für Modellaufrufe. Was darüber hinausgeht, kommt aus dem, was du eingezahlt hast, nie überraschend von deiner Karte.',
}

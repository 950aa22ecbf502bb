import type { billing as English } from '../en/billing.ts'

export const billing: typeof English = {
  title: 'Abrechnung',
  portal: {
    pay: 'Bezahlen oder die Karte ändern',
    keep: 'Das Abo behalten oder die Karte ändern',
    change: 'Die Karte ändern oder kündigen',
  },

  subscription: {
    title: 'Abo',
    active: 'Aktiv',
    due: 'Zahlung offen',
    plan: 'Tarif',
    renews: (day) => `Verlängert sich am ${day}.`,
    renewsAs: (day, plan) => `Verlängert sich am ${day} als ${plan}.`,
    ends: (day) => `Endet am ${day}. Deine Dateien werden danach noch 30 Tage aufgehoben.`,
    failed: 'Die letzte Zahlung ging nicht durch. Sie wird wieder versucht; prüfe deine Karte.',
  },

  plans: {
    ended: 'Dein Abo ist zu Ende',
    endedHint:
      'Deine Dateien werden 30 Tage aufgehoben. Schließ wieder ein Abo ab, und dein Agent macht weiter, wo er war.',
    choose: 'Wähle einen Tarif',
    chooseHint:
      'Ein Tarif ist eine Maschine für deinen Agenten, mit Speicher, der bleibt, und jeden Monat Guthaben für Modellaufrufe.',
    included: (amount) => `Modellaufrufe für ${amount} jeden Monat enthalten`,
    machine: (cores, memory) => `${cores} vCPU, ${memory} Arbeitsspeicher`,
    storage: (gibibytes) => `${gibibytes} GiB für Dateien, die bleiben`,
    sleeps: 'Schläft bei Ruhe, wacht bei einer Nachricht auf',
    schedules: (most, leastMinutes) => `${most} Zeitpläne, jeder bis zu alle ${leastMinutes} Minuten`,
    perMonth: 'im Monat',
    subscribe: (plan) => `${plan} abonnieren`,
  },

  change: {
    title: 'Tarif',
    contents: (price, memoryGiB, storageGiB) =>
      `${price} im Monat, ${memoryGiB} GiB Arbeitsspeicher, ${storageGiB} GiB für Dateien`,
    own: 'Dein Tarif',
    begins: (day) => `Beginnt am ${day}`,
    beginsNext: 'Beginnt mit deinem nächsten Zeitraum',
    keep: (plan) => `${plan} behalten`,
    change: (plan) => `Zu ${plan} wechseln`,
    confirm: 'Bestätigen',
    notNow: 'Jetzt nicht',
    done: (plan) => `Du hast jetzt ${plan}.`,
    comes: (plan) => `${plan} beginnt mit deinem nächsten Zeitraum.`,
    payFirst: 'Eine Zahlung ist offen. Bezahle sie zuerst und wechsle dann den Tarif.',
    keepFirst: 'Das Abo ist gekündigt. Behalte es zuerst und wechsle dann den Tarif.',
    periodEnd: 'zum Ende des Zeitraums',
    stay: (plan) => `Du bleibst bei ${plan}, und der Wechsel wird zurückgenommen.`,
    down: (own, until, plan, price) => `Du behältst ${own} bis ${until}; dann beginnt ${plan} für ${price} im Monat.`,
    up: (plan, until, price) =>
      `${plan} beginnt jetzt. Deine Karte wird mit der Differenz für die Tage bis ${until} belastet, danach mit ${price} im Monat. Die Maschine bekommt ihre neue Größe mit dem nächsten Start.`,
  },

  invoices: {
    title: 'Rechnungen',
    empty: 'Noch keine.',
    emptyHint: 'Die Rechnung jedes Monats steht hier. Aufladungen stehen beim Guthaben, ihre Belege kommen per Mail.',
    statuses: {
      draft: 'In Arbeit',
      open: 'Offen',
      paid: 'Bezahlt',
      void: 'Storniert',
      uncollectible: 'Nicht bezahlt',
    },
    view: 'Ansehen',
    viewOf: (number, day) => `Rechnung ${number} vom ${day}`,
  },
}

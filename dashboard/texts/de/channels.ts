import type { channels as English } from '../en/channels.ts'
import { marked } from '../marked.ts'

export const channels: typeof English = {
  lead: 'Sprich mit deinem Agenten, wo du ohnehin chattest. Es ist derselbe Agent: Was du ihm dort schreibst, steht auch hier in seiner Unterhaltung.',
  nowhere: 'Noch gibt es keine Chat-Plattform zum Verknüpfen.',
  nowhereHint:
    'Wer diesen Dienst betreibt, hat weder Telegram noch Slack noch Discord eingerichtet. Sobald es eines davon gibt, verknüpfst du es hier.',

  link: {
    title: 'Chat verknüpfen',
    linked: (platform, person) => `${platform} ist verknüpft, als ${person}. Schreib deinem Agenten dort.`,
    full: (most) => `Du hast ${most} Chats verknüpft, mehr geht nicht. Trenne erst einen.`,
    choose: 'Wähle, wo',
    platform: 'Plattform',
    notInWorkspace: (name, add) =>
      marked`Ist ${name} noch nicht in deinem Workspace? ${add('Füge es dort hinzu')}, bevor du weitermachst.`,
    get: 'Code holen',
    code: 'Code',
    newCode: 'Neuer Code',
    expired: 'Der Code ist abgelaufen. Hol dir einen neuen.',
    goodFor: (left) => marked`Gilt einmal, noch ${left}`,
    send: 'Schick ihn hin',
    keep: 'Wer ihn schickt, verknüpft seinen Chat mit deinem Konto. Gib ihn also niemandem.',
    ways: {
      telegram: (name, strong) =>
        marked`Öffne den Chat mit ${name} und drücke auf ${strong('Start')}: Der Code steckt im Link. Oder schick ihn dort als Nachricht.`,
      slack: (name, link) =>
        marked`Öffne ${name} und schick den Code dort als Direktnachricht. Dein Workspace hat die App noch nicht? ${link('Füge sie zu Slack hinzu')}, bevor du ihn schickst.`,
      discord: (name, command) => marked`Füge ${name} hinzu, öffne die Direktnachrichten und schick ${command}.`,
    },
    open: (platform) => `${platform} öffnen`,
    waiting: 'Warte auf den Code. Diese Seite merkt es von selbst.',
    qrCode: (platform) => `QR-Code, der ${platform} mit dem Code öffnet`,
    scan: 'Oder scanne ihn mit dem Handy',
    groups: (command, slackCommand) =>
      marked`Eine Gruppe wird von innen verknüpft: Verknüpfe erst einen Direktchat, dann schick ${command} in die Gruppe, in Slack ${slackCommand}. Sie muss dir gehören oder du musst sie verwalten. Sie bekommt eine eigene Unterhaltung, in der dein Agent nur dir antwortet.`,
  },

  linked: {
    title: 'Verknüpfte Chats',
    none: 'Noch ist kein Chat verknüpft.',
    noneHint: 'Drei Schritte oben, und dein Agent antwortet dort.',
    lead: 'Dein Agent antwortet, wo du fragst. Wonach niemand gefragt hat, geht in seinen Hauptchat: was seine Zeitpläne bringen, was er von sich aus sagt, was er dich fragen muss.',
    lost: 'Verloren',
    lostHint:
      'Dein Agent kann dort nicht mehr schreiben: Der Chat ist weg, oder wir wurden daraus entfernt. Lass ihn wieder hinein und schreib dort, dann ist der Chat wieder verknüpft. Oder trenne ihn.',
    direct: 'Direktchat',
    group: (platform, person) => `Gruppe auf ${platform}, als ${person}`,
    since: 'verknüpft seit',
    conversation: 'seine Unterhaltung',
    home: 'Hauptchat',
    homeOf: (chat) => `Hauptchat: ${chat}`,
    unlink: 'Trennen',
  },

  unlink: {
    title: (chat) => `„${chat}“ trennen?`,
    words: (direct) =>
      `Was dort geschrieben wird, erreicht deinen Agenten nicht mehr, und nichts geht mehr dorthin. Was gesagt wurde, bleibt an beiden Orten. Das lässt sich nicht rückgängig machen: Erst ${direct ? 'ein neuer Code' : 'ein neues /link in der Gruppe'} verknüpft den Chat wieder.`,
    keep: 'Behalten',
    unlink: 'Trennen',
  },

  deliveries: {
    title: 'Zustellungen der letzten Woche',
    label: 'Zustellungen',
    show: 'Zeigen',
    everything: 'Alles',
    failed: 'Was fehlschlug',
    notLinked: (platform) => `${platform}, nicht mehr verknüpft`,
    furtherBack: 'Weiter zurück suchen',
    noneOf: (looked) => `Von den neuesten ${looked} schlug keine fehl.`,
    noneFailed: 'Nichts schlug fehl.',
    none: 'Noch nichts.',
    noneHint: 'Hier steht jede Nachricht aus einem verknüpften Chat und jede Antwort darauf, und ob sie ankam.',
    noText: 'Kein Text',
    from: (chat) => `Von ${chat}`,
    to: (chat) => `An ${chat}`,
    nextTry: 'nächster Versuch',
    states: {
      received: 'Wird angenommen',
      open: 'Wird geschrieben',
      sending: 'Wird gesendet',
      done: 'Angenommen',
      ignored: 'Übergangen',
      sent: 'Gesendet',
      failed: 'Fehlgeschlagen',
    },
    triedAgain: 'Wird noch einmal versucht',
  },

  slack: {
    title: 'Slack',
    refused: 'Nichts wurde hinzugefügt: Du hast es bei Slack nicht erlaubt.',
    adding: 'Wird zu deinem Workspace hinzugefügt …',
    added: (workspace, link) =>
      marked`${workspace} hat die App jetzt. Alle dort können ${link('einen Direktchat mit ihr')} mit dem eigenen Konto verknüpfen.`,
    lead: 'Die App wird einmal zu einem Workspace hinzugefügt, von jemandem, der dort Apps hinzufügen darf. Sie liest, was in Direktchats mit ihr und in Kanälen gesagt wird, in die sie eingeladen ist.',
    add: 'Zu einem Workspace hinzufügen',
    addAnother: 'Zu einem weiteren Workspace hinzufügen',
  },
}

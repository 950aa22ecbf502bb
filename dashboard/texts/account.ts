import type { AuditEntry } from '../../domain/account/audit.ts'

export const accountTexts = {
  title: 'Account',

  email: {
    title: 'E-mail address',
    moved: 'Your account has moved to this address.',
    new: 'New address',
    mail: 'Send the codes',
    code: (address: string) => `Code sent to ${address}`,
    both: 'We sent a code to both addresses. Enter both to move the account.',
    move: 'Move the account',
    keep: 'Keep the present address',
  },

  data: {
    title: 'Your data',
    hint: 'The export is one JSON file: account, ledger, conversations, instance, personas, tokens, devices and activity. You may have to sign in again to export or delete it.',
    download: 'Download my data',
    remove: 'Delete account',
    really: 'Delete your account?',
    reallyHint:
      'Every device is signed out, all tokens are revoked and your agent stops at once. In 30 days everything is erased for good, the agent’s files and what is left in the wallet too. Signing in before then keeps the account.',
    keep: 'Keep it',
    confirm: 'Delete my account',
  },

  devices: {
    title: 'Signed-in devices',
    here: (signedIn: string) => `Signed in ${signedIn} · this device, now`,
    elsewhere: (signedIn: string, seen: string) => `Signed in ${signedIn} · last seen ${seen}`,
    signOut: 'Sign out',
  },

  passkeys: {
    title: 'Passkeys',
    hint: 'A passkey signs you in with your fingerprint, face or device PIN, without an e-mail. You may have to sign in again to add or remove one.',
    used: (added: string, used: string) => `Added ${added} · last used ${used}`,
    neverUsed: (added: string) => `Added ${added} · never used`,
    remove: 'Remove',
    name: 'Name of this device',
    namePlaceholder: 'Work laptop',
    noName: 'My device',
    add: 'Add a passkey',
    /** Around a link to the same page by name. */
    byName: 'Browsers make passkeys for names only: open this page at',
    byNameEnd: ' to add one.',
  },

  activity: {
    title: 'Activity',
    by: (who: string) => `by ${who}`,
    actors: {
      session: 'you, in a browser',
      pat: 'a token',
      machine: 'your agent',
      anonymous: 'somebody not signed in',
      service: 'Berth',
      channel: 'a linked chat',
      operator: 'Support',
    } satisfies Record<AuditEntry['actor']['kind'], string>,
  },

  /** Past tenses of verbs in operations' ids, where they are irregular or another verb is clearer. */
  verbs: {
    broadcast: 'Broadcast',
    find: 'Found',
    get: 'Viewed',
    refresh: 'Restarted',
    reroll: 'Replaced the secret of',
    set: 'Changed',
    undo: 'Undid',
    withdraw: 'Withdrew',
    write: 'Wrote',
  },

  /** Operations whose ids say too little. */
  operations: {
    addPushDevice: 'Turned on push in a browser',
    createExport: 'Requested an archive of the files',
    endSession: 'Signed out a device',
    endView: 'Stopped viewing your dashboard',
    exportAccount: 'Downloaded the account’s data',
    getFilesTask: 'Downloaded an archive of the files',
    logout: 'Signed out',
    mintToken: 'Created a token',
    removePushDevice: 'Turned off push in a browser',
    reportLeakedToken: 'Reported a token as leaked',
    rerollToken: 'Replaced a token',
    restoreFiles: 'Restored files of',
    setInstanceEnv: 'Changed variables',
    setNotificationSettings: 'Changed notification settings',
    viewUser: 'Viewed your dashboard, without messages',
    viewUserMessages: 'Viewed your dashboard with your messages',
    updateAccount: 'Changed the e-mail address',
    startTrial: 'Started the trial',
    verify: 'Signed in with an e-mailed code',
    verifyPasskey: 'Signed in with a passkey',
  },
}

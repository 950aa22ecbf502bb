export const common = {
  loading: 'Loading…',
  tryAgain: 'Try again',
  reload: 'Reload',
  close: 'Close',
  dismiss: 'Dismiss',
  cancel: 'Cancel',
  showOlder: 'Show older',
  copy: 'Copy',
  copied: 'Copied',
  copyOf: (label: string) => `Copy ${label.toLowerCase()}`,
  copiedOf: (label: string) => `${label} copied`,
  selected: 'Selected: copy it with your keyboard.',
  /** For screen readers, after the title of a step. */
  done: '(done)',
  /** Shown where a local service has sent an e-mail. */
  localInbox: 'Your e-mail is in the local inbox',
  inDays: (days: number, date: string) => `in ${days} days (${date})`,
  /** Shown when a page, or a part of it, fails to render. */
  pageBroken: 'This page could not be shown. The others are not affected.',
  partBroken: 'This part could not be shown.',
  /** Shown in place of a page whose code was not loaded before the connection was lost. */
  notLoaded: 'This page has not been loaded yet, and Berth cannot be reached. It opens by itself once Berth answers.',
  newVersion: 'There is a newer version of this page.',
  unexpected: 'Something went wrong on this page. Reload it and try again.',
  signedOut: 'You are signed out.',
  passkeyThere: 'This device has a passkey for your account already.',
  noPasskey: 'No passkey was used. Try again, or choose another way.',
  sessionEnded: 'Your session has ended. Sign in to go on.',
  /** @param since clock time of the last good answer */
  notFresh: (since: string) => `Berth does not answer right now. You see what was true at ${since}.`,
}

export const paletteTexts = {
  title: 'Go to a page or do something',
  placeholder: 'Page or command',
  none: 'Nothing fits that.',
  /** For screen readers, when the list changes. */
  found: (count: number) => (count === 1 ? '1 match' : `${count} matches`),
  goTo: (page: string) => `Go to ${page}`,
  newConversation: 'Start a conversation',
  pause: 'Pause the instance',
  resume: 'Wake the instance',
  topUp: 'Top up the wallet',
  theme: (name: string) => `Appearance: ${name}`,
  signOut: 'Sign out',
  failed: 'That could not be done:',
}

export const stepUpTexts = {
  title: 'Sign in again to go on',
  lead: 'Sign in again to continue. Your input is kept.',
  byPasskey: 'Sign in again with a passkey to continue. Your input is kept.',
  noPasskeys: 'This browser has no passkeys at this address.',
  mail: (email: string) => `Mail a code to ${email}`,
}

export const stepUpTexts = {
  title: 'Sign in again to go on',
  lead: 'This needs a sign-in of the last ten minutes. Your input is kept.',
  byPasskey: 'This needs a sign-in of the last ten minutes, with a passkey. Your input is kept.',
  noPasskeys: 'This browser has no passkeys at this address.',
  mail: (email: string) => `Mail a code to ${email}`,
}

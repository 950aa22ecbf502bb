export const stepUpTexts = {
  title: 'Sign in again to go on',
  lead: 'This needs a sign-in of the last ten minutes. What you typed stays where it is.',
  byPasskey: 'This needs a sign-in of the last ten minutes, with a passkey. What you typed stays where it is.',
  noPasskeys: 'This browser has no passkeys at this address.',
  mail: (email: string) => `Mail a code to ${email}`,
}

import type { stepUp as English } from '../en/step-up.ts'

export const stepUp: typeof English = {
  title: 'Melde dich neu an, dann geht es weiter',
  lead: 'Das braucht eine Anmeldung aus den letzten zehn Minuten. Was du eingegeben hast, bleibt stehen.',
  byPasskey:
    'Das braucht eine Anmeldung mit Passkey aus den letzten zehn Minuten. Was du eingegeben hast, bleibt stehen.',
  noPasskeys: 'Dieser Browser hat unter dieser Adresse keine Passkeys.',
  mail: (email: string) => `Code an ${email} schicken`,
}

import type { StageSettings } from '../lib/stage.ts'

/** A stage to copy: `cp stages/example.ts stages/prod.ts`. docs/deploy.md says what each line means, and what else there is. */
export default {
  account: '123456789012',
  region: 'eu-central-1',
  mailFrom: 'hello@example.com',
  abuseMail: 'abuse@example.com',
  alarmMail: 'ops@example.com',
  budgetDollars: 500,
} satisfies StageSettings

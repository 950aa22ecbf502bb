import type { Contact } from '../app/ports/public-facts.ts'
import type { Env } from './env.ts'

export const contact = (env: Env): Contact => ({ abuseMail: () => env.variable('ABUSE_MAIL') })

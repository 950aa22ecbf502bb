import * as z from 'zod'
import { securityTxt } from '../../domain/security-txt.ts'
import { operation } from '../kit/operation.ts'

export const getSecurityTxt = operation({
  id: 'getSecurityTxt',
  summary: 'Where to report abuse and security problems',
  description: 'RFC 9116. At the host’s root too, where scanners and people look for it.',
  http: { method: 'GET', path: '/.well-known/security.txt', text: { type: 'text/plain' } },
  auth: 'none',
  limit: null,
  output: z.string(),
  example: securityTxt({
    mail: 'abuse@example.com',
    origin: 'https://berth.example.com',
    nowMs: Date.UTC(2026, 10, 1),
  }),
  uses: { contact: 'read' },
  run: async ({ deps: { contact, settings }, now }) =>
    securityTxt({ mail: contact.abuseMail(), origin: settings.publicOrigin, nowMs: now }),
})

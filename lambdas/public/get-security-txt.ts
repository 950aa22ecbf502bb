import * as z from 'zod'
import { securityTxt } from '../../domain/security-txt.ts'
import { operation } from '../kit/operation.ts'

export const getSecurityTxt = operation({
  id: 'getSecurityTxt',
  summary: 'Get the address for reports of abuse and security problems',
  description: 'A file as RFC 9116 defines it. The root of the host serves it too, at `/.well-known/security.txt`.',
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

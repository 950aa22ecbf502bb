import * as z from 'zod'
import { iso } from '../../domain/time.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { operation } from '../kit/operation.ts'

export const getHealth = operation({
  id: 'getHealth',
  summary: 'Check that the service is alive',
  http: { method: 'GET', path: '/health' },
  auth: 'none',
  limit: null,
  output: z.object({ ok: z.boolean(), timestamp }).meta({ id: 'Health' }),
  uses: {},
  run: async ({ now }) => ({ ok: true, timestamp: iso(now) }),
})

import * as z from 'zod'
import { checkMoreBooks } from '../../app/operator/books.ts'
import { booksRun, showBooks } from '../../domain/operator/books.ts'
import { reason } from '../../domain/operator/trail.ts'
import { operation } from '../kit/operation.ts'

export const checkBooks = operation({
  id: 'checkBooks',
  summary: 'Check the next wallets against their ledgers',
  description:
    'Checks at most twenty-five wallets and changes none. Repeat the request until `finishedAt` is set; any ' +
    'operator may continue. After that, or with `anew`, a new check begins.',
  http: { method: 'POST', path: '/operator/books' },
  auth: 'operator',
  commits: true,
  input: z.strictObject({ reason, anew: z.boolean().default(false) }),
  output: z.object({ run: booksRun }),
  errors: ['conflict'],
  uses: { booksCheck: 'write', wallets: 'read' },
  run: async ({ input, deps, now, outboxFor }) => ({
    run: showBooks(await checkMoreBooks(deps, input.anew, now, outboxFor)),
  }),
})

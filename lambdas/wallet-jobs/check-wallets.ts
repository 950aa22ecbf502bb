import * as z from 'zod'
import { checkNextBooks } from '../../app/operator/books.ts'
import { job } from '../kit/job.ts'

/** A step is a few wallets, so what it costs does not grow with how many there are; all have their turn. */
export const checkWallets = job({
  id: 'checkWallets',
  on: { everyMinutes: 15 },
  input: z.unknown(),
  uses: { booksCheck: 'write', wallets: 'read' },
  run: ({ deps, now }) => checkNextBooks(deps, now),
})

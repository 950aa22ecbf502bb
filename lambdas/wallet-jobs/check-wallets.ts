import * as z from 'zod'
import { checkNextBooks } from '../../app/operator/books.ts'
import { job } from '../kit/job.ts'

/** One step checks a few wallets, so its cost does not grow with their number; in time, it reaches all. */
export const checkWallets = job({
  id: 'checkWallets',
  on: { everyMinutes: 15 },
  input: z.unknown(),
  uses: { booksCheck: 'write', wallets: 'read' },
  run: ({ deps, now }) => checkNextBooks(deps, now),
})

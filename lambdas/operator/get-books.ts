import * as z from 'zod'
import { booksRun, showBooks } from '../../domain/operator/books.ts'
import { operation } from '../kit/operation.ts'

export const getBooks = operation({
  id: 'getBooks',
  summary: 'Get the latest check of all wallets against their ledgers',
  http: { method: 'GET', path: '/operator/books' },
  auth: 'operator',
  output: z.object({ run: booksRun.nullable() }),
  uses: { booksCheck: 'read' },
  run: async ({ deps }) => {
    const last = await deps.booksCheck.last()
    return { run: last && showBooks(last) }
  },
})

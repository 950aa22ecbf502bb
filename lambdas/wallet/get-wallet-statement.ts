import * as z from 'zod'
import { statementOf } from '../../app/wallet/statement.ts'
import { idPattern } from '../../domain/ids.ts'
import { dayRange, readDayRange } from '../../domain/wallet/usage.ts'
import { maxStatementLines } from '../../domain/wallet/usage-limits.ts'
import { operation } from '../kit/operation.ts'

export const getWalletStatement = operation({
  id: 'getWalletStatement',
  summary: 'Get the ledger of a range of days as CSV',
  description:
    'Oldest first, amounts in dollars. A range that is too long for one answer gets 400. Then request pages with a ' +
    '`limit`, and with the id of the last line as `after`, until a page has fewer lines than `limit`.',
  http: { method: 'GET', path: '/wallet/statement', text: { type: 'text/csv', name: 'statement.csv' } },
  auth: 'user',
  scope: 'mcp:wallet.read',
  input: z.strictObject({
    ...dayRange,
    limit: z.coerce.number().int().min(1).max(maxStatementLines).optional().meta({
      description: 'Entries on a page. Default: the whole range.',
      example: maxStatementLines,
    }),
    after: z.string().regex(idPattern('txn'), 'Send the id of a line, txn_….').optional().meta({
      description: 'Only entries after this one, without the line of headings.',
      example: 'txn_01KAHB2N3P4Q5R6S7T8V9WXYZ0',
    }),
  }),
  output: z.string(),
  uses: { wallets: 'read' },
  run: ({ input, actor, deps, now }) => statementOf(deps, actor.userId, readDayRange(input, now), input),
})

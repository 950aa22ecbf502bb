import { area } from '../kit/area.ts'
import { changeToken } from './change-token.ts'
import { listTokens } from './list-tokens.ts'
import { mintToken } from './mint-token.ts'
import { reportLeakedToken } from './report-leaked-token.ts'
import { rerollToken } from './reroll-token.ts'
import { revokeToken } from './revoke-token.ts'

export const tokensArea = area({
  name: 'tokens',
  about: 'Personal Access Tokens, with which your programs call this API.',
  operations: [listTokens, mintToken, revokeToken, changeToken, rerollToken, reportLeakedToken],
})

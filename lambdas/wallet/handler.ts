import { cursors } from '../../adapters/aws/cursors.ts'
import { audit } from '../../adapters/dynamo/audit.ts'
import { checkouts } from '../../adapters/dynamo/checkouts.ts'
import { sessions } from '../../adapters/dynamo/sessions.ts'
import { tokens } from '../../adapters/dynamo/tokens.ts'
import { users } from '../../adapters/dynamo/users.ts'
import { wallets } from '../../adapters/dynamo/wallets.ts'
import { pages } from '../../adapters/stripe/pages.ts'
import { wire } from '../../adapters/wire.ts'
import { serve } from '../kit/serve.ts'
import { access } from './access.ts'
import { walletArea } from './index.ts'

export const handler = serve(
  walletArea,
  wire(access, { audit, cursors, checkouts, pages, sessions, tokens, users, wallets }),
)

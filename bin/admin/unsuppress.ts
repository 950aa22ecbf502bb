import { logins } from '../../adapters/dynamo/account/logins.ts'
import { users } from '../../adapters/dynamo/account/users.ts'
import { noReturnedMails } from '../../domain/account/returned-mail.ts'
import { email } from '../../domain/account/user.ts'
import { operatorsTrail } from '../../domain/operator/trail.ts'
import { auditOf, type Command, UsageError } from './command.ts'

export const unsuppress: Command = {
  usage: [['unsuppress <e-mail> --reason <text>', 'send e-mails again to an address that bounced or complained']],
  async run(context, [text]) {
    const address = email.safeParse(text)
    if (!address.success) throw new UsageError('Name the e-mail address.')
    const { stage } = context.options
    const user = (await users(context.env).findByEmail(address.data))?.id
    // The trail records only ids. An address without a user can be in the reason.
    const about = { user: user ?? operatorsTrail, operation: 'admin.unsuppress', record: user ?? 'nobody' }
    const audit = auditOf(context, about)
    const isForgotten = await logins(context.env).forgetBounce(address.data, audit)
    if (user) await users(context.env).setReturned(user, noReturnedMails, ...(isForgotten ? [] : [audit]))
    console.log('The bounce is deleted, and e-mails go to the address again.')
    // The local mailbox suppresses nothing.
    if (!stage) return 0
    const { unsuppressMails } = await import('../../adapters/aws/deployment/suppressed-destinations.ts')
    const listed = await unsuppressMails(address.data)
    console.log(
      listed ? 'SES had suppressed the address, and sends to it again.' : 'SES had not suppressed the address.',
    )
    return 0
  },
}

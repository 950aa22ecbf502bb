import { denials } from '../../adapters/dynamo/models/denials.ts'
import { type Command, reasonOf, UsageError } from './command.ts'

export const models: Command = {
  usage: [
    ['models denied', 'list the blocked fields and tool types of model calls, with reasons'],
    [
      'models deny    <field or type> --reason <text>',
      'block a field or tool type for all users; the alarm CostAboveHoldMicros names the fields of calls that cost more than their price',
    ],
    ['models allow   <field or type>', 'allow it again'],
  ],
  async run(context, [verb, name]) {
    const denied = denials(context.env)
    const current = await denied.find()
    if (verb === 'deny' || verb === 'allow') {
      if (!name || !/^[\w.-]{1,60}$/.test(name)) throw new UsageError('Name one field or type: letters, digits, _ - .')
      const { [name]: _, ...others } = current.fields
      const fields = verb === 'deny' ? { ...others, [name]: reasonOf(context) } : others
      if (!(await denied.save({ ...current, fields }, current)))
        throw new UsageError('The list changed in the meantime. Run this again.')
      console.log(`${name} is ${verb === 'deny' ? 'blocked' : 'allowed'} within ten seconds.`)
      return 0
    }
    if (verb !== 'denied') throw new UsageError()
    for (const [field, why] of Object.entries(current.fields)) console.log(`${field}: ${why}`)
    if (Object.keys(current.fields).length === 0) console.log('Nothing is blocked.')
    return 0
  },
}

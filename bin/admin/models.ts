import { denials } from '../../adapters/dynamo/models/denials.ts'
import { type Command, reasonOf, UsageError } from './command.ts'

export const models: Command = {
  usage: [
    ['models denied', 'fields and tool types of model calls that are closed, and why'],
    [
      'models deny    <field or type> --reason <text>',
      'close one to everybody: the alarm CostAboveHoldMicros names what a call carried that cost more than is priced',
    ],
    ['models allow   <field or type>', 'open it again'],
  ],
  async run(context, [verb, name]) {
    const denied = denials(context.env)
    const seen = await denied.find()
    if (verb === 'deny' || verb === 'allow') {
      if (!name || !/^[\w.-]{1,60}$/.test(name)) throw new UsageError('Name one field or type: letters, digits, _ - .')
      const { [name]: _, ...others } = seen.fields
      const fields = verb === 'deny' ? { ...others, [name]: reasonOf(context) } : others
      if (!(await denied.save({ ...seen, fields }, seen)))
        throw new UsageError('The list changed meanwhile. Run it again.')
      console.log(`${name} is ${verb === 'deny' ? 'closed' : 'open'} within ten seconds.`)
      return 0
    }
    if (verb !== 'denied') throw new UsageError()
    for (const [field, why] of Object.entries(seen.fields)) console.log(`${field}: ${why}`)
    if (Object.keys(seen.fields).length === 0) console.log('Nothing is closed.')
    return 0
  },
}

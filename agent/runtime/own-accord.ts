import {
  ask,
  type Caller,
  cost,
  deleteLater,
  later,
  listLater,
  secrets,
  shown,
  type TimedQuestion,
  tell,
} from '../command/actions.ts'
import { WhenError } from '../command/when.ts'
import type { LoopbackSettings } from '../kit/environment.ts'
import { ServiceError } from './service.ts'
import { type Arguments, schema, string, type Tool, ToolError, type Tools } from './tool.ts'
import { useSecretTool } from './use-secret.ts'

/** Tools for the agent's own initiative, as in the command `berth`. */
export const ownAccordTools = (service: Caller, promptId: string, settings: LoopbackSettings): Tools => ({
  ask_user: {
    description:
      'Asks your user and waits for the answer. Ask before you do what cannot be undone, costs money or speaks to others in ' +
      'their name; a yes is good for exactly the arguments that you name.',
    parameters: schema(
      {
        question: string('Your question.'),
        choices: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from, 2 to 10.' },
        words: { type: 'boolean', description: 'True for an answer in words; otherwise it is yes or no.' },
        tool: string('The tool you would use.'),
        arguments: { type: 'object', description: 'The arguments you would use.' },
      },
      ['question'],
    ),
    run: tellingFailures(async (args, stop) => {
      const question = await ask(service, promptId, questionOf(args), stop)
      if (!question.given) return 'Nobody answered in time.'
      const { choice, text, approved } = question.given
      return choice ?? text ?? (approved ? 'yes' : 'no')
    }),
  },
  tell_user: {
    description:
      'Sends your user a message at once, besides your reply: something they should know and did not ask for.',
    parameters: schema(
      {
        text: string('What to say.'),
        start: string('Title of a conversation that it starts; else it is said in the main one.'),
      },
      ['text'],
    ),
    run: tellingFailures(async (args) => {
      const title = args.text('start', '')
      await tell(service, promptId, { text: args.text('text'), ...(title && { startConversation: { title } }) })
      return 'said'
    }),
  },
  later: {
    description: 'Gives you a task for later, once or again and again, lists such tasks, or takes one back.',
    parameters: schema(
      {
        action: { type: 'string', enum: ['add', 'list', 'delete'] },
        when: string('add: "in 2h", an instant such as 2026-11-24T08:00:00Z, or a cron line such as "0 8 * * 1-5".'),
        zone: string('add, of a cron line: its time zone; UTC when left out.'),
        text: string('add: what you are asked then.'),
        id: string('delete: the task.'),
      },
      ['action'],
    ),
    run: tellingFailures(async (args) => {
      const action = args.text('action')
      if (action === 'list') {
        const { schedules, most } = await listLater(service)
        return [...schedules.map(shown.schedule), `${schedules.length} of ${most}`].join('\n')
      }
      if (action === 'delete')
        return `deleted: ${shown.schedule((await deleteLater(service, args.text('id'))).schedule)}`
      if (action !== 'add') throw new ToolError('the action is add, list or delete')
      const zone = args.text('zone', '')
      const request = { when: args.text('when'), text: args.text('text'), ...(zone && { zone }) }
      return shown.schedule(await later(service, promptId, request, Date.now()))
    }),
  },
  secrets: {
    description: 'Names the secrets that you can use with use_secret and cannot read, with the hosts they may go to.',
    parameters: schema({}),
    readOnly: true,
    run: tellingFailures(async () => {
      const known = await secrets(service)
      return known.map(({ name, hosts }) => `${name}: ${hosts.join(', ')}`).join('\n') || 'There are none.'
    }),
  },
  use_secret: useSecretTool(settings),
  cost: {
    description: 'Says what this turn and this month have cost so far, and what the wallet still holds.',
    parameters: schema({}),
    readOnly: true,
    run: tellingFailures(async () => shown.cost(await cost(service, promptId))),
  },
})

function questionOf(args: Arguments): TimedQuestion {
  const { choices, arguments: arguments_ } = args.fields
  const isList = Array.isArray(choices) && choices.length > 0
  return {
    text: args.text('question'),
    answer: isList ? 'choose' : args.flag('words') ? 'text' : 'approve',
    ...(isList && { choices: choices.map(String) }),
    ...(args.fields.tool !== undefined && { tool: args.text('tool') }),
    ...(isObject(arguments_) && { arguments: arguments_ }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const tellingFailures =
  (run: Tool['run']): Tool['run'] =>
  async (args, stop) => {
    try {
      return await run(args, stop)
    } catch (thrown) {
      if (thrown instanceof WhenError) throw new ToolError(thrown.message)
      if (thrown instanceof ServiceError && thrown.status !== 401)
        throw new ToolError(thrown.explanation || thrown.message)
      throw thrown
    }
  }

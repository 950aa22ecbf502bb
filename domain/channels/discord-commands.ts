import { type CommandName, commands } from './commands.ts'

/** The way to talk to the agent where it gets no plain messages. */
export const askCommand = { name: 'ask', text: 'message', file: 'file' } as const

const argumentsOf: Partial<Record<CommandName, { name: string; description: string }>> = {
  topup: { name: 'dollars', description: 'How much, such as 20' },
  link: { name: 'code', description: 'The code of the dashboard; a group needs none' },
}

const types = { text: 3, file: 11 }

/** In servers and in direct messages with the bot. */
const contexts = [0, 1]

export const discordCommands = [
  ...commands.map(({ name, does }) => {
    const argument = argumentsOf[name]
    return {
      name: name as string,
      description: does as string,
      contexts,
      options: argument ? [{ type: types.text, ...argument }] : [],
    }
  }),
  {
    name: askCommand.name,
    description: 'Ask the agent something',
    contexts,
    options: [
      { type: types.text, name: askCommand.text, description: 'What you want of it', required: true },
      { type: types.file, name: askCommand.file, description: 'A file that goes with it' },
    ],
  },
]

import type { Scope } from '../scopes.ts'

export interface Prompt {
  name: string
  title: string
  description: string
  /** Offered to callers who may use every tool it names. */
  needs: readonly Scope[]
  /** @param tool spells a tool's name as it is listed for this client */
  text(tool: (name: string) => string): string
}

export const prompts: readonly Prompt[] = [
  {
    name: 'explain_cost_today',
    title: 'Why did my agent cost this much today?',
    description: 'Adds up today’s model calls by what started them and by model, and says what stands out.',
    needs: ['mcp:wallet.read', 'mcp:instance.read'],
    text: (tool) =>
      `Explain what my agent cost me today (UTC). Read ${tool('wallet.transactions')} with type "usage", page by page ` +
      `until a line is older than today, and ${tool('wallet.balance')} for what is left. Add up amounts by the receipt's ` +
      'trigger (chat, schedule, heartbeat, tool) and by model; amounts are in micro-dollars, 1 USD is 1000000. Show a ' +
      'short table in dollars, the three dearest calls and when they were, and say in one or two sentences what drove ' +
      `the cost. If one model or trigger is most of it, check ${tool('instance.status')} and suggest one change. ` +
      'Do not change anything.',
  },
  {
    name: 'what_is_my_agent_doing',
    title: 'What is my agent doing?',
    description: 'Says whether the agent runs, why, since when, what it last paid for, and whether it can go on.',
    needs: ['mcp:wallet.read', 'mcp:instance.read'],
    text: (tool) =>
      `Tell me in a few sentences what my agent is doing. Read ${tool('instance.status')} for its state, the reason for ` +
      `it, its model and its last activity, and the newest lines of ${tool('wallet.transactions')} for its latest model ` +
      'calls. Say whether it runs or sleeps and why, when it last worked and on whose trigger, and whether the balance ' +
      'and the subscription let it go on. If it has failed, say what the failure means and what I can do. ' +
      'Do not change anything.',
  },
  {
    name: 'set_up_my_agent',
    title: 'Set my agent up',
    description: 'Looks at what is missing (plan, money, persona, skills) and goes through it with the user.',
    needs: ['mcp:instance.read', 'mcp:personas.write', 'mcp:personas.read', 'mcp:skills.read', 'mcp:wallet.write'],
    text: (tool) =>
      `Help me set my agent up. First read ${tool('instance.status')}: without a subscription, tell me to choose a plan ` +
      `on the dashboard and stop there. If the wallet is low, ask how much to add, call ${tool('wallet.checkoutTopUp')} ` +
      `and give me its link. Then show me ${tool('personas.list')} and ${tool('skills.list')} with one line each, ask ` +
      `which persona I want and use ${tool('personas.activate')} for it. Say which skills are on and what the others ` +
      'would need. Ask before each change, and end with a summary of how my agent is set up.',
  },
]

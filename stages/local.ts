import type { StageSettings } from '../lib/stage.ts'

const list = (text = '') => text.split(',').filter((one) => one.trim() !== '')

/** The stage that `npm start` runs. */
export default {
  origin: 'http://127.0.0.1:8787',
  mailFrom: 'support@berth.example',
  discordGateway: true,
  trials: { budgetMicros: 5_000_000 },
  runtimes: list(process.env.BERTH_RUNTIMES),
  operators: list(process.env.BERTH_OPERATORS),
} satisfies StageSettings

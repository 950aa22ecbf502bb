/**
 * `npm run admin -- <command>`: the operator's commands on money, accounts, keys, images, dead letters and chat
 * platforms. They work on the local service of DATA_DIR (running or not), or on the deployment that --stage names.
 * Every change of an account requires --reason and is recorded in the owner's audit trail.
 */
import { parseArgs } from 'node:util'
import { books } from './admin/books.ts'
import { channels } from './admin/channels.ts'
import { type Command, UsageError } from './admin/command.ts'
import { directory } from './admin/directory.ts'
import { models } from './admin/models.ts'
import { adjust, credit, refund, suspend, unsuspend } from './admin/money.ts'
import { openPlace } from './admin/place.ts'
import { redrive } from './admin/redrive.ts'
import { rollout } from './admin/rollout.ts'
import { rotate } from './admin/rotate.ts'
import { resume, stop, stops, takedown } from './admin/stops.ts'
import { trials } from './admin/trials.ts'
import { unsuppress } from './admin/unsuppress.ts'
import { usageOf } from './admin/usage.ts'
import { wallet } from './admin/wallet.ts'

const commands = new Map<string, Command>(
  Object.entries({
    books,
    wallet,
    credit,
    adjust,
    refund,
    suspend,
    unsuspend,
    rollout,
    trials,
    models,
    stop,
    resume,
    stops,
    takedown,
    rotate,
    channels,
    redrive,
    directory,
    unsuppress,
  }),
)
const usage = usageOf(commands.values())

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      allowNegative: true,
      strict: true,
      args: process.argv.slice(2).map((arg) => (/^-\d/.test(arg) ? `\u2212${arg.slice(1)}` : arg)),
      options: {
        reason: { type: 'string' },
        key: { type: 'string' },
        stage: { type: 'string' },
        origin: { type: 'string' },
        chat: { type: 'string' },
        leaked: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}
const { values: options, positionals } = readArguments()

const place = await openPlace(options.stage).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
try {
  const [word = '', ...words] = positionals
  const command = commands.get(word)
  if (!command) throw new UsageError()
  const { env, secrets } = place
  process.exitCode = await command.run({ env, secrets, options, by: process.env.USER ?? null }, words)
} catch (error) {
  console.error((error instanceof Error ? error.message : error) || usage)
  process.exitCode = 2
} finally {
  await place.close()
}

import { readQueues, type Waiting } from '../../adapters/aws/dead-letter-queues.ts'
import { putBack } from '../../adapters/aws/put-back.ts'
import { type Command, UsageError } from './command.ts'

export const redrive: Command = {
  usage: [
    ['redrive', 'list failed runs of functions, events and schedules, with the error'],
    ['redrive all | <id> …', 'retry; a successful retry leaves the queue'],
    ['redrive drop <id> …', 'delete without a retry'],
  ],
  run({ options }, words) {
    if (options.stage) return redriveQueues(options.stage, words)
    throw new UsageError('The local service stores no dead letters: its terminal printed the failures.')
  },
}

/**
 * Lists the stage's dead letters. `all` or ids retry them; `drop` and ids delete them. Returns 1 when one failed again.
 * @throws when an id is unknown
 */
async function redriveQueues(stage: string, [first, ...rest]: readonly string[]): Promise<number> {
  const all = await readQueues(stage)
  const drops = first === 'drop'
  const ids = first === undefined ? [] : drops ? rest : [first, ...rest]
  const chosen = all.filter(({ id }) => ids.includes(id) || (!drops && ids.includes('all')))
  const unknown = ids.filter((id) => id !== 'all' && !all.some((waiting) => waiting.id === id))
  try {
    if (unknown.length > 0) throw new Error(`There is no dead letter with the id ${unknown.join(', ')}.`)
    if (drops && chosen.length === 0) throw new Error('Name the dead letters to drop by id.')
    if (ids.length === 0) for (const waiting of all) console.log(lineOf(waiting))
    let failed = 0
    for (const waiting of chosen) {
      const why = drops ? await waiting.remove().then(() => null) : await again(waiting)
      console.log(`${lineOf(waiting)}\n  ${drops ? 'dropped' : why === null ? 'done' : `failed again: ${why}`}`)
      if (why !== null) failed++
      else all.splice(all.indexOf(waiting), 1)
    }
    console.log(`${all.length} left.`)
    return failed > 0 ? 1 : 0
  } finally {
    await Promise.all(all.map((waiting) => waiting.release()))
  }
}

/** Null on success. Delete from the queue only after success: a second run is harmless, a loss is not. */
async function again(waiting: Waiting): Promise<string | null> {
  try {
    await putBack(waiting.letter)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  await waiting.remove()
  return null
}

const lineOf = ({ id, sentAt, letter }: Waiting): string => `${id}  ${sentAt}  ${letter.what}: ${letter.error}`

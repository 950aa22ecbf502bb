/**
 * Run as a user of the system who did not write the journal: prints the result of undoing an old turn, and a new one.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TurnJournal } from '../../../agent/volume/turn-journal.ts'
import { undoTurn } from '../../../agent/volume/undo-turn.ts'

const [volume, user] = process.argv.slice(2)
// Not earlier: the other user may have no right to read this project.
process.setgroups([])
process.setgid(Number(user))
process.setuid(Number(user))
const tides = join(volume, 'workspace/tides.md')
const journal = new TurnJournal(volume)
const old = await undoTurn(volume, journal, 'prm_1').then(
  () => 'done',
  (thrown) => thrown.code,
)
await journal.begin('prm_2')
writeFileSync(tides, 'lower')
await journal.end('prm_2')
const own = await undoTurn(volume, journal, 'prm_2').then(
  () => 'done',
  (thrown) => thrown.message,
)
process.stdout.write(`${old} ${own} ${readFileSync(tides, 'utf8')}`)

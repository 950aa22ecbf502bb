import { randomBytes, randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cases, most } from '../../counts.ts'
import { Bench, until } from '../machine.ts'
import { contentAt, halfWritten, killWorker } from './killed-worker.ts'

const tries = cases(most(300, 100))
const names = ['a', 'b', 'c', 'd']
/** The number of writes that always wait, so that a machine is never idle. */
const waiting = 12
/** The longest time from a machine's first answer to its end, ms. */
const longestMs = 40

interface Write {
  name: string
  text: string
  task: ReturnType<Bench['server']['order']>
}

it(`every acknowledged write is kept, and each file is complete, after ${tries} kills during writes`, async () => {
  await using stack = new AsyncDisposableStack()
  const bench = await new Bench().open()
  stack.defer(() => bench.close())
  const { server, volume } = bench
  const writes: Write[] = []

  function order(): void {
    const name = names[writes.length % names.length] ?? ''
    const text = `${writes.length} ${randomBytes(randomInt(1, 48 * 1024)).toString('hex')}`
    const content = Buffer.from(text).toString('base64')
    const job = { kind: 'write', path: `workspace/${name}`, replaces: 'anything', content, upload: null }
    writes.push({ name, text, task: server.order(job) })
  }
  server.order({ kind: 'make-folder', path: 'workspace' })
  const textOf = (name: string) => contentAt(join(volume, 'workspace', name))?.toString()
  const isOpen = ({ task }: Write) => task.ends.length === 0
  const counts = { inHand: 0, halfWritten: 0, done: 0 }

  for (let tried = 0; tried < tries; tried++) {
    for (let open = writes.filter(isOpen).length; open < waiting; open++) order()
    const before = writes.filter(isOpen).length
    await killWorker(bench, async () => {
      await until(() => writes.filter(isOpen).length < before, 'an answered write')
      await sleep(randomInt(longestMs))
    })
    const inHand = writes.find((write) => isOpen(write) && write.task.attempt > 0)
    if (inHand) counts.inHand++
    if (halfWritten(volume).length > 0) counts.halfWritten++
    for (const name of names) {
      const own = writes.filter((write) => write.name === name)
      const answered = own.findLast((write) => !isOpen(write))
      const allowed = [answered, ...(inHand?.name === name ? [inHand] : [])].map((write) => write?.text)
      expect(allowed).toContain(textOf(name))
    }
  }
  bench.start({ BERTH_ROLE: 'volume-worker' })
  await until(() => !writes.some(isOpen), 'all writes')
  for (const { task } of writes) expect(task.ends.map(({ result }) => result)).toEqual([{ kind: 'write' }])
  for (const name of names) expect(textOf(name)).toBe(writes.findLast((write) => write.name === name)?.text)
  counts.done = writes.length
  console.log(
    `${tries} kills: ${counts.inHand} with a write in hand, ${counts.halfWritten} with a file half in place, ${counts.done} writes answered`,
  )
  // A run without a kill during a write proves nothing.
  expect(counts.inHand).toBeGreaterThan(tries / 4)
}, 1_200_000)

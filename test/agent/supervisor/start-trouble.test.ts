import { spawnSync } from 'node:child_process'
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cannotStartTexts } from '../../../agent/kit/limits.ts'
import type { CannotStartReason } from '../../../domain/instance/cannot-start.ts'
import { Bench, until } from '../machine.ts'

/** The reasons for which a machine cannot start its agent, as the real supervisor detects them. */

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

let bench: Bench
let mounted = false
const groups: string[] = []
beforeEach(async () => {
  bench = await new Bench().open()
})
afterEach(async () => {
  if (mounted) spawnSync('umount', ['-l', bench.volume])
  mounted = false
  await bench.close()
  for (const group of groups.splice(0))
    await until(() => isRemoved(group), 'the end of the programs in the control group')
})

/** False while a program in the control group still runs. */
function isRemoved(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch {
    return false
  }
}

async function isToldOf(reason: CannotStartReason): Promise<void> {
  const { server } = bench
  const prompt = server.say('Are you there?')
  await until(() => prompt.closed.length > 0, 'the answer')
  expect(prompt.closed).toEqual(['failed'])
  expect(server.replies(prompt).map(({ text }) => text)).toEqual([cannotStartTexts[reason]])
  expect(server.observed('cannot-start').at(-1)).toEqual({ kind: 'cannot-start', reason })
}

it('a full volume is reported as the reason, until there is room again', async () => {
  const { volume, server } = bench
  mounted = isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', volume]).status === 0
  if (!mounted) return expect(mounted).toBe(false)
  const filling = join(volume, 'filling')
  expect(() => writeFileSync(filling, Buffer.alloc(2 * 1024 * 1024))).toThrow('ENOSPC')
  server.files = { 'persona/SOUL.md': 'x'.repeat(20_000) }
  const machine = bench.start()
  await isToldOf('volume-full')
  rmSync(filling)
  await until(() => machine.runtimePid() > 0, 'the start')
  await until(() => server.observed('ready').length > 0, 'the report that it works')
})

it('too little memory is reported as the reason for a program that the system repeatedly kills', async () => {
  const group = memoryGroup(160 * 1024 * 1024)
  if (!group) return expect(group).toBeNull()
  const eat = 'const all=[];for(;;)all.push(Buffer.alloc(8e6,1))'
  bench.start({ BERTH_CONTAINER: '1', BERTH_RUNTIME: `${process.execPath} -e '${eat}'` }, { within: group })
  await isToldOf('out-of-memory')
})

/**
 * A command that runs another command in a control group with this much memory, and hides all other groups from it, as
 * a container does. Null where the test may not create a control group.
 */
function memoryGroup(bytes: number): string[] | null {
  if (!isRoot) return null
  for (const [root, limit] of [
    ['/sys/fs/cgroup', 'memory.max'],
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes'],
  ] as const) {
    const group = join(root, `berth-test-${process.pid}`)
    try {
      mkdirSync(group)
      groups.push(group)
      writeFileSync(join(group, limit), String(bytes), { flag: 'r+' })
    } catch {
      continue
    }
    const enter = `echo $$ > ${group}/cgroup.procs && mount --bind ${group} ${root} && exec "$0" "$@"`
    if (spawnSync('unshare', ['-m', 'sh', '-c', enter, 'true']).status === 0)
      return ['unshare', '-m', 'sh', '-c', enter]
  }
  return null
}

import { spawnSync } from 'node:child_process'
import { relative } from 'node:path'

/**
 * The files of this host that a separated container sees: everything except one folder, of which it sees only its own
 * part.
 */
export interface View {
  /** The folder that it does not see. */
  hidden: string
  /** An empty folder in it. */
  empty: string
  /** The parts of the hidden folder that it sees, at the same paths. */
  kept: string[]
  /** Its image, which it cannot write to. */
  image: string
}

/** Its own users, processes and mounts; the network is shared, as among the containers of a task. */
const unshare = ['--user', '--map-current-user', '--keep-caps', '--pid', '--mount', '--', '/bin/sh', '-c']

/**
 * Waits for the background process whose number is in $p, passes SIGTERM on to it, and ends as it does. A wait that a
 * signal ends in the moment in which the process ends says the signal's number; the next one says what the process
 * ended with, or that it was said.
 */
const follow =
  'while :; do wait $p; c=$?; kill -0 $p 2>/dev/null && continue; wait $p 2>/dev/null; d=$?; [ $d = 127 ] || c=$d; exit $c; done'
const passOn = `trap '[ "$p" ] || exit 143; kill -TERM $p 2>/dev/null' TERM`

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * The command line that runs a program apart: no process outside of it can be seen or signalled, it has no capabilities
 * and gains none. The shell outside takes signals; the one inside is the first of the new processes, and all end with
 * it.
 */
export function apart(file: string, args: string[], view?: View): { file: string; args: string[] } {
  const program = [file, ...args].map(quote).join(' ')
  const inside = [
    ['mount -t proc proc /proc', ...(view ? mounts(view) : [])].map((line) => `${line} || exit 126`),
    passOn,
    `setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs ${program} & p=$!`,
    follow,
  ]
  const outside = [passOn, `/bin/sh -c ${quote(inside.flat().join('\n'))} & p=$!`, follow]
  return { file: 'unshare', args: [...unshare, outside.join('\n')] }
}

function mounts({ hidden, empty, kept, image }: View): string[] {
  const [hiding, holding, own] = [hidden, empty, image].map(quote)
  return [
    `mount -t tmpfs -o mode=755 tmpfs ${holding}`,
    ...kept.flatMap((folder) => {
      const at = quote(`${empty}/${relative(hidden, folder)}`)
      return [`mkdir -p ${at}`, `mount --bind ${quote(folder)} ${at}`]
    }),
    `mount --rbind ${own} ${own}`,
    // Where the host's own mount has these, they cannot be taken off.
    `mount -o remount,bind,ro ${own} 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev ${own}`,
    `mount --rbind ${holding} ${hiding}`,
    `cd ${own}`,
  ]
}

let known: boolean | undefined

/**
 * Whether this host runs containers apart from each other: Linux, with `unshare` and `setpriv`, where users may make
 * namespaces.
 */
export function runsApart(): boolean {
  const { file, args } = apart('/bin/sh', ['-c', '[ "$(echo /proc/[0-9]*)" != "" ]'])
  known ??= process.platform === 'linux' && spawnSync(file, args, { stdio: 'ignore', timeout: 10_000 }).status === 0
  return known
}

import { readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'

type Read = (this: { fd: number }, ...given: unknown[]) => Promise<{ bytesRead: number }>

/** Records which open files this process reads from now on, except files in `.berth`. */
export async function watchReads(volume: string) {
  await using any = await open(process.execPath)
  const handles: { read: Read } = Object.getPrototypeOf(any)
  const { read } = handles
  const inside = `${volume}/`
  const bytes = new Map<string, number>()
  handles.read = async function (...given) {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`)
    const answer = await read.apply(this, given)
    if (path.startsWith(inside) && !path.startsWith(`${inside}.berth/`)) {
      const name = path.slice(inside.length)
      bytes.set(name, (bytes.get(name) ?? 0) + answer.bytesRead)
    }
    return answer
  }
  return {
    /** Bytes by path since the last call. */
    take(): Record<string, number> {
      const seen = Object.fromEntries([...bytes].filter(([, count]) => count > 0))
      bytes.clear()
      return seen
    },
    stop() {
      handles.read = read
    },
  }
}

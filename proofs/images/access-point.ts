import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pythonWith } from '../tools/python.ts'
import { must } from './root.ts'

/**
 * A new volume at `folder`, mounted as through an access point of EFS whose POSIX user and root directory have this
 * number: each access is one of that user, and each file shows it as its owner.
 */
export async function mountVolume(folder: string, uid: number): Promise<{ path: string; unmount(): Promise<void> }> {
  const [files, path] = [join(folder, 'files'), join(folder, 'mounted')]
  for (const each of [folder, files, path]) mkdirSync(each, { mode: 0o700 })
  chownSync(files, uid, uid)
  const python = join(pythonWith('images-owners', ['mfusepy==3.1.1']), 'bin/python')
  const server = spawn(python, [join(import.meta.dirname, 'squash.py'), files, path, `${uid}`], {
    stdio: 'inherit',
    env: { ...process.env, FUSE_LIBRARY_NAME: 'fuse3' },
  })
  const exited = once(server, 'exit')
  const before = statSync(path).dev
  for (let tried = 0; statSync(path).dev === before; tried++) {
    if (server.exitCode !== null || tried === 100) throw new Error('the volume could not be mounted: FUSE is needed')
    await sleep(100)
  }
  return {
    path,
    async unmount() {
      must('umount', [path])
      await exited
    },
  }
}

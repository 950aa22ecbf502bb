import { signAddresses } from '../../../app/files/volume-jobs.ts'
import type { VolumeJob } from '../../../domain/agent/task.ts'

const machine = { userId: 'usr_1', instanceId: 'ins_1' }
const upload = { id: 'att_1', bytes: 1, sha256: '0'.repeat(64) }

/** The keys for which a task with this job gets addresses, by name. */
async function keysFor(job: VolumeJob, get: string[], put: { name: string; size: number }[] = []) {
  const deps = {
    storage: { getAddress: async (key: string) => key, putAddress: async (key: string) => key },
  } as never
  const task = { id: 'tsk_1', job, at: '', attempt: 1, leaseExpiresAt: '' }
  return (await signAddresses(deps, machine, task, { put, get } as never, 0)).get
}

describe('the files that a task may download', () => {
  const compare: VolumeJob = { kind: 'compare', pointId: 'rsp_1' }
  const write: VolumeJob = { kind: 'write', path: 'a', replaces: 'nothing', content: null, upload }

  it('are the list of the compared point, and none of its pieces', async () => {
    expect(await keysFor(compare, ['files'])).toEqual({ files: 'instances/ins_1/points/rsp_1/files.gz' })
    await expect(keysFor(compare, ['chunks'])).rejects.toThrow()
    await expect(keysFor(compare, ['0'.repeat(64)])).rejects.toThrow()
  })

  it('are its upload, and nothing else', async () => {
    expect(await keysFor(write, ['upload'])).toEqual({ upload: 'attachments/ins_1/att_1' })
    await expect(keysFor({ ...write, upload: null }, ['upload'])).rejects.toThrow()
    for (const name of ['files', 'chunks', 'handover', '0'.repeat(64)])
      await expect(keysFor(write, [name])).rejects.toThrow()
  })

  it('are none for a change or a search', async () => {
    for (const job of [
      { kind: 'remove', path: 'a' },
      { kind: 'undo-turn', promptId: 'prm_1' },
      { kind: 'search', text: 'a', after: null, limit: 1 },
    ] as VolumeJob[]) {
      await expect(keysFor(job, ['upload'])).rejects.toThrow()
      await expect(keysFor(job, [], [{ name: 'handover', size: 1 }])).rejects.toThrow()
    }
  })

  it('include no upload for a restore', async () => {
    await expect(keysFor({ kind: 'restore', pointId: 'rsp_1', path: null }, ['upload'])).rejects.toThrow()
  })
})

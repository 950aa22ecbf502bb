import { spawnSync } from 'node:child_process'
import { type Proof, proofs } from '../proofs.ts'
import { changedFolders, readFiles, readInputs, root } from './inputs.ts'
import { type Run, readRun } from './runs.ts'

interface StaleRun {
  name: string
  why: string
}

/**
 * The inputs that changed since the commit of the run; empty in a clone without that commit, or when nothing was
 * committed since.
 */
async function filesSince({ commit }: Run, proof: Proof, folders: string[]): Promise<string[]> {
  const { stdout, status } = spawnSync('git', ['diff', '--name-only', commit], { cwd: root, encoding: 'utf8' })
  if (status !== 0) return []
  const { digests } = await readFiles(proof)
  return stdout.split('\n').filter((path) => digests.has(path) && folders.some((folder) => path.startsWith(folder)))
}

const enumerated = (all: string[]): string =>
  all.length > 6 ? `${all.slice(0, 5).join(', ')} and ${all.length - 5} more` : all.join(', ')

const dayOf = ({ date }: Run): string => date.slice(0, 10)

async function whyStale(name: string, proof: Proof): Promise<string | undefined> {
  const run = readRun(name)
  if (!run) return 'has no recorded run'
  if (Object.keys(run.inputs).length === 0) return `ran on ${dayOf(run)}, when inputs were not recorded`
  const changed = changedFolders(run.inputs, await readInputs(proof))
  if (changed.length === 0) return
  const files = await filesSince(run, proof, changed)
  return `since ${dayOf(run)} changed: ${enumerated(files.length > 0 ? files : changed)}`
}

/** The recorded runs that missed an aim. A new run would not help, so they are not stale. */
export const missedRuns = (): string[] => Object.keys(proofs).filter((name) => readRun(name)?.holds === false)

/** The proofs that must run again, with the reason. Digests are compared, so a shallow clone suffices. */
export async function staleRuns(names = Object.keys(proofs)): Promise<StaleRun[]> {
  const all: StaleRun[] = []
  for (const name of names) {
    const proof = proofs[name]
    const why = proof ? await whyStale(name, proof) : 'is in no list of proofs'
    if (why) all.push({ name, why })
  }
  return all
}

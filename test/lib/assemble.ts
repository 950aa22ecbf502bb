// Makes the assemblies that its argument names, in a process that ends with its memory.
import { makeApp } from '../../lib/app.ts'

export interface Wanted {
  built: string
  /** Whether they are held against CloudFormation's own schemas too, which takes longer than all else. */
  checked: boolean
  assemblies: { context: Record<string, unknown>; folder: string }[]
}

const { built, checked, assemblies }: Wanted = JSON.parse(process.argv[2] ?? '')
for (const { context, folder } of assemblies) makeApp({ context, outdir: folder, built, checked }).synth()

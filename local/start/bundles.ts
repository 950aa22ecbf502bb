/** Bundles a function when it is called: the first time, and again after a change of its sources. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, parse, relative } from 'node:path'
import type { BuildOptions } from 'esbuild'
import { bundling, entryPointFile } from '../../lib/build/esbuild.ts'

interface Bundles {
  /** Updates `index.js` and returns its version. After a failed build the previous bundle stays. */
  refresh(folder: string): Promise<string>
  /** Marks every bundle as possibly outdated. */
  expire(): void
}

interface FunctionBundle {
  version: string
  /** The number of changes at the time of its build. */
  change: number
  /** Why the last build failed. */
  error?: unknown
}

interface Options {
  /** The folder of the sources. */
  root: string
  /** Differences from the bundles that a deployment uploads. */
  options?: BuildOptions
  /** Prints a failed build. */
  print(text: string): void
}

/** A bundle that the folder already holds is used until `expire`. */
export function createBundles({ root, options, print }: Options): Bundles {
  const bundles = new Map<string, FunctionBundle>()
  const wanted = new Map<string, FunctionBundle>()
  let building: Promise<void> | undefined
  let change = 0

  /** Functions that are called at the same time share a build, which reads common sources once. */
  const build = async (batch: [folder: string, bundle: FunctionBundle][]): Promise<void> => {
    const sources = change
    try {
      const folders = batch.map(([folder]) => folder)
      const versions = await bundleFunctions(root, folders, options)
      for (const [folder, bundle] of batch) Object.assign(bundle, { version: versions.get(folder), change: sources })
    } catch (error) {
      const [first, ...others] = batch
      if (others.length > 0) {
        for (const each of batch) await build([each])
      } else if (first) {
        print(await explain(error))
        Object.assign(first[1], { error, change: sources })
      }
    }
  }

  const buildWanted = async () => {
    const batch = [...wanted]
    wanted.clear()
    await build(batch)
  }

  return {
    refresh: async (folder) => {
      const bundle = bundles.get(folder) ?? found(folder)
      bundles.set(folder, bundle)
      bundle.error = undefined
      while (bundle.change < change || !bundle.version) {
        if (bundle.error && bundle.change === change) throw bundle.error
        wanted.set(folder, bundle)
        building ??= buildWanted().finally(() => {
          building = undefined
        })
        await building
      }
      return bundle.version
    },
    expire: () => {
      change += 1
    },
  }
}

const found = (folder: string): FunctionBundle => ({
  version: existsSync(join(folder, 'index.js')) ? 'found' : '',
  change: 0,
})

/** @returns a hash of the bundle in each folder */
async function bundleFunctions(root: string, folders: string[], options: BuildOptions = {}) {
  const outdir = parse(root).root
  const { outputFiles = [] } = await withEsbuild(({ build }) =>
    build({
      ...bundling(root, (folder) => readFileSync(join(folder, entryPointFile), 'utf8')),
      entryPoints: folders.map((folder) => ({
        in: `entry-point:${folder}`,
        out: join(relative(outdir, folder), 'index'),
      })),
      outdir,
      logLevel: 'silent',
      ...options,
      write: false,
    }),
  )
  for (const { path, contents } of outputFiles) {
    // Another service may use the same folder.
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, contents)
    renameSync(fresh, path)
  }
  return new Map(outputFiles.map(({ path, hash }) => [dirname(path), hash]))
}

/** The syntax error of a source; undefined if there is none. */
export async function syntaxError(root: string, source: string): Promise<string | undefined> {
  const path = join(root, source)
  if (!existsSync(path)) return undefined
  const options = { loader: 'ts', sourcefile: source, logLevel: 'silent' } as const
  return withEsbuild(({ transform }) => transform(readFileSync(path, 'utf8'), options)).then(() => undefined, explain)
}

async function explain(error: unknown): Promise<string> {
  const errors = error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : undefined
  if (!errors) return String(error)
  const lines = await withEsbuild(({ formatMessages }) => formatMessages(errors, { kind: 'error' }))
  return lines.join('').trimEnd()
}

let users = 0

/** Loads esbuild for its use only, and ends its process after it: both hold memory. */
async function withEsbuild<Result>(use: (esbuild: typeof import('esbuild')) => Promise<Result>): Promise<Result> {
  users += 1
  const esbuild = await import('esbuild')
  try {
    return await use(esbuild)
  } finally {
    users -= 1
    if (users === 0) await esbuild.stop()
  }
}

/** Bundles a changed function when it is called. Its packages are bundled once. */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { type BuildContext, build, context, formatMessages, type Plugin, stop, transform } from 'esbuild'
import { bundling, entryPointFile } from '../../lib/build/esbuild.ts'

interface Bundles {
  /** Updates `index.js` and returns its version. After a failed build the previous bundle stays. */
  refresh(folder: string): Promise<string>
  /** Marks every bundle as possibly outdated. */
  expire(): void
  /** Reports syntax errors of a source at once. */
  check(source: string): Promise<void>
  stop(): Promise<void>
}

interface FunctionBundle {
  context: BuildContext
  packages: Set<string>
  version: string
  /** The number of changes at the time of its build. */
  change: number
  building: Promise<void> | undefined
}

const packagesFile = 'packages.js'

/** @param print receives build errors, once per change */
export function createBundles(repo: string, print: (text: string) => void): Bundles {
  const bundles = new Map<string, Promise<FunctionBundle>>()
  const failures = new Set<string>()
  let change = 0

  const report = async (error: unknown) => {
    const text = await explain(error)
    if (!failures.has(text)) print(text)
    failures.add(text)
  }

  const rebuild = async (folder: string, bundle: FunctionBundle) => {
    const sources = change
    try {
      const { outputFiles = [] } = await bundle.context.rebuild()
      const [code] = outputFiles
      if (!code) throw new Error(`esbuild made nothing of ${folder}`)
      const packages = await bundlePackages(repo, [...bundle.packages].sort())
      copyFileSync(packages, join(folder, packagesFile))
      writeFileSync(join(folder, 'index.js'), code.contents)
      bundle.version = `${code.hash} ${packages}`
    } catch (error) {
      await report(error)
      if (!bundle.version) throw error
    } finally {
      bundle.change = sources
    }
  }

  return {
    refresh: async (folder) => {
      const opened = bundles.get(folder) ?? openBundle(repo, folder)
      bundles.set(folder, opened)
      const bundle = await opened
      while (bundle.change < change || !bundle.version) {
        bundle.building ??= rebuild(folder, bundle).finally(() => {
          bundle.building = undefined
        })
        await bundle.building
      }
      return bundle.version
    },
    expire: () => {
      failures.clear()
      change += 1
    },
    check: async (source) => {
      const path = join(repo, source)
      if (!existsSync(path)) return
      await transform(readFileSync(path, 'utf8'), { loader: 'ts', sourcefile: source, logLevel: 'silent' }).catch(
        report,
      )
    },
    stop: async () => {
      for (const opened of bundles.values()) await (await opened).context.dispose()
      await stop()
    },
  }
}

async function openBundle(repo: string, folder: string): Promise<FunctionBundle> {
  const packages = new Set<string>()
  const { plugins, ...options } = bundling(repo, () => readFileSync(join(folder, entryPointFile), 'utf8'))
  const made = await context({
    ...options,
    entryPoints: [{ in: `entry-point:${basename(folder)}`, out: 'index' }],
    outdir: folder,
    plugins: [...plugins, packagesApart(packages)],
    banner: {
      js: `require = ((own, packages) => (name) => packages[name] ?? own(name))(require, require('./${packagesFile}').packages)`,
    },
    sourcemap: 'inline',
    sourcesContent: false,
    write: false,
    logLevel: 'silent',
  })
  return { context: made, packages, version: '', change: 0, building: undefined }
}

/**
 * Excludes packages and records their names. A separate module re-exports each: a direct import of a CommonJS file from
 * TypeScript would make the whole file the default export, as in Node.
 */
const packagesApart = (packages: Set<string>): Plugin => ({
  name: 'packages-apart',
  setup(build) {
    build.onStart(() => packages.clear())
    build.onResolve({ filter: /^[^./]/ }, ({ path, namespace }) => {
      if (isBuiltin(path)) return undefined
      if (namespace === 'package') return { path, external: true }
      packages.add(path)
      return { path, namespace: 'package' }
    })
    build.onLoad({ filter: /.*/, namespace: 'package' }, ({ path }) => {
      const name = JSON.stringify(path)
      return { contents: `export * from ${name}\nexport { default } from ${name}` }
    })
  },
})

/** A file that exports the packages by name, cached until the lock file changes. */
async function bundlePackages(repo: string, names: string[]): Promise<string> {
  const lockFile = readFileSync(join(repo, 'package-lock.json'))
  const hash = createHash('sha256').update(lockFile).update(names.join('\n')).digest('hex').slice(0, 16)
  const cache = join(repo, '.berth', 'packages')
  const file = join(cache, `${hash}.js`)
  if (existsSync(file)) return file
  mkdirSync(cache, { recursive: true })
  const imports = names.map((name, at) => `import * as package${at} from ${JSON.stringify(name)}`)
  const entries = names.map((name, at) => `${JSON.stringify(name)}: { __esModule: true, ...package${at} }`)
  const { plugins: _, ...options } = bundling(repo, () => '')
  const fresh = `${file}.${process.pid}`
  await build({
    ...options,
    stdin: { contents: `${imports.join('\n')}\nexport const packages = { ${entries.join(', ')} }`, resolveDir: repo },
    outfile: fresh,
    logLevel: 'silent',
  })
  renameSync(fresh, file)
  return file
}

async function explain(error: unknown): Promise<string> {
  const errors = error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : undefined
  if (!errors) return String(error)
  return (await formatMessages(errors, { kind: 'error' })).join('').trimEnd()
}

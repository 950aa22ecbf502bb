/** `npm run dev`: like `npm start`, but functions, template and dashboard follow their sources. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { startPages } from './dev/pages.ts'
import { errorLines, sourcePositions } from './dev/source-positions.ts'
import { bundledCode } from './functions/functions.ts'
import type { Gateway } from './gateway/gateway.ts'
import { messageOf } from './kit/problem.ts'
import { fail, main } from './main.ts'
import { type Build, synthesiseInto, synthReads } from './start/builds.ts'
import { createBundles, syntaxError } from './start/bundles.ts'
import type { Options } from './start/options.ts'
import { timed } from './start/progress.ts'

/** Bundles for debuggers and stack traces. */
const readable = { minify: false, sourcemap: 'inline', sourcesContent: false } as const

/** Bundles a function when it is called. Each change synthesises the app again; a different template is deployed. */
async function develop(repo: string, { dataDir, print, progress }: Options, { server }: Gateway): Promise<Build> {
  const assemblies = join(dataDir, 'dev')
  rmSync(assemblies, { recursive: true, force: true })
  mkdirSync(assemblies, { recursive: true })
  let count = 0
  const synthesise = async (signal?: AbortSignal) => {
    count += 1
    const assembly = join(assemblies, `${count}`)
    await synthesiseInto(repo, assembly, signal)
    return assembly
  }
  const assembly = await timed(progress, 'CDK app', synthesise())
  const { vite, pages } = await timed(progress, 'Vite', startPages(repo, server))
  // Once per change: a function that fails to build is called again.
  const printed = new Set<string>()
  const printNew = (text: string) => {
    if (!printed.has(text)) print(text)
    printed.add(text)
  }
  const bundles = createBundles({ root: repo, options: readable, print: printNew })
  const positions = sourcePositions(repo)
  let stopped = false
  let change = new AbortController()
  let following = Promise.resolve()

  return {
    assembly,
    pages,
    code: {
      ...bundledCode,
      refresh: bundles.refresh,
      log: (text) => {
        const log = positions(text)
        for (const line of errorLines(log)) print(line)
        return log
      },
    },
    watch: (deploy) => {
      let deployed = templatesOf(assembly)
      const follow = async (signal: AbortSignal) => {
        const startedMs = performance.now()
        try {
          const newer = await synthesise(signal)
          const templates = templatesOf(newer)
          if (templates === deployed) return rmSync(newer, { recursive: true })
          await deploy(newer)
          deployed = templates
          print(`The CDK app changed: deployed in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
        } catch (error) {
          if (!signal.aborted) print(messageOf(error))
        }
      }
      vite.watcher.add(synthReads.map((name) => join(repo, name))).on('all', (_, path) => {
        const source = relative(repo, path)
        if (!synthReads.includes(source.split(sep)[0] ?? '') || stopped) return
        printed.clear()
        bundles.expire()
        if (source.endsWith('.ts')) syntaxError(repo, source).then((problem) => problem && printNew(problem))
        change.abort()
        change = new AbortController()
        const { signal } = change
        following = following.then(() => follow(signal))
      })
      print('Follows its sources: an edit is live at the next request.')
    },
    stop: async () => {
      stopped = true
      change.abort()
      await vite.close()
      await following
    },
  }
}

/** Asset names contain hashes of the functions' sources, so equal templates mean an equal service. */
function templatesOf(assembly: string): string {
  const names = readdirSync(assembly).filter((name) => name.endsWith('.template.json'))
  return names.map((name) => readFileSync(join(assembly, name), 'utf8')).join('\n')
}

if (import.meta.main) await main(develop).catch(fail)

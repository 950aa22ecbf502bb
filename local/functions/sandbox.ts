/** The scope of a Lambda bundle: its own `process`, `console`, `require`, `globalThis` and `awslambda`. */
import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { compileFunction, constants } from 'node:vm'
import { asStreaming, HttpResponseStream } from './response-stream.ts'

const builtins = createRequire(import.meta.url)

/**
 * Loads a CommonJS file in its own scope and returns its exports. `process.env` is exactly `env`. Only Node's modules
 * and files in its folder can be required, as in Lambda.
 */
function loadBundle(file: string, env: Record<string, string>, output: Writable): Record<string, unknown> {
  const scope = new Map<string, unknown>([
    ['process', scopedProcess(env, output)],
    ['console', new Console({ stdout: output, stderr: output })],
    ['awslambda', { streamifyResponse: asStreaming, HttpResponseStream }],
  ])
  const global = scopedGlobal(scope)
  scope.set('globalThis', global).set('global', global)
  const loaded = new Map<string, { exports: Record<string, unknown> }>()

  const load = (path: string): Record<string, unknown> => {
    const known = loaded.get(path)
    if (known) return known.exports
    const module: { exports: Record<string, unknown> } = { exports: {} }
    loaded.set(path, module)
    const source = readFileSync(path, 'utf8')
    if (path.endsWith('.json')) {
      module.exports = JSON.parse(source)
      return module.exports
    }
    const require = (name: string): unknown => {
      if (name === 'process' || name === 'node:process') return scope.get('process')
      if (isBuiltin(name)) return builtins(name)
      if (name.startsWith('.')) return load(builtins.resolve(resolve(dirname(path), name)))
      throw new Error(`Cannot find module '${name}': the bundle of ${path} must contain it`)
    }
    const parameters = ['exports', 'require', 'module', '__filename', '__dirname', ...scope.keys()]
    const run = compileFunction(source, parameters, {
      filename: path,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
    run.call(module.exports, module.exports, require, module, path, dirname(path), ...scope.values())
    return module.exports
  }
  return load(file)
}

export function loadHandler(folder: string, handler: string, env: Record<string, string>, output: Writable): unknown {
  const dot = handler.lastIndexOf('.')
  return loadBundle(builtins.resolve(join(folder, handler.slice(0, dot))), env, output)[handler.slice(dot + 1)]
}

function scopedProcess(env: Record<string, string>, output: Writable): NodeJS.Process {
  const own: Record<string | symbol, unknown> = {
    env,
    stdout: output,
    stderr: output,
    argv: [],
    // A function must not end the service or receive its signals.
    exit: (code?: number) => {
      throw new Error(`process.exit(${code ?? 0}) was called`)
    },
  }
  for (const name of ['on', 'once', 'addListener', 'prependListener']) own[name] = () => scoped
  const scoped: NodeJS.Process = new Proxy(process, {
    get: (target, key) => (key in own ? own[key] : Reflect.get(target, key)),
    set: (_, key, value) => {
      own[key] = value
      return true
    },
  })
  return scoped
}

/** The global object, with the function's own values on top. */
const scopedGlobal = (scope: Map<string, unknown>): typeof globalThis =>
  new Proxy(globalThis, {
    get: (target, key) => (typeof key === 'string' && scope.has(key) ? scope.get(key) : Reflect.get(target, key)),
    has: (target, key) => (typeof key === 'string' && scope.has(key)) || Reflect.has(target, key),
    set: (target, key, value) =>
      typeof key === 'string' && scope.has(key) ? Boolean(scope.set(key, value)) : Reflect.set(target, key, value),
  })

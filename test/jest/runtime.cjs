const { readFileSync, statSync } = require('node:fs')
const { createRequire, stripTypeScriptTypes } = require('node:module')
const { dirname } = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { SourceTextModule, SyntheticModule } = require('node:vm')
const Runtime = require('jest-runtime').default

/** This worker's cache: a file's program, a package's exports, and the packages that are still loading. */
const programs = new Map()
const packages = new Map()
const loading = new Map()

/** Modules that all files of this worker share, by URL or name: packages, and stateless modules of the product. */
const shared = new Map()
const linked = new WeakSet()

/** Modules of the product with state; `environment.test.ts` finds them by their text. */
const stateful = ['app/models/settle-call.ts', 'app/models/stop-repetition.ts', 'app/models/telling-of-limits.ts']

/** The versions with which the loader was tried. Before you change them, read "What breaks it" in docs/adr/095. */
const madeFor = { jest: '30.5.2', node: '24' }

const globals = '@jest/globals'

/**
 * Each test file gets fresh copies of the project's stateful modules, as in jest, but in the worker's own realm and with
 * Node's own TypeScript support; stateless modules and packages are loaded once per worker. See docs/adr/095.
 */
class Loader extends Runtime {
  static stateful = stateful
  static madeFor = madeFor

  /** Names of jest's and Node's internals that the loader uses and these classes lack. */
  static missing(jest = Runtime, node = SourceTextModule) {
    const replaced = Object.getOwnPropertyNames(Loader.prototype).filter((name) => name !== 'constructor')
    return [
      ...[...replaced, 'requireModuleOrMock'].filter((name) => !(name in jest.prototype)),
      ...['moduleRequests', 'linkRequests', 'instantiate'].filter((name) => !(name in node.prototype)),
    ]
  }

  #modules = new Map()
  #product = new RegExp(`^${pathToFileURL(this._config.rootDir)}/(domain|app|lambdas)/`)
  #ours = new RegExp(`^${pathToFileURL(this._config.rootDir)}/(?!node_modules/).*\\.(ts|js|mjs)(\\?.*)?$`)
  #stateful = new Set(stateful.map((path) => `${pathToFileURL(this._config.rootDir)}/${path}`))

  /** The process is the worker's own, unchanged. */
  installGetBuiltinModule() {}

  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(path) {
    return this.#import(pathToFileURL(path).href)
  }

  requireModule(path) {
    return createRequire(path)(path)
  }

  /** jest's own framework, which stores the tests of one file in its module and in a global. */
  requireInternalModule(path) {
    const required = createRequire(path)
    delete required.cache[path]
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    return required(path)
  }

  teardown() {
    super.teardown()
    this.#modules.clear()
    if ([...programs].some(([filename, { at }]) => statSync(filename).mtimeMs !== at)) shared.clear()
  }

  /** Loads a module of the project with its imports. Once the packages are loaded, the rest is synchronous. */
  async #import(url) {
    this.#read(url)
    await Promise.all(loading.values())
    const module = this.#link(url)
    if (module.status === 'unlinked') module.instantiate()
    await module.evaluate()
    return module.namespace
  }

  #resolve(name, from) {
    return /^\.{0,2}\//.test(name) ? new URL(name, from).href : name
  }

  /** Reads the imports of a module of the project, and starts to load missing packages. Returns whether the module is shared. */
  #read(url) {
    if (shared.has(url) || this.#modules.has(url)) return shared.has(url)
    const module = this.#compile(url)
    this.#modules.set(url, module)
    let isShared = this.#product.test(url) && !this.#stateful.has(url)
    for (const { specifier, attributes } of module.moduleRequests) {
      const name = this.#resolve(specifier, url)
      if (this.#ours.test(name)) isShared = this.#read(name) && isShared
      else if (name !== globals && !packages.has(name)) load(name, { with: attributes })
    }
    if (isShared) shared.set(url, module)
    return isShared
  }

  #compile(url) {
    const filename = fileURLToPath(url)
    const meta = { url, filename, dirname: dirname(filename), main: false, resolve: (name) => this.#resolve(name, url) }
    return new SourceTextModule(program(filename), {
      identifier: filename,
      initializeImportMeta: (given) => Object.assign(given, meta),
      importModuleDynamically: (specifier, _, attributes) => {
        const name = this.#resolve(specifier, url)
        return this.#ours.test(name) ? this.#import(name) : import(name, { with: attributes })
      },
    })
  }

  #link(url) {
    const module = shared.get(url) ?? this.#modules.get(url) ?? this.#wrap(url)
    if (linked.has(module)) return module
    linked.add(module)
    const requests = module.moduleRequests ?? []
    module.linkRequests?.(requests.map(({ specifier }) => this.#link(this.#resolve(specifier, url))))
    return module
  }

  #wrap(name) {
    const exports = name === globals ? this.requireModuleOrMock(__filename, globals) : packages.get(name)
    const names = Object.keys(exports)
    const module = new SyntheticModule(names, () => {
      for (const exported of names) module.setExport(exported, exports[exported])
    })
    const modules = name === globals ? this.#modules : shared
    modules.set(name, module)
    return module
  }
}

const missing = Loader.missing()
if (missing.length > 0)
  throw new Error(`this jest or Node has no ${missing.join(', ')}, which test/jest/runtime.cjs needs: see docs/adr/095`)
module.exports = Loader

function load(name, options) {
  if (loading.has(name)) return
  const loaded = import(name, options).then((exports) => packages.set(name, exports))
  loading.set(
    name,
    loaded.finally(() => loading.delete(name)),
  )
}

/** A file's program as Node runs it, read again after a change. */
function program(filename) {
  const at = statSync(filename).mtimeMs
  const read = programs.get(filename)
  if (read?.at === at) return read.text
  const source = readFileSync(filename, 'utf8')
  const text = filename.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  programs.set(filename, { at, text })
  return text
}

const { readFileSync, statSync } = require('node:fs')
const { createRequire, stripTypeScriptTypes } = require('node:module')
const { dirname } = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { SourceTextModule, SyntheticModule } = require('node:vm')
const Runtime = require('jest-runtime').default

/** What this worker has read: a file's program, a package's exports. */
const programs = new Map()
const packages = new Map()

const globals = '@jest/globals'

/**
 * A test file gets the project's modules to itself, as jest gives them, but in the worker's own realm and as Node reads
 * TypeScript; packages are Node's own, loaded once a worker. See docs/adr/095.
 */
module.exports = class extends Runtime {
  #modules = new Map()
  #linked = new Set()
  #ours = new RegExp(`^${pathToFileURL(this._config.rootDir)}/(?!node_modules/).*\\.(ts|js|mjs)(\\?.*)?$`)

  /** The process is the worker's own: nothing of it is replaced. */
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

  /** jest's own framework, which keeps the tests of one file in its module and in a global. */
  requireInternalModule(path) {
    const required = createRequire(path)
    delete required.cache[path]
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    return required(path)
  }

  teardown() {
    super.teardown()
    this.#modules.clear()
    this.#linked.clear()
  }

  /** Loads a module of ours with all it imports. Once the packages are there, nothing comes in between. */
  async #import(url) {
    const missing = new Map()
    this.#read(url, missing)
    await Promise.all([...missing].map(async ([name, options]) => packages.set(name, await import(name, options))))
    const module = this.#link(url)
    if (module.status === 'unlinked') module.instantiate()
    await module.evaluate()
    return module.namespace
  }

  #resolve(name, from) {
    return /^\.{0,2}\//.test(name) ? new URL(name, from).href : name
  }

  /** Reads what a module of ours imports, and names the packages that are not there yet. */
  #read(url, missing, seen = new Set()) {
    if (seen.has(url)) return
    seen.add(url)
    if (!this.#modules.has(url)) this.#modules.set(url, this.#compile(url))
    for (const { specifier, attributes } of this.#modules.get(url).moduleRequests) {
      const name = this.#resolve(specifier, url)
      if (this.#ours.test(name)) this.#read(name, missing, seen)
      else if (name !== globals && !packages.has(name)) missing.set(name, { with: attributes })
    }
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
    const module = this.#modules.get(url) ?? this.#wrap(url)
    if (this.#linked.has(module)) return module
    this.#linked.add(module)
    const requests = module.moduleRequests ?? []
    module.linkRequests?.(requests.map(({ specifier }) => this.#link(this.#resolve(specifier, url))))
    return module
  }

  #wrap(name) {
    const exports = name === globals ? this.requireModuleOrMock(__filename, globals) : packages.get(name)
    const names = Object.keys(exports)
    const module = new SyntheticModule(names, () => {
      for (const one of names) module.setExport(one, exports[one])
    })
    this.#modules.set(name, module)
    return module
  }
}

/** A file as Node runs it, read again once it was changed. */
function program(filename) {
  const at = statSync(filename).mtimeMs
  const read = programs.get(filename)
  if (read?.at === at) return read.text
  const source = readFileSync(filename, 'utf8')
  const text = filename.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  programs.set(filename, { at, text })
  return text
}

const { mkdtempSync } = require('node:fs')
const { rm } = require('node:fs/promises')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { ModuleMocker } = require('jest-mock')
const { ModernFakeTimers } = require('@jest/fake-timers')

/**
 * A test file runs with the worker's own globals. Its changes to globals and to the process are undone after it, and
 * its folder of temporary files is deleted.
 */
module.exports = class {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #folder = process.cwd()
  #temporary = ''
  #before = [globalThis, process, process.env].map((object) => [object, Object.getOwnPropertyDescriptors(object)])

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis })
  }

  getVmContext() {
    return null
  }

  async setup() {
    // Short, because the paths of sockets have a maximum length.
    this.#temporary = mkdtempSync(join(tmpdir(), 'berth-'))
    process.env.TMPDIR = this.#temporary
  }

  async teardown() {
    this.fakeTimersModern.dispose()
    process.chdir(this.#folder)
    for (const [object, properties] of this.#before) restore(object, properties)
    // A process that is still ending can write there until then.
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined)
  }
}

function restore(object, before) {
  for (const key of Reflect.ownKeys(object)) if (!Object.hasOwn(before, key)) Reflect.deleteProperty(object, key)
  for (const key of Reflect.ownKeys(before)) {
    const now = Object.getOwnPropertyDescriptor(object, key)
    const same = now && Object.is(now.value, before[key].value) && now.get === before[key].get
    if (!same) Object.defineProperty(object, key, before[key])
  }
}

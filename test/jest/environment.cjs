const { ModuleMocker } = require('jest-mock')
const { ModernFakeTimers } = require('@jest/fake-timers')

/** A test file runs among the worker's own globals. What it leaves changed in them, or in the process, is put back after it. */
module.exports = class {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  #folder = process.cwd()
  #before = [globalThis, process, process.env].map((one) => [one, Object.getOwnPropertyDescriptors(one)])

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis })
  }

  getVmContext() {
    return null
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose()
    process.chdir(this.#folder)
    for (const [one, properties] of this.#before) restore(one, properties)
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

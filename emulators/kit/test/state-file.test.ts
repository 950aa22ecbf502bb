import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { openState } from '../state-file.ts'
import { until } from './until.ts'

const folder = mkdtempSync(join(tmpdir(), 'emulator-state-'))
afterAll(() => rmSync(folder, { recursive: true }))

const open = (name: string, everyMs?: number) =>
  openState(join(folder, name), z.object({ count: z.number() }), { count: 0 }, everyMs)
const written = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

test('a state is on disk as soon as it is saved', () => {
  const state = open('each')
  expect(existsSync(join(folder, 'each'))).toBe(false)
  for (state.value.count = 1; state.value.count < 4; state.value.count++) {
    state.save()
    expect(written('each')).toEqual(state.value)
  }
})

test('a state that changes often is written at once, then at intervals, and no change is lost', async () => {
  const state = open('often', 100)
  for (let i = 1; i <= 50; i++) {
    state.value.count = i
    state.save()
  }
  expect(written('often')).toEqual({ count: 1 })
  await until(() => written('often').count === 50)
  expect(open('often').value).toEqual({ count: 50 })
})

test('a pending state is written on request, and no other', () => {
  const state = open('flushed', 60_000)
  state.flush()
  expect(existsSync(join(folder, 'flushed'))).toBe(false)
  for (const count of [1, 2, 3]) {
    state.value.count = count
    state.save()
  }
  expect(written('flushed')).toEqual({ count: 1 })
  state.flush()
  expect(written('flushed')).toEqual({ count: 3 })
})

import { describe, expect, test } from '@jest/globals'
import { pagePaths } from '../../domain/dashboard-pages.ts'
import { inFolder } from '../shape/sources.ts'

/** Addresses below the public origin that are not pages. */
const others = ['/', '/api', '/.well-known/security.txt']

describe('a link in an e-mail, chat or response', () => {
  test('leads to an existing page', () => {
    const links = ['domain', 'app', 'lambdas', 'adapters'].flatMap(inFolder).flatMap(({ path, text }) =>
      [...text.matchAll(/\$\{(?:\w+\.)*\w*[oO]rigin\}(\/[a-z/.-]*)/g)].map(([, to = '']) => ({
        path,
        to: to.replace(/\.$/, ''),
      })),
    )
    expect(links.length).toBeGreaterThan(20)
    expect(links.filter(({ to }) => ![...pagePaths, ...others].includes(to))).toEqual([])
  })
})

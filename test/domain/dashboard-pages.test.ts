import { describe, expect, test } from '@jest/globals'
import { pagePaths } from '../../domain/dashboard-pages.ts'
import { inFolder } from '../shape/sources.ts'

/** Addresses below the public origin that are no pages. */
const others = ['/', '/api', '/.well-known/security.txt']

describe('links in mails, chats and answers', () => {
  test('lead to pages that are there', () => {
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

import { bannerLines, routeLines } from '../../../local/start/banner.ts'

const url = 'http://127.0.0.1:8787'

describe('the lines of npm start when it is ready', () => {
  test.each([[['local']], [['local', 'own', 'anthropic']]])('with providers %j has at most ten lines', (providers) => {
    // The last line is `Ready on …`.
    expect(bannerLines({ url, providers }).length).toBeLessThan(10)
  })

  test('says where to sign in, where the e-mail is, and how to get a real model', () => {
    const text = bannerLines({ url, providers: ['local'] }).join('\n')
    for (const part of [`${url}/local/mail`, 'ANTHROPIC_API_KEY=', 'OPENAI_BASE_URL=', 'claude mcp add', 'curl -s'])
      expect(text).toContain(part)
  })

  test('names the providers whose models answer', () => {
    const text = bannerLines({ url, providers: ['local', 'anthropic', 'own'] }).join('\n')
    expect(text).toContain('anthropic, own')
    expect(text).not.toContain('stand-in')
  })
})

test('--routes lists each route with its source file', () => {
  const routes = [{ method: 'GET', path: '/health', operation: 'getHealth' }]
  // safe because only these fields are printed
  const lines = routeLines(`${import.meta.dirname}/../../..`, { stage: 'api', routes } as never)
  expect(lines).toEqual(['  GET    /api/health  lambdas/public/get-health.ts'])
})

import { describe, expect, test } from '@jest/globals'
import { unaudited } from '../../../app/outbox/outbox.ts'
import { listMachineModels } from '../../../lambdas/llm/list-machine-models.ts'
import { echo, memoryWallets, modelsOver, testBasics } from './ports.ts'

describe('listMachineModels', () => {
  const list = () =>
    listMachineModels.run({
      input: {},
      actor: { kind: 'machine', userId: 'usr_1', instanceId: 'ins_1', generation: 1, audience: 'llm' },
      deps: { ...testBasics(), ...memoryWallets(0), models: modelsOver('http://127.0.0.1:9') },
      now: Date.now(),
      request: {
        id: 'req_1',
        ip: '192.0.2.1',
        headers: {},
        rawBody: '',
        method: 'GET',
        target: '/llm/proxy/v1/models',
        query: {},
      },
      cookie: () => null,
      setCookie() {},
      admit: async () => {},
      outboxFor: unaudited,
      claims: [],
      countAs: async () => {},
      setRateWindow() {},
      reportError() {},
    })

  test('returns a list in the form of both vendors’ APIs, without prices and provider details', async () => {
    const listed = await list()
    expect(listMachineModels.output.parse(listed)).toEqual(listed)
    expect(listed).toEqual({
      object: 'list',
      data: [
        {
          id: echo.id,
          object: 'model',
          created: 0,
          owned_by: 'local',
          type: 'model',
          display_name: echo.id,
          created_at: '1970-01-01T00:00:00Z',
          context_window: 128_000,
          architecture: { output_modalities: ['text'] },
        },
      ],
      has_more: false,
      first_id: echo.id,
      last_id: echo.id,
    })
  })
})

import { describe, expect, test } from '@jest/globals'
import { connectTexts } from '../../../dashboard/texts/connect.ts'
import { instanceTexts } from '../../../dashboard/texts/instance.ts'
import type { Event } from '../../../domain/chat/event.ts'
import { notificationFor } from '../../../domain/notifications/from-event.ts'

const toldOf = (type: Event['type'], data: Event['data'] = {}) =>
  notificationFor({ id: 'evt_01KAHB2N3P4Q5R6S7T8V9WXYZ0', type, at: '2026-11-20T12:00:00.000Z', data })

describe('the notification for an event', () => {
  test('links to the part of the page that it concerns', () => {
    const parts = [toldOf('account.endpoint_disabled'), toldOf('schedule.failed')].map((it) => it?.page)
    expect(parts).toEqual(['/connect?tab=webhooks', '/instance?tab=schedules'])
    expect([connectTexts.tabs, instanceTexts.tabs]).toMatchObject([
      { webhooks: expect.any(String) },
      { schedules: expect.any(String) },
    ])
  })
})

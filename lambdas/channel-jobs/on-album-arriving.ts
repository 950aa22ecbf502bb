import * as z from 'zod'
import { processChat } from '../../app/channels/process.ts'
import { albumQuietMs } from '../../domain/channels/album.ts'
import { chat } from '../../domain/channels/inbound.ts'
import { job } from '../kit/job.ts'
import { processing } from './uses.ts'

/** Waits for the rest of an album in its own invocation: an invocation of the stream would delay other chats. */
export const onAlbumArriving = job({
  id: 'onAlbumArriving',
  on: { bus: 'berth', source: 'berth', detailType: 'album.arriving' },
  input: z.object({ album: z.object({ chat: chat.pick({ platform: true, id: true }), from: z.string() }) }),
  uses: processing,
  run: async ({ input: { album }, deps }) => {
    await deps.clock.sleep(albumQuietMs)
    await processChat(deps, album.chat, album.from, deps.clock.now())
  },
})

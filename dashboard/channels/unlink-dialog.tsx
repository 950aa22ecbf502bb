import { useEffect, useRef } from 'react'
import type { ChannelLink } from '../../clients/typescript/operations.ts'
import { berth } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { useAction } from '../components/use-action.ts'
import { channelTexts } from '../texts/channels.ts'
import { chatName } from './chat-name.ts'

const words = channelTexts.unlink

interface Props {
  channel: ChannelLink
  onClose: (unlinked: boolean) => void
}

export function UnlinkDialog({ channel, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const unlink = useAction(async () => {
    await berth.deleteChannel({ id: channel.id })
    dialog.current?.close('unlinked')
  })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="unlink-title"
      aria-describedby="unlink-words"
      onClose={(event) => onClose(event.currentTarget.returnValue === 'unlinked')}
    >
      <h2 id="unlink-title">{words.title(chatName(channel))}</h2>
      <p id="unlink-words">{words.words(channel.kind === 'direct')}</p>
      <p className="field-problem" role="alert">
        {unlink.problem}
      </p>
      <div className="buttons end">
        <Button onClick={() => dialog.current?.close()}>{words.keep}</Button>
        <Button variant="danger" busy={unlink.busy} onClick={() => unlink.run()}>
          {words.unlink}
        </Button>
      </div>
    </dialog>
  )
}

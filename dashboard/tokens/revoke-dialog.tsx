import { useEffect, useRef } from 'react'
import type { Pat } from '../../domain/tokens/pat.ts'
import { api } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { useAction } from '../parts/use-action.ts'

export function RevokeDialog({ token, onClose }: { token: Pat; onClose: (revoked: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const revoke = useAction(async () => {
    await api.revoke(token.id)
    dialog.current?.close('revoked')
  })
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="revoke-title"
      aria-describedby="revoke-words"
      onClose={(event) => onClose(event.currentTarget.returnValue === 'revoked')}
    >
      <h2 id="revoke-title">Revoke “{token.name}”?</h2>
      <p id="revoke-words">
        Whatever uses <code>{token.tokenPrefix}…</code> stops working at once, and so do tokens it made itself. This
        cannot be undone.
      </p>
      <p className="field-problem" role="alert">
        {revoke.problem}
      </p>
      <div className="buttons end">
        <Button onPress={() => dialog.current?.close()}>Keep it</Button>
        <Button look="danger" busy={revoke.busy} onPress={() => revoke.run()}>
          Revoke token
        </Button>
      </div>
    </dialog>
  )
}

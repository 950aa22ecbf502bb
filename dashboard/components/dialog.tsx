import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'

/** Closes the dialog and tells its page whether the work was done. */
export type CloseDialog = (done: boolean) => void

interface DialogProps extends Omit<ComponentProps<'dialog'>, 'children' | 'onClose'> {
  'aria-label': string
  children: ReactNode | ((close: CloseDialog) => ReactNode)
  onClose: (done: boolean) => void
}

/** A modal dialog. Escape closes it with nothing done. */
export function Dialog({ children, onClose, ...dialog }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => element.current?.showModal(), [])
  return (
    <dialog
      className="dialog"
      {...dialog}
      ref={element}
      onClose={(event) => onClose(event.currentTarget.returnValue === 'done')}
    >
      {typeof children === 'function' ? children((done) => element.current?.close(done ? 'done' : '')) : children}
    </dialog>
  )
}

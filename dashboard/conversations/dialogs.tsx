import { useState } from 'react'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { texts } from '../texts/index.ts'
import { deleteConversation, type Listed, shownTitle, updateConversation } from './list.ts'
import type { Asked } from './row.tsx'

const words = texts.chat.menu

interface DialogProps {
  conversation: Listed
  onClose: () => void
}

export const ConversationDialog = ({
  about,
  onDeleted,
  ...props
}: Asked & { onClose: () => void; onDeleted: (id: string) => void }) =>
  about === 'title' ? <RenameDialog {...props} /> : <DeleteDialog {...props} onDeleted={onDeleted} />

function RenameDialog({ conversation, onClose }: DialogProps) {
  const [title, setTitle] = useState(conversation.title ?? '')
  return (
    <ConfirmDialog
      title={words.renameTitle}
      confirm={words.rename}
      variant="primary"
      disabled={title.trim() === ''}
      act={() => updateConversation(conversation.id, { title: title.trim() })}
      onClose={onClose}
    >
      <TextField label={words.title} value={title} maxLength={120} required dir="auto" onText={setTitle} />
    </ConfirmDialog>
  )
}

const DeleteDialog = ({ conversation, onClose, onDeleted }: DialogProps & { onDeleted: (id: string) => void }) => (
  <ConfirmDialog
    title={words.deleteTitle(shownTitle(conversation))}
    hint={words.deleteHint}
    confirm={words.delete}
    act={() => deleteConversation(conversation.id)}
    onClose={(isDeleted) => {
      onClose()
      if (isDeleted) onDeleted(conversation.id)
    }}
  />
)

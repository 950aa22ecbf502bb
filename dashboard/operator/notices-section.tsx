import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Form } from '../components/form.tsx'
import { Loading } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { refresh, useRead } from '../data/cache.ts'
import { berth } from '../data/client.ts'
import { showDayTime } from '../format.ts'
import { operatorTexts as words } from '../texts/operator.ts'
import { ActButton, ActDialog } from './act-dialog.tsx'

interface Draft {
  text: string
  users: string[] | null
  days: number
}

export function NoticesSection() {
  const { data, problem, reload } = useRead('listOperatorNotices')
  const [draft, setDraft] = useState<Draft | null>(null)
  const close = (done: boolean) => {
    setDraft(null)
    if (done) refresh('listOperatorNotices', 'listNotices')
  }
  return (
    <>
      <p className="muted page-lead">{words.notices.lead}</p>
      <NoticeForm onDraft={setDraft} />
      <section aria-labelledby="standing-title">
        <h2 id="standing-title">{words.notices.standing}</h2>
        {!data && <Loading problem={problem} retry={reload} />}
        {data?.notices.length === 0 && <p className="muted">{words.notices.none}</p>}
        {data && data.notices.length > 0 && (
          <ul className="card rows">
            {data.notices.map((notice) => (
              <li key={notice.id} className="row">
                <div className="row-text">
                  <p>{notice.text}</p>
                  <p className="muted">
                    {notice.to === null ? words.notices.everybody : words.notices.some(notice.to.length)} ·{' '}
                    {words.notices.until(showDayTime(notice.until))}
                  </p>
                </div>
                <ActButton
                  label={words.notices.withdraw}
                  title={words.notices.withdrawTitle}
                  hint={notice.text}
                  upon="service"
                  act={(reason) => berth.withdrawNotice({ notice: notice.id, reason })}
                />
              </li>
            ))}
          </ul>
        )}
      </section>
      {draft && (
        <ActDialog
          title={words.notices.title(draft.users?.length ?? null)}
          hint={draft.text}
          upon="service"
          act={(reason, idempotencyKey) =>
            berth.broadcastNotice(
              { text: draft.text, days: draft.days, reason, ...(draft.users && { users: draft.users }) },
              { idempotencyKey },
            )
          }
          onClose={close}
        />
      )}
    </>
  )
}

function NoticeForm({ onDraft }: { onDraft: (draft: Draft) => void }) {
  const [text, setText] = useState('')
  const [users, setUsers] = useState('')
  const [days, setDays] = useState('7')
  const submit = () => {
    const named = users.split(/[\s,]+/).filter(Boolean)
    onDraft({ text: text.trim(), users: named.length > 0 ? named : null, days: Number(days) })
  }
  return (
    <Form className="card operator-form" noValidate={false} onSubmit={submit}>
      <TextField label={words.notices.text} required maxLength={500} value={text} onText={setText} />
      <TextField label={words.notices.users} hint={words.notices.usersHint} value={users} onText={setUsers} />
      <TextField label={words.notices.days} type="number" required min={1} max={30} value={days} onText={setDays} />
      <div className="buttons">
        <Button submit variant="primary">
          {words.notices.send}
        </Button>
      </div>
    </Form>
  )
}

export const welcomeTexts = {
  developers: 'Do you write programs?',
  apiDocs: 'Read the documentation of the API',
  documentTitle: 'Berth: an agent of your own',
  claim: 'An agent of your own, safe to leave running',
  lead: 'It has a machine that stays, a wallet it cannot overdraw, and one conversation with you: here, in Telegram, Slack and Discord, and from your own programs.',
  promises: [
    {
      title: 'A machine of its own',
      text: 'Its files stay. It sleeps when nothing happens, and wakes for a message or a schedule.',
    },
    {
      title: 'A wallet that cannot be overdrawn',
      text: 'You pay in advance. Every model call has a receipt, and calls stop when the money is used up.',
    },
    {
      title: 'You stay in charge',
      text: 'It asks you before the actions you choose. You can pause it, undo the changes of a reply, and export your data.',
    },
  ],
  sample: {
    caption: 'A sample of a morning',
    /** In order of time; `step` is what the agent does, `ask` a request for approval. */
    lines: [
      { who: 'you', text: 'Every weekday at eight: read my mail and tell me what matters.' },
      { who: 'agent', text: 'Done. I wake at 08:00 and write you a brief.' },
      { who: 'step', text: 'read 14 mails' },
      { who: 'step', text: 'wrote briefs/monday.md' },
      { who: 'agent', text: 'Two things matter today: the harbour closes at noon, and Ada waits for your answer.' },
      { who: 'ask', text: 'May I send Ada the answer that I drafted?' },
      { who: 'you', text: 'Yes' },
    ],
  },
  costs: 'What it costs',
  costsLead:
    'A plan includes the machine and credit for model calls. Further calls are paid from your wallet. Your card is never charged without your consent.',
}

const words = {
  title: 'Prompts to try',
  ideas: [
    'Look around on your machine and tell me what you can do for me.',
    'Keep a list of books that I want to read in books.md. The first is “Middlemarch”.',
    'Every weekday at eight, write me three good questions for the day.',
  ],
}

export const PromptIdeas = ({ onPick }: { onPick: (text: string) => void }) => (
  <ul className="prompt-ideas" aria-label={words.title}>
    {words.ideas.map((idea) => (
      <li key={idea}>
        <button type="button" className="chip" onClick={() => onPick(idea)}>
          {idea}
        </button>
      </li>
    ))}
  </ul>
)

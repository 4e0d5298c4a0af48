/** One message of a conversation. */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * The words that a policy is sampled with: a conversation, or plain text that it goes on with, as a small model answers better. `start` is
 * the end of that text which belongs to the answer.
 */
export type PolicyPrompt =
  { form: 'chat'; messages: readonly Message[] } | { form: 'text'; text: string; start: string };

/** The whole answer that a completion is the rest of. */
export const answerOf = (prompt: PolicyPrompt, completion: string): string =>
  prompt.form === 'text' ? prompt.start + completion : completion;

/** A prompt with more words: behind the last message of the user's, or in one of its own; before a text that is gone on with. */
export function withExtraText(prompt: PolicyPrompt, words: readonly string[]): PolicyPrompt {
  const more = words.join('\n\n');
  if (prompt.form === 'text') return { ...prompt, text: `${more}\n\n${prompt.text}` };
  const { messages } = prompt;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  if (at < 0) return { form: 'chat', messages: [...messages, { role: 'user', content: more }] };
  const joined = messages.map((one, i) => (i === at ? { ...one, content: `${one.content}\n\n${more}` } : one));
  return { form: 'chat', messages: joined };
}

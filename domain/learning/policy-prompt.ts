/** One message of a conversation. */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * A prompt for a policy: a conversation, or plain text that the policy continues, which gives better answers from a
 * small model. `start` is the end of that text; it belongs to the answer.
 */
export type PolicyPrompt =
  { form: 'chat'; messages: readonly Message[] } | { form: 'text'; text: string; start: string };

/** The whole answer: the completion, after the prompt's `start` if there is one. */
export const answerOf = (prompt: PolicyPrompt, completion: string): string =>
  prompt.form === 'text' ? prompt.start + completion : completion;

/**
 * A prompt with extra paragraphs. A conversation gets them at the end of its last user message, or in a new message if
 * there is none. A text gets them at its beginning, since the policy continues its end.
 */
export function withExtraText(prompt: PolicyPrompt, paragraphs: readonly string[]): PolicyPrompt {
  const more = paragraphs.join('\n\n');
  if (prompt.form === 'text') return { ...prompt, text: `${more}\n\n${prompt.text}` };
  const { messages } = prompt;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  if (at < 0) return { form: 'chat', messages: [...messages, { role: 'user', content: more }] };
  const joined = messages.map((message, i) =>
    i === at ? { ...message, content: `${message.content}\n\n${more}` } : message,
  );
  return { form: 'chat', messages: joined };
}

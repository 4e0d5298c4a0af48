import type { Turn } from '../../domain/gateway/conversation/turn.ts';
import { inputText } from './conversation.ts';

/** A message as one text: reasoning, text, tool calls and results. */
export const turnText = ({ reasoning, text, calls, results }: Turn): string =>
  [
    reasoning === '' ? '' : `(reasoning) ${reasoning}`,
    text,
    ...calls.map(({ name, input }) => `→ ${name}: ${inputText(input)}`),
    ...results.map(({ output }) => `← ${output}`),
  ]
    .filter((part) => part !== '')
    .join('\n');

import type { Turn } from '../../domain/gateway/conversation/turn.ts';
import { inputText, readConversation, type StoredCall } from '../trial/conversation.ts';
import { turnText } from '../trial/turn-text.ts';

/** A message on a page. */
export interface ShownMessage {
  role: string;
  text: string;
}

/** A tool call of a model, with its result. */
export interface ShownToolUse {
  name: string;
  input: string;
  /** Result of the call; null if there is none. */
  output: string | null;
}

/** A call on a page: its texts, each cut. */
export interface ShownCall {
  bodies: 'kept' | 'removed' | 'withheld';
  before: number;
  messages: ShownMessage[];
  answer: string | null;
  tools: ShownToolUse[];
}

/** Largest number of characters of a text that is sent to a page, and of all texts of a conversation. */
const MOST_CHARACTERS = 200_000;
const MOST_IN_ALL = 4_000_000;

/** A text for a page, cut with a note on the number of missing characters. */
export const cutText = (text: string, most = MOST_CHARACTERS): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n… (${text.length - most} characters more)`;

/** A conversation for a page. Results that stand beside their tool calls are not shown as messages again. */
export function showConversation<C extends StoredCall>(calls: readonly C[]): { call: C; shown: ShownCall }[] {
  let left = MOST_IN_ALL;
  const cut = (text: string): string => {
    const shown = cutText(text, Math.min(MOST_CHARACTERS, left));
    left = Math.max(0, left - shown.length);
    return shown;
  };
  const paired = new Set<string>();
  return readConversation(calls).map(({ call, bodies, before, messages, answer, tools }) => {
    const shown = {
      bodies,
      before,
      messages: messages
        .filter((turn) => !isPaired(turn, paired))
        .map((turn) => ({ role: turn.role, text: cut(turnText(turn)) })),
      answer: answerText(answer) === '' && tools.length > 0 ? null : answer && cut(answerText(answer)),
      tools: tools.map(({ name, input, output }) => ({
        name,
        input: cut(inputText(input)),
        output: output === null ? null : cut(output),
      })),
    };
    for (const { id, name, output } of tools) if (output !== null) paired.add(id ?? name);
    return { call, shown };
  });
}

/** Text of an answer without its tool calls, which a page shows with their results. */
const answerText = (answer: Turn | null): string => (answer ? turnText({ ...answer, calls: [] }) : '');

const isPaired = ({ text, reasoning, calls, results }: Turn, paired: ReadonlySet<string>): boolean =>
  text === '' &&
  reasoning === '' &&
  calls.length === 0 &&
  results.length > 0 &&
  results.every(({ id }) => id !== null && paired.has(id));

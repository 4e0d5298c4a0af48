import type { Protocol } from '../gateway/call.ts';
import { cleanText } from '../json/clean-text.ts';
import { readAnswer } from '../gateway/conversation/read.ts';

/** The text of the newest answer that calls no tool; empty if there is none. `latest`: answers, the newest first. */
export function lastMessage(latest: readonly { protocol: Protocol; body: string }[]): string {
  const turns = latest.map(({ protocol, body }) => readAnswer(protocol, body));
  return cleanText(turns.find(({ text, calls }) => calls.length === 0 && text.trim() !== '')?.text ?? '');
}

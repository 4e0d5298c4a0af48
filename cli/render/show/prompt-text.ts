import type { CallRow } from '../../../db/reads/read-trial.ts';
import { readAnswer, readRequest } from '../../../domain/gateway/conversation/read.ts';
import { turnText } from '../../../view/trial/turn-text.ts';

type Stored = Pick<CallRow, 'protocol' | 'request' | 'answer' | 'removedAt'>;

/** Text of a stored request: its messages with their roles, else the whole request as JSON. */
export function promptText({ protocol, request, removedAt }: Stored): string {
  if (removedAt !== null) return '(removed: older than PERPETUA_CALL_DAYS)';
  return readRequest(protocol, request)
    .map((turn) => `[${turn.role}]\n${turnText(turn)}`)
    .join('\n\n');
}

/** Text of a stored answer, with its tool calls; null if there is none. */
export const answerText = ({ protocol, answer }: Stored): string | null =>
  answer === null ? null : turnText(readAnswer(protocol, answer));

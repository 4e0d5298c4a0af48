import { describeEvent } from '../event/describe.ts';
import type { NewEvent } from '../event/kinds.ts';
import { shellWord } from '../text/shell-word.ts';
import type { MessageBody, MessageKind } from './message.ts';

/** A message about an event of a research. */
export interface News {
  kind: Extract<MessageKind, 'claim' | 'claim-taken-back' | 'end'>;
  researchId: string;
  body: MessageBody;
}

/**
 * Messages that events cause: claims, and claims that are taken back. Ends of researches are written where their phase
 * is stored. No other event causes a message.
 */
export function newsOf(events: readonly NewEvent[]): News[] {
  return events.flatMap((event): News[] => {
    const { researchId, n = null } = event;
    if (researchId === null) return [];
    if (event.kind === 'claim-made') return [claimed(researchId, { ...event, n })];
    // The first measurement of the unmodified version replaces itself.
    if (event.kind === 'claim-taken-back' && event.data.candidateId !== event.data.inPlace)
      return [{ kind: 'claim-taken-back', researchId, body: bodyOf(describeEvent({ ...event, n }), n) }];
    return [];
  });
}

function claimed(researchId: string, event: NewEvent & { n: number | null }): News {
  const { n } = event;
  const commands = n === null ? [] : [`npx perpetua diff ${shellWord(`${researchId}/${n}`)} --against-baseline`];
  return { kind: 'claim', researchId, body: { ...bodyOf(describeEvent(event), n), commands } };
}

const bodyOf = (title: string, n: number | null): MessageBody => ({ title, lines: [], commands: [], n });

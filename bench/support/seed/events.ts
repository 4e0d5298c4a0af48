import { EVENTS, type NewEvent } from '../../../domain/event/kinds.ts';
import type { TimedEvent, Story } from './story.ts';
import { timestampAt, type SeededResearch } from './rows.ts';

/** Events of the research in their order; those of the level `detail` only for trials with numbers from `from` on. */
export function eventRows(place: SeededResearch, story: Story, from: number) {
  const events = [...begun(place), ...story.events, ...shares(place, story), ...lives(place, story)];
  return events
    .filter(({ event }) => EVENTS[event.kind].level !== 'detail' || (event.n ?? from) >= from)
    .sort((one, other) => one.at - other.at)
    .map(({ at: seconds, event }) => ({
      at: timestampAt(place, seconds),
      research_id: event.researchId,
      kind: event.kind,
      level: EVENTS[event.kind].level,
      n: event.n ?? null,
      data: event.data,
    }));
}

const begun = ({ id: researchId, slots }: SeededResearch): TimedEvent[] => [
  {
    at: 0,
    event: { kind: 'phase', researchId, data: { from: 'starting', phase: 'running', reason: null } },
  },
  { at: 0.1, event: { kind: 'window', researchId, data: { from: null, window: slots.length + 2 } } },
];

/** Limit of trials, of which the ended ones are 80 %. */
export const limitOf = (trials: number): number => Math.ceil(trials * 1.25);

function shares({ id: researchId }: SeededResearch, { ended }: Story): TimedEvent[] {
  const limit = limitOf(ended.length);
  return [50, 80].flatMap((share) => {
    const spent = Math.ceil((limit * share) / 100);
    const trial = ended[spent - 1];
    const data = { limit: 'trials', share, spent, of: limit };
    return trial ? [{ at: trial.ended, event: { kind: 'budget-share', researchId, data } satisfies NewEvent }] : [];
  });
}

/** Events of the admissions and starts of trials. */
function lives({ id: researchId, slots }: SeededResearch, { ended, open, totalSeconds: lasted }: Story): TimedEvent[] {
  return [...ended, ...open].flatMap(({ n, kind, ofTrial, created, started, slot, ...trial }) => {
    const candidateId = ofTrial === null ? null : trial.candidateId;
    const admitted: TimedEvent = {
      at: created,
      event: { kind: 'trial-admitted', researchId, n, data: { kind, candidateId, ofTrial } },
    };
    const place = slots[slot ?? 0];
    if (started === null || started > lasted || !place) return [admitted];
    const data = { host: place.host, slot: place.id };
    return [admitted, { at: started, event: { kind: 'trial-started' as const, researchId, n, data } }];
  });
}

import type { EventLine } from '../../db/reads/read-events.ts';
import { describeEvent } from '../../domain/event/describe.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { pad } from './text/text.ts';

/** Width of the longest level, `warning`. */
const LEVEL_WIDTH = 7;
const RESEARCH_WIDTH = 16;

/** An event as a line for people: time, level, research, and description. */
export function renderEvent(event: EventLine): string {
  const when = `${event.at.slice(0, 19)}Z`;
  const [level, research] = [pad(oneLine(event.level), LEVEL_WIDTH), pad(event.researchId ?? '-', RESEARCH_WIDTH)];
  return [when, level, research, oneLine(describeEvent(event))].join('  ');
}

import type { Feedback } from '../../../domain/metric/feedback.ts';
import { decodeNumber } from '../../../domain/json/number.ts';
import { formatValue } from '../../../domain/text/format.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';

/** Cases that people see without --json. */
const SHOWN = 20;

/** Rows of the evaluator's cases, for people: those that it keeps from proposers are marked. */
export function feedbackRows({ cases, omitted }: Feedback): string[][] {
  const rows = cases.slice(0, SHOWN).map(({ name, value, text, heldOut }, i) => {
    const held = heldOut === true ? ' (held out: no proposer reads it)' : '';
    const words = text === '' ? '' : `: ${oneLine(text)}`;
    return [i === 0 ? 'cases' : '', `${oneLine(name)} ${formatValue(decodeNumber(value))}${held}${words}`];
  });
  const more = cases.length - SHOWN;
  if (more > 0) rows.push(['', `${more} more (see --json)`]);
  if (omitted > 0) rows.push(['', `${omitted} were not stored: at most 8 KiB are`]);
  return rows;
}

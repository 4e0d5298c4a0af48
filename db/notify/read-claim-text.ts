import type { Message } from '../../domain/notify/message.ts';
import { formatResult, formatSigned, unitText } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import type { Tx } from '../connect.ts';
import { readClaimLines } from '../reads/page/research/read-claim-lines.ts';
import { readResearch } from '../reads/read-research.ts';

/** Longest idea that a claim's message shows, in characters. */
const IDEA = 160;

/**
 * First line of the message about a claim, as the claim was made: its value with interval, and its gain over the claim
 * before. Null if the claim is not stored any more, so that the text of the event stays.
 */
export async function readClaimText(db: Tx, { researchId, body, createdAt }: Message): Promise<string | null> {
  const research = researchId === null ? undefined : await readResearch(db, { researchId });
  if (research === undefined) return null;
  const lines = await readClaimLines(db, research, null);
  // A trial may be claimed twice. Both rows have the time of their transaction, the message a little later.
  const index = lines.findLastIndex(
    ({ ofTrial, at }) => ofTrial === (body.n ?? null) && Date.parse(at) <= createdAt.getTime(),
  );
  const line = lines[index];
  if (line === undefined) return null;
  const { value, low, high, sd } = line.made;
  const before = lines[index - 1];
  const sign = research.task.metric.direction === 'maximize' ? 1 : -1;

  const interval =
    low === null || high === null ? '' : ` (95 %: ${formatResult(low, sd)} to ${formatResult(high, sd)})`;
  const gain =
    before === undefined ? '' : `, ${formatSigned(sign * (value - before.made.value), sd)} over the claim before`;
  const idea = line.hypothesis === null ? '' : `. Idea: ${oneLine(line.hypothesis).slice(0, IDEA)}`;
  const name = line.ofTrial === null ? 'the unmodified version' : `#${line.ofTrial}`;
  return (
    `${name} is now the best: ${formatResult(value, sd)}${unitText(research.task.metric.unit)}${interval}, ` +
    `${plural(line.n, 'run')}${gain}${idea}`
  );
}

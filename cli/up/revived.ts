import type { Phase } from '../../domain/research/phase.ts';

interface Ended {
  phase: Phase;
  reason: string | null;
}

const hasEnded = (before: Ended | undefined): before is Ended =>
  before?.phase === 'stopped' || before?.phase === 'failed';

/** Why it ended, in brackets. */
const endOf = ({ phase, reason }: Ended): string => (reason === null ? phase : `${phase}: ${reason.slice(0, 200)}`);

/** That a research which had ended was started again with the stack, as a person had named its task; null of any other. */
export const revived = (before: Ended | undefined): string | null =>
  hasEnded(before) ? `it had ended (${endOf(before)}), and perpetua up --task started it again` : null;

/** That the demo had ended and stays so, and how to go on with it; null where it has not ended. */
export const leftAlone = (before: (Ended & { id: string }) | undefined): string[] | null =>
  hasEnded(before)
    ? [`${before.id} is ${endOf(before)}. It is not started again. To go on with it: npx perpetua start ${before.id}`]
    : null;

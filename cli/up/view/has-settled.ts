import { hasEnded } from '../../../view/phase.ts';
import type { StatusView } from '../../../view/status.ts';

/** True if the research has ended and no update is in progress. An update that a stop left open waits for a start. */
export const hasSettled = ({ phase, learning }: Pick<StatusView, 'phase' | 'learning'>): boolean =>
  hasEnded(phase) && (learning?.update?.begunAt ?? null) === null;

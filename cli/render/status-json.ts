import type { Status } from '../../db/reads/read-status.ts';
import type { Asked } from '../ask-temporal.ts';

/** `perpetua status --json`; a contract. What keeps a research from going on is its reason where it has no other. */
export const statusJson = (status: Status, asked: Asked) => ({
  ...status,
  reason: status.reason ?? asked.finding,
  failing: asked.failing,
  temporalError: asked.error,
});
